/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cube folded to one line an owner. */
#ifndef REPORTS_OWNER_SUMS_H
#define REPORTS_OWNER_SUMS_H

#include "reports/report.h"

/* The first columns of a table of owners, which say who it is and what their sums are. */
enum owner_column {
	SUMS_OWNER,
	SUMS_ID,
	SUMS_NAME,
	SUMS_FILES,
	SUMS_TINY_FILES,
	SUMS_TINY_SHARE,
	SUMS_BYTES,
	SUMS_ALLOCATED_BYTES,
	SUMS_TINY_BYTES,
	SUMS_COLUMNS,
};

/* Those columns; with the flags of those that not every table has room for in text. */
#define OWNER_SUM_COLUMNS(id_flags, bytes_flags, tiny_bytes_flags)                              \
	[SUMS_OWNER] = OWNER_COLUMN("OWNER"),                                                   \
	[SUMS_ID] = {"id", "ID", VALUE_ID, (id_flags), "user, group or project id"},            \
	[SUMS_NAME] = NAME_COLUMN,                                                              \
	[SUMS_FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files"},                     \
	[SUMS_TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0,                              \
		"regular files below the tiny edge"},                                           \
	[SUMS_TINY_SHARE] = {"tiny_share", "OF ALL TINY", VALUE_SHARE,                          \
		COLUMN_TEXT_ONLY | COLUMN_OPTIONAL, "share of the tiny files of all owners"},   \
	[SUMS_BYTES] = {"bytes", "BYTES", VALUE_BYTES, (bytes_flags),                           \
		"sizes of the regular files"},                                                  \
	[SUMS_ALLOCATED_BYTES] = {"allocated_bytes", "ALLOCATED", VALUE_BYTES, COLUMN_OPTIONAL, \
		"allocated to all inodes"},                                                     \
	[SUMS_TINY_BYTES] = {"tiny_bytes", "TINY BYTES", VALUE_BYTES, (tiny_bytes_flags),       \
		"sizes of the tiny files"}

struct owner_sums {
	uint32_t id;
	uint64_t files;           /* regular files */
	uint64_t tiny_files;      /* of them, below the tiny edge */
	uint64_t bytes;           /* Σ size of regular files */
	uint64_t tiny_bytes;      /* Σ size of tiny files */
	uint64_t allocated_bytes; /* Σ allocated of all inodes */
	uint64_t stream_bytes;    /* Σ xfsdump stream bytes of all inodes */
};

struct owner_list {
	size_t count;
	struct owner_sums *owners; /* owned */
};

/*
 * Sums up the owners of @kind that the options let through: most tiny files first, then most
 * files, then smallest id. Returns 0 or -ENOMEM.
 */
int owner_list_make(
	const struct report_input *input, enum owner_kind kind, struct owner_list *list);
void owner_list_fini(struct owner_list *list);

/* Fills the cells of those columns but for who the owner is, which report_arrange_owners() adds. */
void owner_row_fill(struct value *row, const struct owner_sums *owner, uint64_t all_tiny_files);

#endif
