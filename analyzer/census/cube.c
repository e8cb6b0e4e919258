// SPDX-License-Identifier: GPL-2.0-or-later
/* See cube.h. A key packs into 128 bits so that the packed order is the order of the fields. */
#include "analyzer/census/cube.h"

#include "base/checked.h"

#include <errno.h>

static inline struct hashmap_key pack(const struct cube_key *key)
{
	return (struct hashmap_key){
		.high = (uint64_t)key->uid << 32 | key->gid,
		.low = (uint64_t)key->projid << 32 | (uint64_t)key->kind << 8 | key->size_class,
	};
}

static void unpack(const struct hashmap_key *packed, struct cube_key *key)
{
	key->uid = (uint32_t)(packed->high >> 32);
	key->gid = (uint32_t)packed->high;
	key->projid = (uint32_t)(packed->low >> 32);
	key->kind = (uint8_t)(packed->low >> 8);
	key->size_class = (uint8_t)packed->low;
}

void cube_init(struct cube *cube)
{
	hashmap_init(&cube->cells, sizeof(struct cube_sums));
}

void cube_fini(struct cube *cube)
{
	hashmap_fini(&cube->cells);
}

void cube_sums_add(struct cube_sums *a, const struct cube_sums *b)
{
	a->inodes = sat_add_u64(a->inodes, b->inodes);
	a->size_bytes = sat_add_u64(a->size_bytes, b->size_bytes);
	a->allocated_bytes = sat_add_u64(a->allocated_bytes, b->allocated_bytes);
	a->extents = sat_add_u64(a->extents, b->extents);
	a->stream_bytes = sat_add_u64(a->stream_bytes, b->stream_bytes);
}

static int add_packed(struct cube *cube, struct hashmap_key packed, const struct cube_sums *sums)
{
	struct cube_sums *cell = hashmap_upsert(&cube->cells, packed);

	if (!cell)
		return -ENOMEM;
	cube_sums_add(cell, sums);
	return 0;
}

int cube_add(struct cube *cube, const struct cube_key *key, const struct cube_sums *sums)
{
	return add_packed(cube, pack(key), sums);
}

int cube_merge(struct cube *cube, const struct cube *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->cells.count && !rc; i++)
		rc = add_packed(
			cube, *hashmap_key_at(&from->cells, i), hashmap_value_at(&from->cells, i));
	return rc;
}

void cube_sort(struct cube *cube)
{
	hashmap_sort(&cube->cells);
}

size_t cube_count(const struct cube *cube)
{
	return cube->cells.count;
}

const struct cube_sums *cube_at(const struct cube *cube, size_t index, struct cube_key *key)
{
	unpack(hashmap_key_at(&cube->cells, index), key);
	return hashmap_value_at(&cube->cells, index);
}
