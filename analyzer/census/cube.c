// SPDX-License-Identifier: GPL-2.0-or-later
/* See cube.h. */
#include "analyzer/census/cube.h"

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

int cube_merge(struct cube *cube, const struct cube *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->cells.count && !rc; i++)
		rc = cube_add_packed(
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
