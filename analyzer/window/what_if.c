// SPDX-License-Identifier: GPL-2.0-or-later
/* See what_if.h. */
#include "analyzer/window/what_if.h"

#include "analyzer/census/size_class.h"
#include "analyzer/window/prediction_request.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A file in a tar archive: a header, and padding up to a multiple of as much, half on average. */
#define TAR_FILE_BYTES (512 + 256)

static bool is_of(const struct what_if *what_if, const struct cube_key *key)
{
	switch (what_if->owner) {
	case WHAT_IF_GROUP:
		return key->gid == what_if->id;
	case WHAT_IF_PROJECT:
		return key->projid == what_if->id;
	default:
		return key->uid == what_if->id;
	}
}

static void empty(struct plan_cell *cell)
{
	cell->present = 0;
	cell->dumped = (struct plan_sums){0};
}

static int add_pack(struct dump_plan *plan, uint32_t uid, double bytes)
{
	struct plan_pack *packs =
		reallocarray(plan->packs, plan->pack_count + 1, sizeof(*plan->packs));

	if (!packs)
		return -ENOMEM;
	plan->packs = packs;
	packs[plan->pack_count++] = (struct plan_pack){.uid = uid, .size_bytes = bytes};
	return 0;
}

/* The archive is as new as the newest in it, so a level above 0 takes all of it if it takes any. */
static int pack(
	const struct what_if *what_if, const struct dump_options *dump, struct dump_plan *plan)
{
	unsigned classes = size_class_below(what_if->below_bytes);
	double dumped = 0, bytes = 0;

	for (size_t i = 0; i < plan->count; i++) {
		struct plan_cell *cell = &plan->cells[i];

		if (!is_of(what_if, &cell->key) || cell->key.kind != KIND_REGULAR ||
			cell->key.size_class >= classes)
			continue;
		dumped += cell->dumped.inodes;
		bytes += cell->size_bytes + TAR_FILE_BYTES * cell->present;
		empty(cell);
	}
	if (dump->max_file_bytes && bytes > (double)dump->max_file_bytes) {
		plan->left_out_pack_bytes = fmax(plan->left_out_pack_bytes, bytes);
		return 0;
	}
	return dumped > 0 ? add_pack(plan, what_if->id, bytes) : 0;
}

static void leave_out(const struct what_if *what_if, struct dump_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (is_of(what_if, &plan->cells[i].key))
			empty(&plan->cells[i]);
}

int what_if_apply(
	const struct what_if *what_if, const struct dump_options *dump, struct dump_plan *plan)
{
	if (what_if->kind == WHAT_IF_PACK)
		return pack(what_if, dump, plan);
	if (what_if->kind == WHAT_IF_WITHOUT)
		leave_out(what_if, plan);
	return 0;
}
