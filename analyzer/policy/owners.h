/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each owner has, as policies ask for it. */
#ifndef ANALYZER_POLICY_OWNERS_H
#define ANALYZER_POLICY_OWNERS_H

#include "analyzer/census/ages.h"
#include "analyzer/census/cube.h"
#include "analyzer/census/owner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a policy is held against. */
struct policy_material {
	const struct cube *cube;
	const struct ages *ages;  /* NULL: not known; then nothing is old */
	uint64_t tiny_bytes;      /* the scan's edge of tiny */
	uint32_t block_bytes;     /* of the filesystem */
	owner_name_fn owner_name; /* NULL: nobody has a name */
	void *context;            /* handed to owner_name */
};

/* Sums stop at 2^64 - 1. */
struct policy_owner {
	enum owner_kind kind;
	uint32_t id;
	uint64_t inodes;          /* of all kinds */
	uint64_t files;           /* regular files */
	uint64_t tiny_files;      /* of them below the tiny edge */
	uint64_t bytes;           /* Σ size of regular files */
	uint64_t allocated_bytes; /* Σ allocated of all inodes */
	uint64_t old_files;       /* regular files that are old; users only */
	uint64_t old_bytes;       /* their sizes */
};

struct policy_owners {
	size_t count;
	struct policy_owner *owners; /* owned; by kind, then id */
};

/* The owner's name, to be freed; NULL if it has none. */
char *policy_owner_name(const struct policy_material *material, const struct policy_owner *owner);

/*
 * Whether a period of the ages' that begins on @key->day lies more than @old_after_days before the
 * day of the scan as a whole: what may be younger is not old.
 */
bool policy_is_old(const struct ages *ages, const struct ages_key *key, uint64_t old_after_days);

/* Sums up all owners of all kinds; project 0 is no project. Returns 0 or -ENOMEM. */
int policy_owners_make(const struct policy_material *material, uint64_t old_after_days,
	struct policy_owners *owners);
void policy_owners_fini(struct policy_owners *owners);

#endif
