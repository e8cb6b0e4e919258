// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See owner_sums.h. A hash map from id to sums: the cube is ordered by user, but a group or a
 * project is spread all over it.
 */
#include "reports/owner_sums.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/hashmap.h"
#include "reports/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_tiny_files(const void *left, const void *right)
{
	const struct owner_sums *a = left, *b = right;

	if (a->tiny_files != b->tiny_files)
		return a->tiny_files < b->tiny_files ? 1 : -1;
	if (a->files != b->files)
		return a->files < b->files ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

static void add_cell(struct owner_sums *owner, const struct cube_key *key,
	const struct cube_sums *sums, unsigned tiny_classes)
{
	owner->allocated_bytes = sat_add_u64(owner->allocated_bytes, sums->allocated_bytes);
	owner->stream_bytes = sat_add_u64(owner->stream_bytes, sums->stream_bytes);
	if (key->kind != KIND_REGULAR)
		return;
	owner->files = sat_add_u64(owner->files, sums->inodes);
	owner->bytes = sat_add_u64(owner->bytes, sums->size_bytes);
	if (key->size_class < tiny_classes) {
		owner->tiny_files = sat_add_u64(owner->tiny_files, sums->inodes);
		owner->tiny_bytes = sat_add_u64(owner->tiny_bytes, sums->size_bytes);
	}
}

/* Adds the cells that the options let through to @by_id, a map from id to owner_sums. */
static int collect(const struct report_input *input, enum owner_kind kind, struct hashmap *by_id)
{
	unsigned tiny_classes = size_class_below(input->scan->tiny_bytes);

	for (size_t i = 0; i < cube_count(input->cube); i++) {
		struct owner_sums *owner;
		struct cube_key key;
		const struct cube_sums *sums = cube_at(input->cube, i, &key);
		uint32_t id = owner_of(&key, kind);

		if (!report_wants(input->options, key.uid))
			continue;
		owner = hashmap_upsert(by_id, (struct hashmap_key){.low = id});
		if (!owner)
			return -ENOMEM;
		owner->id = id;
		add_cell(owner, &key, sums, tiny_classes);
	}
	return 0;
}

/* Makes the list of a filled map. */
static int to_list(const struct hashmap *by_id, struct owner_list *list)
{
	if (!by_id->count)
		return 0;
	list->owners = reallocarray(NULL, by_id->count, sizeof(*list->owners));
	if (!list->owners)
		return -ENOMEM;
	for (size_t i = 0; i < by_id->count; i++)
		memcpy(&list->owners[list->count++], hashmap_value_at(by_id, i),
			sizeof(*list->owners));
	qsort(list->owners, list->count, sizeof(*list->owners), by_tiny_files);
	return 0;
}

int owner_list_make(const struct report_input *input, enum owner_kind kind, struct owner_list *list)
{
	struct hashmap by_id;
	int rc;

	*list = (struct owner_list){0};
	hashmap_init(&by_id, sizeof(struct owner_sums));
	rc = collect(input, kind, &by_id);
	if (!rc)
		rc = to_list(&by_id, list);
	hashmap_fini(&by_id);
	return rc;
}

void owner_list_fini(struct owner_list *list)
{
	free(list->owners);
	*list = (struct owner_list){0};
}

void owner_row_fill(struct value *row, const struct owner_sums *owner, uint64_t all_tiny_files)
{
	value_set_number(&row[SUMS_ID], owner->id);
	value_set_number(&row[SUMS_FILES], owner->files);
	value_set_number(&row[SUMS_TINY_FILES], owner->tiny_files);
	if (all_tiny_files)
		value_set_real(
			&row[SUMS_TINY_SHARE], (double)owner->tiny_files / (double)all_tiny_files);
	value_set_number(&row[SUMS_BYTES], owner->bytes);
	value_set_number(&row[SUMS_ALLOCATED_BYTES], owner->allocated_bytes);
	value_set_number(&row[SUMS_TINY_BYTES], owner->tiny_bytes);
}
