/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of inode numbers, small where they lie together.
 *
 * Two phases: numbers are added in any order and as often as they come, then the set is sealed
 * and asked. 16 bytes for each run of 64 numbers that has a member, twice that while it grows.
 */
#ifndef ANALYZER_XFS_INODE_SET_H
#define ANALYZER_XFS_INODE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INODE_SET_WORD_INODES 64

/* The members among the inodes number * 64 … number * 64 + 63, a bit each. */
struct inode_set_word {
	uint64_t number;
	uint64_t mask;
};

struct inode_set {
	struct inode_set_word *words; /* sorted and without duplicates once sealed */
	size_t count;
	size_t capacity;
	size_t limit; /* of the capacity; 0: none */
	bool sealed;
};

/* An empty, sealed set without a limit. Allocates nothing yet. */
void inode_set_init(struct inode_set *set);
void inode_set_fini(struct inode_set *set);

/*
 * Adds @ino; opens a sealed set again. Returns 0; -ENOMEM; or -EFBIG, and @ino is not added, when
 * the set is full to its limit, less a quarter.
 */
int inode_set_add(struct inode_set *set, uint64_t ino);

/* Sorts the set, so that the functions below may be called on it. */
void inode_set_seal(struct inode_set *set);

/* Number of members of a sealed set. */
uint64_t inode_set_count(const struct inode_set *set);

/* Whether @ino is in a sealed set. */
bool inode_set_contains(const struct inode_set *set, uint64_t ino);

/* The members among the 64 inodes from @first on, bit i for first + i: what a chunk has. */
uint64_t inode_set_mask(const struct inode_set *set, uint64_t first);

/*
 * Moves *@ino to the smallest member that is not below it. Returns false if there is none. To go
 * over all: `for (uint64_t ino = 0; inode_set_next(set, &ino); ino++)` (inode 2^64 - 1, which no
 * filesystem has, would end where it began).
 */
bool inode_set_next(const struct inode_set *set, uint64_t *ino);

#endif
