// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seconds by user: each cell of the plan gets what it causes (dump_model.h). With several streams
 * all but the inode map is shorter, and everybody's part of it alike, so that the users' seconds
 * still add up to all.
 */
#include "analyzer/window/prediction_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct user_sums {
	double files;
	double tiny_files;
	double seconds;
	double tiny_seconds;
};

struct sharing {
	const struct dump_forecast *forecast;
	unsigned tiny_classes;
	struct hashmap users; /* uid → struct user_sums */
};

static struct user_sums *user_at(struct sharing *sharing, uint32_t uid)
{
	return hashmap_upsert(&sharing->users, (struct hashmap_key){.low = uid});
}

static int take_cell(struct sharing *sharing, const struct plan_cell *cell)
{
	const struct dump_forecast *forecast = sharing->forecast;
	struct user_sums *user = user_at(sharing, cell->key.uid);
	double seconds = dump_model_cell_seconds(&forecast->model, &forecast->times, cell);

	if (!user)
		return -ENOMEM;
	user->seconds += seconds;
	if (cell->key.kind != KIND_REGULAR)
		return 0;
	user->files += cell->dumped.inodes;
	if (cell->key.size_class >= sharing->tiny_classes)
		return 0;
	user->tiny_files += cell->dumped.inodes;
	user->tiny_seconds += seconds;
	return 0;
}

static int take_pack(struct sharing *sharing, const struct plan_pack *pack)
{
	const struct dump_forecast *forecast = sharing->forecast;
	struct user_sums *user = user_at(sharing, pack->uid);

	if (!user)
		return -ENOMEM;
	user->seconds += dump_model_pack_seconds(&forecast->model, &forecast->times, pack);
	user->files++;
	return 0;
}

static int sum_users(struct sharing *sharing)
{
	const struct dump_plan *plan = sharing->forecast->model.plan;
	int rc = 0;

	for (size_t i = 0; i < plan->count && !rc; i++)
		rc = take_cell(sharing, &plan->cells[i]);
	for (size_t i = 0; i < plan->pack_count && !rc; i++)
		rc = take_pack(sharing, &plan->packs[i]);
	return rc;
}

static int most_seconds_first(const void *left, const void *right)
{
	const struct prediction_user *a = left, *b = right;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? 1 : -1;
	return (a->uid > b->uid) - (a->uid < b->uid);
}

static int list_users(const struct sharing *sharing, struct prediction *prediction)
{
	const struct hashmap *users = &sharing->users;
	double one = sharing->forecast->times.seconds;
	double scale = one > 0 ? sharing->forecast->seconds / one : 1;

	prediction->users = calloc(users->count + 1, sizeof(*prediction->users));
	if (!prediction->users)
		return -ENOMEM;
	for (size_t i = 0; i < users->count; i++) {
		const struct user_sums *sums = hashmap_value_at(users, i);

		prediction->users[i] = (struct prediction_user){
			.uid = (uint32_t)hashmap_key_at(users, i)->low,
			.files = (uint64_t)llround(sums->files),
			.tiny_files = (uint64_t)llround(sums->tiny_files),
			.seconds = scale * sums->seconds,
			.tiny_seconds = scale * sums->tiny_seconds,
		};
	}
	prediction->user_count = users->count;
	qsort(prediction->users, prediction->user_count, sizeof(*prediction->users),
		most_seconds_first);
	return 0;
}

int prediction_share_out(
	const struct dump_forecast *forecast, uint64_t tiny_bytes, struct prediction *prediction)
{
	struct sharing sharing = {
		.forecast = forecast,
		.tiny_classes = size_class_below(tiny_bytes),
	};
	int rc;

	hashmap_init(&sharing.users, sizeof(struct user_sums));
	rc = sum_users(&sharing);
	if (!rc)
		rc = list_users(&sharing, prediction);
	hashmap_fini(&sharing.users);
	return rc;
}
