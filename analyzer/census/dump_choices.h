/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What options of xfsdump choose by and the owner cube does not have: -e leaves out files with the
 * nodump attribute, -A leaves out attributes, -z leaves out files by what is allocated to them.
 *
 * (uid, flags, kind, size class, allocation class) → sums, and how far off they are where an engine
 * has seen the very bytes. Only inodes with a flag and regular
 * files with more than DUMP_CHOICE_SMALL_BYTES allocated are here: of the others, no option can
 * tell one from the next. An allocation class is an eighth of the way from a power of two to the
 * next, its upper edge belongs to it, as -z leaves out what has more than its limit.
 */
#ifndef ANALYZER_CENSUS_DUMP_CHOICES_H
#define ANALYZER_CENSUS_DUMP_CHOICES_H

#include "analyzer/census/cube.h"
#include "base/hashmap.h"

#include <errno.h>
#include <stdint.h>

/* Files with no more allocated than this are not told apart by it: the smallest useful -z. */
#define DUMP_CHOICE_SMALL_POWER 12
#define DUMP_CHOICE_SMALL_BYTES (1ULL << DUMP_CHOICE_SMALL_POWER)

/* Allocation classes: 0 for what is small, else 1 + 8 for each power of two from there on. */
#define DUMP_CHOICE_ALLOCATION_CLASSES (1 + 8 * (64 - DUMP_CHOICE_SMALL_POWER))

struct dump_choice_key {
	uint32_t uid;
	uint8_t flags;             /* enum inode_flag */
	uint8_t kind;              /* enum inode_kind */
	uint8_t size_class;        /* see size_class.h */
	uint16_t allocation_class; /* 0 for what is small, and for all but regular files */
};

/*
 * What inodes take in a dump beyond what dump_stream.h tells of them, as far as an engine has seen
 * it. Below 0: less. Sums wrap, as what stops at either end would depend on the order; only on a
 * forged filesystem do they come near.
 */
struct dump_surplus {
	int64_t data_bytes; /* of all but attributes */
	int64_t attr_bytes; /* of attributes, told as an empty fork of each inode */
};

static inline void dump_surplus_add(struct dump_surplus *to, const struct dump_surplus *from)
{
	to->data_bytes = (int64_t)((uint64_t)to->data_bytes + (uint64_t)from->data_bytes);
	to->attr_bytes = (int64_t)((uint64_t)to->attr_bytes + (uint64_t)from->attr_bytes);
}

struct dump_choice_sums {
	struct cube_sums told; /* stream bytes as all engines tell them */
	struct dump_surplus surplus;
};

struct dump_choices {
	struct hashmap cells; /* dump_choice_key → dump_choice_sums */
};

void dump_choices_init(struct dump_choices *choices);
void dump_choices_fini(struct dump_choices *choices);

/* The allocation class of @allocated_bytes, and its edges: more than low, at most high. */
static inline unsigned allocation_class_of(uint64_t allocated_bytes)
{
	uint64_t below = allocated_bytes - 1; /* the upper edge belongs to its class */
	unsigned power;

	if (allocated_bytes <= DUMP_CHOICE_SMALL_BYTES)
		return 0;
	power = 63 - (unsigned)__builtin_clzll(below);
	return 1 + 8 * (power - DUMP_CHOICE_SMALL_POWER) + (unsigned)(below >> (power - 3) & 7);
}

uint64_t allocation_class_low(unsigned allocation_class);
uint64_t allocation_class_high(unsigned allocation_class);

/* The key in 128 bits, so that the packed order is the order of the fields. */
static inline struct hashmap_key dump_choices_pack(const struct dump_choice_key *key)
{
	return (struct hashmap_key){
		.high = key->uid,
		.low = (uint64_t)key->flags << 32 | (uint64_t)key->kind << 24 |
		       (uint64_t)key->size_class << 16 | key->allocation_class,
	};
}

static inline int dump_choices_add_packed(struct dump_choices *choices, struct hashmap_key packed,
	const struct dump_choice_sums *sums)
{
	struct dump_choice_sums *cell = hashmap_upsert(&choices->cells, packed);

	if (!cell)
		return -ENOMEM;
	cube_sums_add(&cell->told, &sums->told);
	dump_surplus_add(&cell->surplus, &sums->surplus);
	return 0;
}

/* Adds @sums to the cell of @key. Returns 0 or -ENOMEM. Inline: called for each inode. */
static inline int dump_choices_add(struct dump_choices *choices, const struct dump_choice_key *key,
	const struct dump_choice_sums *sums)
{
	return dump_choices_add_packed(choices, dump_choices_pack(key), sums);
}

/* Adds all cells of @from. Returns 0 or -ENOMEM. */
int dump_choices_merge(struct dump_choices *choices, const struct dump_choices *from);

/* Orders the cells by uid, flags, kind, size class, allocation class. */
void dump_choices_sort(struct dump_choices *choices);

size_t dump_choices_count(const struct dump_choices *choices);
const struct dump_choice_sums *dump_choices_at(
	const struct dump_choices *choices, size_t index, struct dump_choice_key *key);

#endif
