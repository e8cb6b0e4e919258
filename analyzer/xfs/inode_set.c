// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See inode_set.h. Additions go to the end of one array; neighbours, which come together, meet in
 * its last word. When the array is full it is sorted and duplicates are merged, and only if that
 * did not free a quarter of it does it grow, by half: logs repeat the same inodes many times over.
 */
#include "analyzer/xfs/inode_set.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define FIRST_CAPACITY 256

void inode_set_init(struct inode_set *set)
{
	*set = (struct inode_set){.sealed = true};
}

void inode_set_fini(struct inode_set *set)
{
	free(set->words);
	inode_set_init(set);
}

static int compare_words(const void *a, const void *b)
{
	const struct inode_set_word *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

void inode_set_seal(struct inode_set *set)
{
	size_t kept = 0;

	if (set->sealed)
		return;
	qsort(set->words, set->count, sizeof(*set->words), compare_words);
	for (size_t i = 0; i < set->count; i++) {
		if (kept && set->words[kept - 1].number == set->words[i].number)
			set->words[kept - 1].mask |= set->words[i].mask;
		else
			set->words[kept++] = set->words[i];
	}
	set->count = kept;
	set->sealed = true;
}

/* Makes room for one more word. */
static int reserve(struct inode_set *set)
{
	struct inode_set_word *words;
	size_t capacity;

	if (set->count < set->capacity)
		return 0;
	inode_set_seal(set);
	if (set->count < set->capacity / 4 * 3)
		return 0;
	capacity = set->capacity ? set->capacity / 2 * 3 : FIRST_CAPACITY;
	if (set->limit && capacity > set->limit)
		capacity = set->limit;
	if (capacity == set->capacity)
		return -EFBIG;
	words = reallocarray(set->words, capacity, sizeof(*words));
	if (!words)
		return -ENOMEM;
	set->words = words;
	set->capacity = capacity;
	return 0;
}

int inode_set_add(struct inode_set *set, uint64_t ino)
{
	uint64_t number = ino / INODE_SET_WORD_INODES;
	uint64_t mask = 1ULL << ino % INODE_SET_WORD_INODES;
	int rc;

	if (set->count && set->words[set->count - 1].number == number) {
		set->words[set->count - 1].mask |= mask;
		return 0;
	}
	rc = reserve(set);
	if (rc)
		return rc;
	set->sealed = set->sealed && (!set->count || set->words[set->count - 1].number < number);
	set->words[set->count++] = (struct inode_set_word){number, mask};
	return 0;
}

uint64_t inode_set_count(const struct inode_set *set)
{
	uint64_t count = 0;

	assert(set->sealed);
	for (size_t i = 0; i < set->count; i++)
		count += (unsigned)__builtin_popcountll(set->words[i].mask);
	return count;
}

/* Index of the first word with a number not below @number. */
static size_t lower_bound(const struct inode_set *set, uint64_t number)
{
	size_t low = 0, high = set->count;

	assert(set->sealed);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->words[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t mask_of(const struct inode_set *set, size_t index, uint64_t number)
{
	return index < set->count && set->words[index].number == number ? set->words[index].mask
									: 0;
}

uint64_t inode_set_mask(const struct inode_set *set, uint64_t first)
{
	uint64_t number = first / INODE_SET_WORD_INODES;
	unsigned shift = first % INODE_SET_WORD_INODES;
	size_t index = lower_bound(set, number);
	uint64_t mask = mask_of(set, index, number) >> shift;

	if (!shift)
		return mask;
	if (index < set->count && set->words[index].number == number)
		index++;
	return mask | mask_of(set, index, number + 1) << (INODE_SET_WORD_INODES - shift);
}

bool inode_set_contains(const struct inode_set *set, uint64_t ino)
{
	return inode_set_mask(set, ino) & 1;
}

bool inode_set_next(const struct inode_set *set, uint64_t *ino)
{
	uint64_t number = *ino / INODE_SET_WORD_INODES;
	size_t index = lower_bound(set, number);
	uint64_t rest = mask_of(set, index, number) >> *ino % INODE_SET_WORD_INODES;

	if (rest) {
		*ino += (unsigned)__builtin_ctzll(rest);
		return true;
	}
	if (index < set->count && set->words[index].number == number)
		index++;
	if (index == set->count)
		return false;
	*ino = set->words[index].number * INODE_SET_WORD_INODES +
	       (unsigned)__builtin_ctzll(set->words[index].mask);
	return true;
}
