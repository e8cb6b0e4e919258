// SPDX-License-Identifier: GPL-2.0-or-later
/* See log_builder.h. The checksum is computed bit by bit, on purpose not by the code under test. */
#include "tests/unit/log_builder.h"

#include "analyzer/xfs/log/format.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK         512
#define PAYLOAD_LIMIT (256 * 1024)
#define CORE_BYTES    176

/* What a test cannot go on without. */
static void must(bool holds)
{
	if (!holds)
		abort();
}

static uint32_t crc32c(uint32_t crc, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		crc ^= (uint8_t)bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
	}
	return crc;
}

static void put_be32(char *at, uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof(value));
}

static void put_be64(char *at, uint64_t value)
{
	value = htobe64(value);
	memcpy(at, &value, sizeof(value));
}

void builder_store(const struct log_builder *builder, uint32_t block, const char bytes[512])
{
	off_t at = BUILDER_OFFSET + (off_t)block * BLOCK;

	must(pwrite(builder->source.fd, bytes, BLOCK, at) == BLOCK);
}

void builder_load(const struct log_builder *builder, uint32_t block, char bytes[512])
{
	off_t at = BUILDER_OFFSET + (off_t)block * BLOCK;

	must(pread(builder->source.fd, bytes, BLOCK, at) == BLOCK);
}

static void stamp(struct log_builder *builder, uint32_t from, uint32_t to, uint32_t cycle)
{
	char block[BLOCK] = {0};

	put_be32(block, cycle);
	while (from < to)
		builder_store(builder, from++, block);
}

void builder_init(struct log_builder *builder, uint32_t blocks, uint32_t cycle)
{
	*builder = (struct log_builder){
		.version = 2,
		.buffer_bytes = 32 * 1024,
		.stripe_bytes = BLOCK,
		.crc = true,
		.blocks = blocks,
		.at = {cycle, 0},
		.tail = {cycle, 0},
		.payload = calloc(1, PAYLOAD_LIMIT),
		.source =
			{
				.fd = memfd_create("log", MFD_CLOEXEC),
				.offset_bytes = BUILDER_OFFSET,
				.length_bytes = (uint64_t)blocks * BLOCK,
				.sector_bytes = BLOCK,
				.has_crc = true,
				.uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
				.agcount = 4,
				.agblocks = 5000,
				.block_log = 12,
				.agblock_log = 13,
				.inodes_per_block_log = 3,
			},
	};
	must(builder->payload && builder->source.fd >= 0);
	must(!ftruncate(builder->source.fd, BUILDER_OFFSET + (off_t)blocks * BLOCK));
	stamp(builder, 0, blocks, cycle - 1);
}

void builder_fini(struct log_builder *builder)
{
	close(builder->source.fd);
	free(builder->payload);
}

void builder_seek(struct log_builder *builder, uint32_t block)
{
	stamp(builder, builder->at.block, block, builder->at.cycle);
	builder->at.block = block;
	builder->tail = builder->at;
}

void builder_operation(struct log_builder *builder, uint32_t transaction, uint8_t flags,
	const void *data, uint32_t length)
{
	char *to = builder->payload + builder->payload_bytes;

	must(builder->payload_bytes + 12 + length <= PAYLOAD_LIMIT);
	put_be32(to, transaction);
	put_be32(to + 4, length);
	to[8] = (char)(flags & XLOG_UNMOUNT_TRANS ? XFS_LOG : XFS_TRANSACTION);
	to[9] = (char)flags;
	to[10] = to[11] = 0;
	if (length)
		memcpy(to + 12, data, length);
	builder->payload_bytes += 12 + length;
	builder->operations++;
}

static void put_host(const struct log_builder *builder, char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[builder->big_endian ? bytes - 1 - i : i] = (char)(value >> 8 * i);
}

void builder_start(struct log_builder *builder, uint32_t transaction)
{
	char header[16] = {0};

	put_host(builder, header, XFS_TRANS_HEADER_MAGIC, 4);
	builder_operation(builder, transaction, XLOG_START_TRANS, NULL, 0);
	builder_operation(builder, transaction, 0, header, sizeof(header));
}

void builder_commit(struct log_builder *builder, uint32_t transaction)
{
	builder_operation(builder, transaction, XLOG_COMMIT_TRANS, NULL, 0);
}

void builder_inode_format(
	const struct log_builder *builder, char format[56], uint64_t ino, uint16_t regions)
{
	memset(format, 0, 56);
	put_host(builder, format, XFS_LI_INODE, 2);
	put_host(builder, format + 2, regions, 2);
	put_host(builder, format + 16, ino, 8);
}

void builder_inode(struct log_builder *builder, uint32_t transaction, uint64_t ino)
{
	char format[56], core[CORE_BYTES] = {0};

	builder_inode_format(builder, format, ino, 2);
	builder_operation(builder, transaction, 0, format, sizeof(format));
	builder_operation(builder, transaction, 0, core, sizeof(core));
}

void builder_transaction(
	struct log_builder *builder, uint32_t transaction, uint64_t first, unsigned count)
{
	builder_start(builder, transaction);
	for (unsigned i = 0; i < count; i++)
		builder_inode(builder, transaction, first + i);
	builder_commit(builder, transaction);
}

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static uint32_t header_blocks(const struct log_builder *builder)
{
	if (builder->version == 1 || builder->buffer_bytes <= 32 * 1024)
		return 1;
	return round_up(builder->buffer_bytes, 32 * 1024) / (32 * 1024);
}

static struct log_position after(const struct log_builder *builder, uint32_t count)
{
	struct log_position at = {builder->at.cycle, builder->at.block + count};

	if (at.block >= builder->blocks)
		at = (struct log_position){at.cycle + 1, at.block - builder->blocks};
	return at;
}

/* Takes the first word of every payload block into the headers and puts the cycle there. */
static void put_cycles(
	const struct log_builder *builder, char *image, uint32_t headers, uint32_t count)
{
	for (uint32_t i = headers; i < count; i++) {
		uint32_t index = i - headers;
		char *words = index < 64 ? image + offsetof(struct xlog_rec_header, h_cycle_data)
					 : image + index / 64 * BLOCK + 4;

		memcpy(words + 4 * (index % 64), image + i * BLOCK, 4);
	}
	for (uint32_t i = 1; i < count; i++)
		put_be32(image + i * BLOCK, after(builder, i).cycle);
}

static void put_checksum(
	const struct log_builder *builder, char *image, uint32_t headers, uint32_t length)
{
	uint32_t crc = crc32c(~0U, image, builder->crc_i386 ? 324 : 328);

	for (uint32_t i = 1; i < round_up(length, 32 * 1024) / (32 * 1024) && i < headers; i++)
		crc = crc32c(crc, image + i * BLOCK, 260);
	crc = htole32(~crc32c(crc, image + headers * BLOCK, length));
	memcpy(image + offsetof(struct xlog_rec_header, h_crc), &crc, sizeof(crc));
}

static void put_header(const struct log_builder *builder, char *image, uint32_t length)
{
#define AT(member) (image + offsetof(struct xlog_rec_header, member))
	put_be32(AT(h_magicno), XLOG_HEADER_MAGIC_NUM);
	put_be32(AT(h_cycle), builder->at.cycle);
	put_be32(AT(h_version), builder->version);
	put_be32(AT(h_len), length);
	put_be64(AT(h_lsn), (uint64_t)builder->at.cycle << 32 | builder->at.block);
	put_be64(AT(h_tail_lsn), (uint64_t)builder->tail.cycle << 32 | builder->tail.block);
	put_be32(AT(h_num_logops), builder->operations);
	put_be32(AT(h_fmt), builder->big_endian ? XLOG_FMT_LINUX_BE : XLOG_FMT_LINUX_LE);
	memcpy(AT(h_fs_uuid), builder->source.uuid, LOG_UUID_BYTES);
	put_be32(AT(h_size), builder->version == 2 ? builder->buffer_bytes : 0);
#undef AT
}

struct log_position builder_record(struct log_builder *builder)
{
	struct log_position start = builder->at;
	uint32_t headers = header_blocks(builder);
	uint32_t length = builder->payload_bytes, count;
	char *image;

	if (builder->stripe_bytes > BLOCK)
		length =
			round_up(headers * BLOCK + length, builder->stripe_bytes) - headers * BLOCK;
	must(length <= builder->buffer_bytes);
	count = headers + round_up(length, BLOCK) / BLOCK;
	image = calloc(count, BLOCK);
	must(image && count <= builder->blocks);
	memcpy(image + headers * BLOCK, builder->payload, builder->payload_bytes);
	put_header(builder, image, length);
	put_cycles(builder, image, headers, count);
	if (builder->crc)
		put_checksum(builder, image, headers, length);
	for (uint32_t i = 0; i < count; i++)
		builder_store(builder, after(builder, i).block, image + i * BLOCK);
	free(image);
	builder->at = after(builder, count);
	builder->payload_bytes = 0;
	builder->operations = 0;
	return start;
}

struct log_position builder_unmount(struct log_builder *builder)
{
	static const char magic[8] = {'n', 'U'};

	builder_operation(builder, 0xb0c0d0d0, XLOG_UNMOUNT_TRANS, magic, sizeof(magic));
	return builder_record(builder);
}
