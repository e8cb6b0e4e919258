// SPDX-License-Identifier: GPL-2.0-or-later
/* See owners.h. One map for all kinds; its keys sort by kind and id. */
#include "analyzer/policy/owners.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/hashmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *policy_owner_name(const struct policy_material *material, const struct policy_owner *owner)
{
	if (!material->owner_name)
		return NULL;
	return material->owner_name(owner->kind, owner->id, material->context);
}

bool policy_is_old(const struct ages *ages, const struct ages_key *key, uint64_t old_after_days)
{
	int64_t last_young = ages->today - (int64_t)old_after_days;

	if (key->day >= last_young)
		return false;
	return ages_period_start(last_young, ages->today, ages->resolution) != key->day;
}

static struct policy_owner *owner_at(struct hashmap *map, enum owner_kind kind, uint32_t id)
{
	struct policy_owner *owner =
		hashmap_upsert(map, (struct hashmap_key){.high = kind, .low = id});

	if (owner) {
		owner->kind = kind;
		owner->id = id;
	}
	return owner;
}

static void take_cell(struct policy_owner *owner, const struct cube_key *key,
	const struct cube_sums *sums, unsigned tiny_classes)
{
	owner->inodes = sat_add_u64(owner->inodes, sums->inodes);
	owner->allocated_bytes = sat_add_u64(owner->allocated_bytes, sums->allocated_bytes);
	if (key->kind != KIND_REGULAR)
		return;
	owner->files = sat_add_u64(owner->files, sums->inodes);
	owner->bytes = sat_add_u64(owner->bytes, sums->size_bytes);
	if (key->size_class < tiny_classes)
		owner->tiny_files = sat_add_u64(owner->tiny_files, sums->inodes);
}

static int take_cube(const struct policy_material *material, struct hashmap *map)
{
	unsigned tiny_classes = size_class_below(material->tiny_bytes);

	for (size_t i = 0; i < cube_count(material->cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(material->cube, i, &key);

		for (int kind = 0; kind < OWNER_KINDS; kind++) {
			uint32_t id = owner_of(&key, kind);
			struct policy_owner *owner;

			if (kind == OWNER_PROJECT && !id)
				continue;
			owner = owner_at(map, kind, id);
			if (!owner)
				return -ENOMEM;
			take_cell(owner, &key, sums, tiny_classes);
		}
	}
	return 0;
}

static int take_ages(const struct ages *ages, uint64_t old_after_days, struct hashmap *map)
{
	for (size_t i = 0; i < ages_count(ages); i++) {
		struct ages_key key;
		const struct ages_sums *sums = ages_at(ages, i, &key);
		struct policy_owner *owner;

		if (key.kind != KIND_REGULAR || !policy_is_old(ages, &key, old_after_days))
			continue;
		owner = owner_at(map, OWNER_USER, key.uid);
		if (!owner)
			return -ENOMEM;
		owner->old_files = sat_add_u64(owner->old_files, sums->inodes);
		owner->old_bytes = sat_add_u64(owner->old_bytes, sums->size_bytes);
	}
	return 0;
}

int policy_owners_make(const struct policy_material *material, uint64_t old_after_days,
	struct policy_owners *owners)
{
	struct hashmap map;
	int rc;

	*owners = (struct policy_owners){0};
	hashmap_init(&map, sizeof(struct policy_owner));
	rc = take_cube(material, &map);
	if (!rc && material->ages)
		rc = take_ages(material->ages, old_after_days, &map);
	hashmap_sort(&map);
	if (!rc)
		owners->owners = calloc(map.count + 1, sizeof(*owners->owners));
	if (!rc && !owners->owners)
		rc = -ENOMEM;
	for (size_t i = 0; i < map.count && !rc; i++)
		memcpy(&owners->owners[owners->count++], hashmap_value_at(&map, i),
			sizeof(*owners->owners));
	hashmap_fini(&map);
	return rc;
}

void policy_owners_fini(struct policy_owners *owners)
{
	free(owners->owners);
	*owners = (struct policy_owners){0};
}
