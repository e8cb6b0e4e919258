/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an inode lies in a dump's stream, to the byte, where its extents are known.
 *
 * xfsdump pads before data of 32 KiB and more so that it starts a page of the stream. How much that
 * is depends on all that came before, so whoever lays out inodes in their order keeps a position.
 */
#ifndef ANALYZER_CENSUS_DUMP_LAYOUT_H
#define ANALYZER_CENSUS_DUMP_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Where in a page the stream is. Zeroed, it is not known. */
struct dump_position {
	bool is_known;
	uint32_t in_page;
};

/* A regular file on its way into the stream. Fields but `bytes` are private. */
struct dump_layout {
	struct dump_position *position;
	uint64_t size_bytes; /* of the file */
	uint64_t at;         /* where its last extent ended */
	uint64_t group;      /* bytes in the group at hand, its file header not counted */
	uint64_t bytes;      /* so far; without attributes */
	bool has_extents;
};

/* Passes over @bytes of the stream. */
void dump_position_pass(struct dump_position *position, uint64_t bytes);

/*
 * Begins a file of @size_bytes at @position, which moves along. A padding from a position that is
 * not known is put at its mean.
 */
void dump_layout_begin(
	struct dump_layout *layout, struct dump_position *position, uint64_t size_bytes);

/*
 * The next blocks that lie together, written or not, @length_bytes (at least 1) of them. They must
 * not begin before the last ones ended.
 */
void dump_layout_extent(struct dump_layout *layout, uint64_t offset_bytes, uint64_t length_bytes);

/* Ends the file and returns its stream bytes. */
uint64_t dump_layout_end(struct dump_layout *layout);

#endif
