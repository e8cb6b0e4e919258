// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dir.h. Local: count of entries, count of those that need 8-byte inode numbers, the parent's
 * number, then entries of name length, two bytes of offset, name, type and number; numbers take 8
 * bytes if any needs them, else 4.
 *
 * Block: a header of 16 bytes, 64 with checksums, then entries (number, name length, name, type,
 * padding, two bytes that repeat the entry's offset) and free space (0xffff, its length, …, the
 * offset again), all of whole 8 bytes. A directory of one block keeps its hashes at the end of it:
 * 8 bytes each, and 8 more with their count. The types are there with the ftype feature only.
 *
 * Opening walks over all of it once, so that the walk that hands out entries needs no checks of
 * lengths.
 */
#include "analyzer/xfs/disk/dir.h"

#include "analyzer/xfs/disk/bytes.h"
#include "analyzer/xfs/disk/crc.h"
#include "analyzer/xfs/disk_compat.h"
#include "base/bytes.h"
#include "base/cleanup.h"

#include <errno.h>
#include <sys/stat.h>

#define LOCAL_HEADER_BYTES 2U /* before the parent */
#define LOCAL_NAME_AT      3
#define NAME_AT            9 /* in an entry of a block */
#define TAG_BYTES          2
#define MIN_FREE_BYTES     8
#define FREE_TAG           0xffff
#define TAIL_BYTES         8
#define HASH_BYTES         8
#define BASIC_BLOCK_LOG    9 /* blkno counts 512 bytes */

#define DOT     1U
#define DOT_DOT 2U

static const uint16_t types[] = {0, S_IFREG, S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK, S_IFLNK};

/* --- Local --- */

static uint64_t number_at(const struct disk_dir_reader *reader, const uint8_t *at)
{
	return reader->ino_bytes == 8 ? disk_be64(at) : disk_be32(at);
}

static size_t local_bytes(const struct disk_dir_reader *reader, const uint8_t *at)
{
	return LOCAL_NAME_AT + at[0] + (reader->super->ftype ? 1U : 0U) + reader->ino_bytes;
}

/* The entries must fill what the size says, no more and no less. */
static int walk_local(const struct disk_dir_reader *reader, unsigned count, struct err *err)
{
	const uint8_t *at = reader->at;

	for (unsigned i = 0; i < count; i++) {
		if (at >= reader->end || !at[0] ||
			local_bytes(reader, at) > (size_t)(reader->end - at))
			return err_set(err, -EUCLEAN,
				"entry %u of %u in the inode does not fit there", i + 1, count);
		at += local_bytes(reader, at);
	}
	if (at != reader->end)
		return err_set(err, -EUCLEAN, "its entries (%u) take %zu bytes of %zu", count,
			(size_t)(at - reader->start), (size_t)(reader->end - reader->start));
	return 0;
}

int disk_dir_open_local(struct disk_dir_reader *reader, const struct disk_super *super,
	const struct disk_fork *fork, struct err *err)
{
	const uint8_t *start = fork->data;
	uint8_t ino_bytes = start[1] ? 8 : 4;

	if (fork->size_bytes > fork->bytes || fork->size_bytes < LOCAL_HEADER_BYTES + ino_bytes)
		return err_set(err, -EUCLEAN, "entries of size %llu cannot be in the inode",
			(unsigned long long)fork->size_bytes);
	*reader = (struct disk_dir_reader){
		.super = super,
		.start = start,
		.at = start + LOCAL_HEADER_BYTES + ino_bytes,
		.end = start + fork->size_bytes,
		.ino = fork->ino,
		.ino_bytes = ino_bytes,
		.dots = DOT_DOT,
		.local = true,
	};
	reader->parent = number_at(reader, start + LOCAL_HEADER_BYTES);
	return walk_local(reader, start[0], err);
}

static void decode_local(struct disk_dir_reader *reader, struct disk_dir_entry *entry)
{
	const uint8_t *at = reader->at;
	const uint8_t *after = at + LOCAL_NAME_AT + at[0];
	uint8_t type = reader->super->ftype ? *after++ : 0;

	*entry = (struct disk_dir_entry){
		.directory = reader->ino,
		.ino = number_at(reader, after),
		.name = (const char *)at + LOCAL_NAME_AT,
		.name_bytes = at[0],
		.type = type < ARRAY_LENGTH(types) ? types[type] : 0,
	};
	reader->at += local_bytes(reader, at);
}

/* --- Blocks --- */

static size_t entry_bytes(const struct disk_dir_reader *reader, const uint8_t *at)
{
	size_t bytes = NAME_AT + at[8] + (reader->super->ftype ? 1U : 0U) + TAG_BYTES;

	return (bytes + 7) & ~(size_t)7;
}

/* The length of the free space or the entry at @at; 0 if that is neither. */
static size_t step_bytes(const struct disk_dir_reader *reader, const uint8_t *at)
{
	size_t room = (size_t)(reader->end - at);
	size_t bytes;

	if (disk_be16(at) == FREE_TAG) {
		bytes = disk_be16(at + 2);
		if (bytes < MIN_FREE_BYTES || bytes % 8)
			return 0;
	} else {
		bytes = room > 8 && at[8] ? entry_bytes(reader, at) : 0;
	}
	if (!bytes || bytes > room ||
		disk_be16(at + bytes - TAG_BYTES) != (uint16_t)(at - reader->start))
		return 0;
	return bytes;
}

static int walk_block(const struct disk_dir_reader *reader, struct err *err)
{
	const uint8_t *at = reader->at;

	while (at < reader->end) {
		size_t bytes = step_bytes(reader, at);

		if (!bytes)
			return err_set(err, -EUCLEAN,
				"there is neither an entry nor free space at byte %zu of the block",
				(size_t)(at - reader->start));
		at += bytes;
	}
	return 0;
}

/* What only V5 has: the block knows where it is and whose. */
static int check_v5(const struct disk_super *super, const struct disk_dir_block *block,
	const void *data, struct err *err)
{
	if (!disk_crc_good(
		    data, 1U << super->dir_block_log, offsetof(struct xfs_dir3_blk_hdr, crc)))
		return err_set(err, -EBADMSG, "the checksum is wrong");
	if (memcmp(disk_at(data, offsetof(struct xfs_dir3_blk_hdr, uuid)), super->meta_uuid,
		    DISK_UUID_BYTES))
		return err_set(err, -EUCLEAN, "it belongs to another filesystem");
	if (DISK_FIELD(data, struct xfs_dir3_blk_hdr, owner) != block->ino)
		return err_set(err, -EUCLEAN, "it belongs to inode %llu",
			(unsigned long long)DISK_FIELD(data, struct xfs_dir3_blk_hdr, owner));
	if (DISK_FIELD(data, struct xfs_dir3_blk_hdr, blkno) != block->place >> BASIC_BLOCK_LOG)
		return err_set(err, -EUCLEAN, "it is a copy of another block");
	return 0;
}

/* Leaves out the hashes at the end of the block of a directory of one block. */
static int cut_tail(struct disk_dir_reader *reader, struct err *err)
{
	size_t room = (size_t)(reader->end - reader->at) - TAIL_BYTES;
	uint32_t hashes = disk_be32(reader->end - TAIL_BYTES);

	if (hashes > room / HASH_BYTES)
		return err_set(err, -EUCLEAN, "it has %u hashes, more than fit", hashes);
	reader->end -= TAIL_BYTES + (size_t)hashes * HASH_BYTES;
	return 0;
}

int disk_dir_open_block(struct disk_dir_reader *reader, const struct disk_super *super,
	const struct disk_dir_block *block, const void *data, struct err *err)
{
	uint32_t magic = disk_be32(data);
	uint32_t single = super->v5 ? XFS_DIR3_BLOCK_MAGIC : XFS_DIR2_BLOCK_MAGIC;
	uint32_t many = super->v5 ? XFS_DIR3_DATA_MAGIC : XFS_DIR2_DATA_MAGIC;
	size_t header =
		super->v5 ? sizeof(struct xfs_dir3_data_hdr) : sizeof(struct xfs_dir2_data_hdr);
	int rc = 0;

	if (magic != many && (magic != single || block->offset))
		return err_set(err, -EUCLEAN, "there is no directory block where one should be");
	if (super->v5)
		rc = check_v5(super, block, data, err);
	if (rc)
		return rc;
	*reader = (struct disk_dir_reader){
		.super = super,
		.start = data,
		.at = disk_at(data, header),
		.end = disk_at(data, 1U << super->dir_block_log),
		.ino = block->ino,
		.ino_bytes = 8,
		.dots = block->offset ? 0 : DOT | DOT_DOT,
	};
	if (magic == single)
		rc = cut_tail(reader, err);
	return rc ? rc : walk_block(reader, err);
}

/* Moves to the next entry and decodes it; false at the end. */
static bool decode_block(struct disk_dir_reader *reader, struct disk_dir_entry *entry)
{
	const uint8_t *at = reader->at;
	uint8_t type;

	while (at < reader->end && disk_be16(at) == FREE_TAG)
		at += disk_be16(at + 2);
	reader->at = at;
	if (at >= reader->end)
		return false;
	type = reader->super->ftype ? at[NAME_AT + at[8]] : 0;
	*entry = (struct disk_dir_entry){
		.directory = reader->ino,
		.ino = disk_be64(at),
		.name = (const char *)at + NAME_AT,
		.name_bytes = at[8],
		.type = type < ARRAY_LENGTH(types) ? types[type] : 0,
	};
	reader->at += entry_bytes(reader, at);
	return true;
}

/* --- Entries --- */

static bool next_raw(struct disk_dir_reader *reader, struct disk_dir_entry *entry)
{
	if (!reader->local)
		return decode_block(reader, entry);
	if (reader->at >= reader->end)
		return false;
	decode_local(reader, entry);
	return true;
}

static unsigned dots_of(const struct disk_dir_entry *entry)
{
	if (entry->name[0] != '.' || entry->name_bytes > 2)
		return 0;
	if (entry->name_bytes == 1)
		return DOT;
	return entry->name[1] == '.' ? DOT_DOT : 0;
}

/* Why an entry cannot be, in the words after its name; NULL if it can. */
static const char *complaint(struct disk_dir_reader *reader, const struct disk_dir_entry *entry)
{
	unsigned dots = dots_of(entry);

	if (!bytes_are_name(entry->name, entry->name_bytes))
		return "is no name";
	if (dots && !(reader->dots & dots))
		return "is where none should be";
	reader->dots &= (uint8_t)~dots;
	if (dots == DOT)
		return entry->ino == reader->ino ? NULL : "does not lead to its own directory";
	if (!disk_super_has_ino(reader->super, entry->ino))
		return "leads out of the filesystem";
	if (!dots && entry->ino == reader->ino)
		return "leads to its own directory";
	return NULL;
}

static int refuse(const struct disk_dir_entry *entry, const char *why, struct err *err)
{
	autofree char *name = bytes_escape(entry->name, entry->name_bytes);

	return err_set(err, -EUCLEAN, "entry \"%s\", inode %llu, %s", name ? name : "?",
		(unsigned long long)entry->ino, why);
}

/* A local directory knows its parent without an entry for it. */
static int local_parent(
	struct disk_dir_reader *reader, struct disk_dir_entry *entry, struct err *err)
{
	reader->dots = 0;
	*entry = (struct disk_dir_entry){
		.directory = reader->ino,
		.ino = reader->parent,
		.name = "..",
		.name_bytes = 2,
		.is_parent = true,
		.type = S_IFDIR,
	};
	return disk_super_has_ino(reader->super, entry->ino)
		       ? 1
		       : refuse(entry, "leads out of the filesystem", err);
}

int disk_dir_next(struct disk_dir_reader *reader, struct disk_dir_entry *entry, struct err *err)
{
	if (reader->local && reader->dots)
		return local_parent(reader, entry, err);
	while (next_raw(reader, entry)) {
		const char *why = complaint(reader, entry);
		unsigned dots = dots_of(entry);

		if (why)
			return refuse(entry, why, err);
		entry->is_parent = dots == DOT_DOT;
		if (dots != DOT)
			return 1;
	}
	if (reader->dots) {
		reader->dots = 0;
		return err_set(err, -EUCLEAN, "it has no entry for itself or for its parent");
	}
	return 0;
}
