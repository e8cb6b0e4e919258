/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cube folded to one line an owner. */
#ifndef REPORTS_OWNER_SUMS_H
#define REPORTS_OWNER_SUMS_H

#include "reports/report.h"

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

#endif
