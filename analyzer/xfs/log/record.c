// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See record.h. A record is one write of an in-core log buffer:
 *
 *   header block | extended header blocks, one for each further 32 KiB of h_size | payload
 *
 * The first word of every block on the disk is the cycle that it was written in, so that a reader
 * sees block by block what is old and what is new; the words that belong there are kept in the
 * headers. A record may begin near the end of the log and go on at its start, in the next cycle.
 * The checksum is over the blocks as written: the header with its checksum field zero, the extended
 * headers that the payload's length needs, the payload.
 */
#include "analyzer/xfs/log/record.h"

#include "analyzer/xfs/log/format.h"
#include "base/checked.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <isa-l/crc.h>
#include <stdlib.h>

#define CYCLE_WORDS    (XLOG_HEADER_CYCLE_SIZE / LOG_BLOCK_BYTES)
#define HEADER_BLOCKS  (XLOG_MAX_RECORD_BSIZE / XLOG_HEADER_CYCLE_SIZE)
#define PAYLOAD_BLOCKS (XLOG_MAX_RECORD_BSIZE / LOG_BLOCK_BYTES)

/* sizeof(struct xlog_rec_header) where 64-bit numbers are aligned to 8 bytes, and on i386. */
#define HEADER_BYTES      328
#define HEADER_BYTES_I386 324

/* cycle and cycle words of an extended header */
#define EXT_HEADER_BYTES (4 + 4 * CYCLE_WORDS)

int log_record_init(struct log_record *record)
{
	*record = (struct log_record){0};
	record->image = malloc((HEADER_BLOCKS + PAYLOAD_BLOCKS) * LOG_BLOCK_BYTES);
	return record->image ? 0 : -ENOMEM;
}

void log_record_fini(struct log_record *record)
{
	free(record->image);
	record->image = NULL;
}

static int unsound(struct err *err, struct log_position at, const char *what)
{
	return err_set(err, -EUCLEAN, "log record at %" PRIu32 ":%" PRIu32 ": %s", at.cycle,
		at.block, what);
}

/* Compares the cycle a block should have with what it has. */
static int check_cycle(struct err *err, struct log_position at, uint32_t cycle)
{
	if (cycle == at.cycle)
		return 0;
	if (cycle < at.cycle)
		return err_set(err, -ENODATA,
			"log block %" PRIu32 " has cycle %" PRIu32 " where %" PRIu32
			" is expected: not written",
			at.block, cycle, at.cycle);
	return err_set(err, -EAGAIN,
		"log block %" PRIu32 " has cycle %" PRIu32 " where %" PRIu32
		" is expected: overwritten",
		at.block, cycle, at.cycle);
}

static bool is_zero(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

/* The number of blocks that the headers take. */
static uint32_t header_blocks(const char *header)
{
	uint32_t size = LOG_BE32(header, xlog_rec_header, h_size);

	if (!(LOG_BE32(header, xlog_rec_header, h_version) & XLOG_VERSION_2))
		return 1;
	return size <= XLOG_HEADER_CYCLE_SIZE
		       ? 1
		       : (uint32_t)div_ceil_u64(size, XLOG_HEADER_CYCLE_SIZE);
}

/* Believes nothing in the header at @at that could lead astray. */
static int check_header(const struct log_blocks *blocks, struct log_position at, const char *header,
	struct err *err)
{
	const char *uuid = header + offsetof(struct xlog_rec_header, h_fs_uuid);
	uint32_t version = LOG_BE32(header, xlog_rec_header, h_version);
	uint32_t length = LOG_BE32(header, xlog_rec_header, h_len);
	struct log_position own = log_unpack_lsn(LOG_BE64(header, xlog_rec_header, h_lsn));

	if (disk_be32(header) != XLOG_HEADER_MAGIC_NUM)
		return unsound(err, at, "no header is there");
	if (own.cycle != at.cycle || own.block != at.block)
		return unsound(err, at, "it says that it lies somewhere else");
	if (version == 0 || version & ~(uint32_t)XLOG_VERSION_OKBITS)
		return unsound(err, at, "its version is not known");
	if (LOG_BE32(header, xlog_rec_header, h_fmt) > XLOG_FMT_IRIX_BE)
		return unsound(err, at, "its format is not known");
	if (LOG_BE32(header, xlog_rec_header, h_size) > XLOG_MAX_RECORD_BSIZE)
		return unsound(err, at, "its buffer size is beyond 256 KiB");
	if (length == 0 || length > XLOG_MAX_RECORD_BSIZE)
		return unsound(err, at, "its length is none");
	if (header_blocks(header) + div_ceil_u64(length, LOG_BLOCK_BYTES) > blocks->count)
		return unsound(err, at, "it is longer than the log");
	if (!is_zero(uuid, LOG_UUID_BYTES) &&
		memcmp(uuid, blocks->source->uuid, LOG_UUID_BYTES) != 0)
		return unsound(err, at, "it is of another filesystem");
	return 0;
}

/* Every block after the header has the cycle that its place tells. */
static int check_cycles(
	const struct log_blocks *blocks, const struct log_record *record, struct err *err)
{
	for (uint32_t i = 1; i < record->blocks; i++) {
		const char *block = record->image + (size_t)i * LOG_BLOCK_BYTES;
		int rc = check_cycle(
			err, log_blocks_after(blocks, record->start, i), disk_be32(block));

		if (rc)
			return rc;
	}
	return 0;
}

/* The bare CRC32C register; the library takes a pointer to what it does not write. */
static uint32_t carry(uint32_t crc, const void *bytes, size_t length)
{
	return crc32_iscsi((unsigned char *)(uintptr_t)bytes, (int)length, crc);
}

/* The checksum of the record if its header is @header_bytes long. */
static uint32_t checksum(const struct log_record *record, size_t header_bytes)
{
	static const char zero[sizeof(uint32_t)];
	const size_t at = offsetof(struct xlog_rec_header, h_crc), after = at + sizeof(zero);
	uint32_t headers = header_blocks(record->image);
	uint32_t covered = (uint32_t)div_ceil_u64(record->payload_bytes, XLOG_HEADER_CYCLE_SIZE);
	uint32_t crc = carry(UINT32_MAX, record->image, at);

	crc = carry(crc, zero, sizeof(zero));
	crc = carry(crc, record->image + after, header_bytes - after);
	for (uint32_t i = 1; i < headers && i < covered; i++)
		crc = carry(crc, record->image + (size_t)i * LOG_BLOCK_BYTES, EXT_HEADER_BYTES);
	return ~carry(crc, record->payload, record->payload_bytes);
}

/*
 * V4 writers left the checksum out at first, and mkfs still does in the record that it makes. Both
 * lengths of the header are right, since the writer's machine decided it.
 */
static int check_checksum(
	const struct log_blocks *blocks, const struct log_record *record, struct err *err)
{
	uint32_t stored;

	memcpy(&stored, record->image + offsetof(struct xlog_rec_header, h_crc), sizeof(stored));
	stored = le32toh(stored);
	if (stored == 0 && (!blocks->source->has_crc || log_record_is_unmount(record)))
		return 0;
	if (checksum(record, HEADER_BYTES) == stored ||
		checksum(record, HEADER_BYTES_I386) == stored)
		return 0;
	return unsound(err, record->start, "its checksum is wrong");
}

/* Puts the words back whose place the cycle numbers took. */
static void restore_words(struct log_record *record, uint32_t headers)
{
	uint32_t count = record->blocks - headers;

	for (uint32_t i = 0; i < count && i / CYCLE_WORDS < headers; i++) {
		const char *words = record->image + (size_t)(i / CYCLE_WORDS) * LOG_BLOCK_BYTES;

		words += i < CYCLE_WORDS ? offsetof(struct xlog_rec_header, h_cycle_data)
					 : offsetof(struct xlog_rec_ext_header, xh_cycle_data);
		memcpy(record->payload + (size_t)i * LOG_BLOCK_BYTES, words + 4 * (i % CYCLE_WORDS),
			4);
	}
}

/* Fills in what the header tells, once it is checked. */
static void describe(const struct log_blocks *blocks, struct log_position at, uint32_t headers,
	struct log_record *record)
{
	const char *header = record->image;
	uint32_t format = LOG_BE32(header, xlog_rec_header, h_fmt);

	record->start = at;
	record->tail = log_unpack_lsn(LOG_BE64(header, xlog_rec_header, h_tail_lsn));
	record->operations = LOG_BE32(header, xlog_rec_header, h_num_logops);
	record->payload_bytes = LOG_BE32(header, xlog_rec_header, h_len);
	record->blocks = headers + (uint32_t)div_ceil_u64(record->payload_bytes, LOG_BLOCK_BYTES);
	record->next = log_blocks_after(blocks, at, record->blocks);
	record->payload = record->image + (size_t)headers * LOG_BLOCK_BYTES;
	record->big_endian = format == XLOG_FMT_LINUX_BE || format == XLOG_FMT_IRIX_BE ||
			     (format == XLOG_FMT_UNKNOWN && __BYTE_ORDER == __BIG_ENDIAN);
}

int log_record_read(struct log_blocks *blocks, struct log_position at, struct log_record *record,
	struct err *err)
{
	uint32_t headers;
	int rc = log_blocks_read(blocks, at.block, 1, record->image, err);

	if (!rc)
		rc = check_cycle(err, at, log_block_cycle(record->image));
	if (!rc)
		rc = check_header(blocks, at, record->image, err);
	if (rc)
		return rc;
	headers = header_blocks(record->image);
	describe(blocks, at, headers, record);
	rc = log_blocks_read(blocks, at.block, record->blocks, record->image, err);
	if (!rc)
		rc = check_cycles(blocks, record, err);
	if (!rc)
		rc = check_checksum(blocks, record, err);
	if (!rc)
		restore_words(record, headers);
	return rc;
}

bool log_record_is_unmount(const struct log_record *record)
{
	const char *flags = record->payload + offsetof(struct xlog_op_header, oh_flags);

	return record->operations == 1 && record->payload_bytes >= sizeof(struct xlog_op_header) &&
	       *flags & XLOG_UNMOUNT_TRANS;
}
