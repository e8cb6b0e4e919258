/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who inodes belong to: the three kinds of owners that XFS knows, and their names. */
#ifndef ANALYZER_CENSUS_OWNER_H
#define ANALYZER_CENSUS_OWNER_H

#include "analyzer/census/cube.h"

#include <stdint.h>

enum owner_kind { OWNER_USER, OWNER_GROUP, OWNER_PROJECT, OWNER_KINDS };

/*
 * Finds the name of an id: text to be freed, or NULL if it has none. May be slow where names come
 * from a directory service: ask for what is needed only.
 */
typedef char *(*owner_name_fn)(enum owner_kind kind, uint32_t id, void *context);

/* The owner of that kind of the inodes in a cell. */
static inline uint32_t owner_of(const struct cube_key *key, enum owner_kind kind)
{
	switch (kind) {
	case OWNER_GROUP:
		return key->gid;
	case OWNER_PROJECT:
		return key->projid;
	default:
		return key->uid;
	}
}

#endif
