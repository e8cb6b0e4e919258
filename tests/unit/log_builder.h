/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes logs as XFS does, into memory, for tests of the log reader: records with checksums, cycle
 * numbers, extended headers, stripe units, and the way around the end.
 */
#ifndef TESTS_UNIT_LOG_BUILDER_H
#define TESTS_UNIT_LOG_BUILDER_H

#include "analyzer/xfs/log/log.h"

/* The log begins here in its "device", at no round number. */
#define BUILDER_OFFSET 12800

struct log_builder {
	/* how records are written; may be changed between two of them */
	uint32_t version;      /* 1 or 2 */
	uint32_t buffer_bytes; /* h_size */
	uint32_t stripe_bytes; /* records are padded to it; 512: not */
	bool crc;
	bool crc_i386; /* the checksum is over the shorter header of i386 */
	bool big_endian;

	/* where things are */
	uint32_t blocks;
	struct log_position at;   /* where the next record goes */
	struct log_position tail; /* what it will say of the tail */
	struct log_source source;

	/* the record that is being filled */
	char *payload;
	uint32_t payload_bytes;
	uint32_t operations;
};

/* A log of @blocks blocks whose blocks all have cycle @cycle - 1 (never written for 1). */
void builder_init(struct log_builder *builder, uint32_t blocks, uint32_t cycle);
void builder_fini(struct log_builder *builder);

/* Where the next record goes; blocks before it get this cycle. */
void builder_seek(struct log_builder *builder, uint32_t block);

/* An operation in the record that is being filled. */
void builder_operation(struct log_builder *builder, uint32_t transaction, uint8_t flags,
	const void *data, uint32_t length);

/* Operations that begin and commit a transaction. */
void builder_start(struct log_builder *builder, uint32_t transaction);
void builder_commit(struct log_builder *builder, uint32_t transaction);

/* The 56 bytes of an inode item's format structure with @regions regions. */
void builder_inode_format(
	const struct log_builder *builder, char format[56], uint64_t ino, uint16_t regions);

/* A whole inode item: format structure and a core of zeros. */
void builder_inode(struct log_builder *builder, uint32_t transaction, uint64_t ino);

/* Operations with @count inode items from number @first on, in transaction @transaction. */
void builder_transaction(
	struct log_builder *builder, uint32_t transaction, uint64_t first, unsigned count);

/* Writes the record. Returns where it began. */
struct log_position builder_record(struct log_builder *builder);

/* Writes the record that mkfs and a clean unmount leave. */
struct log_position builder_unmount(struct log_builder *builder);

/* The bytes of block @block; builder_store() writes them back. */
void builder_load(const struct log_builder *builder, uint32_t block, char bytes[512]);
void builder_store(const struct log_builder *builder, uint32_t block, const char bytes[512]);

#endif
