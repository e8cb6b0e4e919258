// SPDX-License-Identifier: GPL-2.0-or-later
/* See dump_choices.h. */
#include "analyzer/census/dump_choices.h"

static void unpack(const struct hashmap_key *packed, struct dump_choice_key *key)
{
	key->uid = (uint32_t)packed->high;
	key->flags = (uint8_t)(packed->low >> 32);
	key->kind = (uint8_t)(packed->low >> 24);
	key->size_class = (uint8_t)(packed->low >> 16);
	key->allocation_class = (uint16_t)packed->low;
}

uint64_t allocation_class_low(unsigned allocation_class)
{
	unsigned eighths = allocation_class - 1;

	return allocation_class
		       ? (8ULL + eighths % 8) << (DUMP_CHOICE_SMALL_POWER - 3 + eighths / 8)
		       : 0;
}

uint64_t allocation_class_high(unsigned allocation_class)
{
	if (allocation_class + 1 >= DUMP_CHOICE_ALLOCATION_CLASSES)
		return UINT64_MAX;
	return allocation_class_low(allocation_class + 1);
}

void dump_choices_init(struct dump_choices *choices)
{
	hashmap_init(&choices->cells, sizeof(struct dump_choice_sums));
}

void dump_choices_fini(struct dump_choices *choices)
{
	hashmap_fini(&choices->cells);
}

int dump_choices_merge(struct dump_choices *choices, const struct dump_choices *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->cells.count && !rc; i++)
		rc = dump_choices_add_packed(choices, *hashmap_key_at(&from->cells, i),
			hashmap_value_at(&from->cells, i));
	return rc;
}

void dump_choices_sort(struct dump_choices *choices)
{
	hashmap_sort(&choices->cells);
}

size_t dump_choices_count(const struct dump_choices *choices)
{
	return choices->cells.count;
}

const struct dump_choice_sums *dump_choices_at(
	const struct dump_choices *choices, size_t index, struct dump_choice_key *key)
{
	unpack(hashmap_key_at(&choices->cells, index), key);
	return hashmap_value_at(&choices->cells, index);
}
