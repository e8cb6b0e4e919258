// SPDX-License-Identifier: GPL-2.0-or-later
/* See growth.h. One map takes in both scans, so that who came and who went is seen as well. */
#include "analyzer/history/growth.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct growth_user *find_user(struct hashmap *users, uint32_t uid)
{
	return hashmap_upsert(users, (struct hashmap_key){.low = uid});
}

static struct growth_side *side_of(struct growth_user *user, bool is_after)
{
	return is_after ? &user->after : &user->before;
}

static void take_cell(struct growth_side *to, const struct cube_key *key,
	const struct cube_sums *sums, unsigned tiny_classes)
{
	to->allocated_bytes = sat_add_u64(to->allocated_bytes, sums->allocated_bytes);
	if (key->kind != KIND_REGULAR)
		return;
	to->files = sat_add_u64(to->files, sums->inodes);
	to->bytes = sat_add_u64(to->bytes, sums->size_bytes);
	if (key->size_class < tiny_classes)
		to->tiny_files = sat_add_u64(to->tiny_files, sums->inodes);
}

static int take_scan(
	struct hashmap *users, const struct growth_scan *scan, bool is_after, unsigned tiny_classes)
{
	const struct prediction *prediction = scan->prediction;

	for (size_t i = 0; i < cube_count(scan->cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(scan->cube, i, &key);
		struct growth_user *user = find_user(users, key.uid);

		if (!user)
			return -ENOMEM;
		take_cell(side_of(user, is_after), &key, sums, tiny_classes);
	}
	for (size_t i = 0; prediction && i < prediction->user_count; i++) {
		struct growth_user *user = find_user(users, prediction->users[i].uid);

		if (!user)
			return -ENOMEM;
		side_of(user, is_after)->seconds = prediction->users[i].seconds;
	}
	return 0;
}

static int take_users(struct hashmap *users, struct growth *growth)
{
	growth->users = calloc(users->count + 1, sizeof(*growth->users));
	if (!growth->users)
		return -ENOMEM;
	hashmap_sort(users);
	for (size_t i = 0; i < users->count; i++) {
		growth->users[i] = *(const struct growth_user *)hashmap_value_at(users, i);
		growth->users[i].uid = (uint32_t)hashmap_key_at(users, i)->low;
	}
	growth->count = users->count;
	return 0;
}

int growth_make(const struct growth_scan *before, const struct growth_scan *after,
	uint64_t tiny_bytes, struct growth *growth)
{
	unsigned tiny_classes = size_class_below(tiny_bytes);
	struct hashmap users;
	int rc;

	*growth = (struct growth){
		.before_scan_id = before->scan_id,
		.before_seconds = before->started_seconds,
		.after_scan_id = after->scan_id,
		.after_seconds = after->started_seconds,
		.has_seconds = before->prediction && after->prediction,
	};
	hashmap_init(&users, sizeof(struct growth_user));
	rc = take_scan(&users, before, false, tiny_classes);
	if (!rc)
		rc = take_scan(&users, after, true, tiny_classes);
	if (!rc)
		rc = take_users(&users, growth);
	hashmap_fini(&users);
	return rc;
}

void growth_fini(struct growth *growth)
{
	free(growth->users);
	memset(growth, 0, sizeof(*growth));
}

double growth_days(const struct growth *growth)
{
	return ((double)growth->after_seconds - (double)growth->before_seconds) / SECONDS_PER_DAY;
}

void growth_side_add(struct growth_side *sum, const struct growth_side *side)
{
	sum->files = sat_add_u64(sum->files, side->files);
	sum->tiny_files = sat_add_u64(sum->tiny_files, side->tiny_files);
	sum->bytes = sat_add_u64(sum->bytes, side->bytes);
	sum->allocated_bytes = sat_add_u64(sum->allocated_bytes, side->allocated_bytes);
	sum->seconds += side->seconds;
}

static double difference(uint64_t before, uint64_t after)
{
	return after >= before ? (double)(after - before) : -(double)(before - after);
}

double growth_change(const struct growth_user *user, enum history_measure measure)
{
	const struct growth_side *before = &user->before, *after = &user->after;

	switch (measure) {
	case HISTORY_FILES:
		return difference(before->files, after->files);
	case HISTORY_TINY_FILES:
		return difference(before->tiny_files, after->tiny_files);
	case HISTORY_BYTES:
		return difference(before->bytes, after->bytes);
	case HISTORY_WINDOW:
		return after->seconds - before->seconds;
	case HISTORY_MEASURES:
		break;
	}
	return 0;
}

const struct growth_user *growth_most(const struct growth *growth, enum history_measure measure)
{
	const struct growth_user *most = NULL;

	for (size_t i = 0; i < growth->count; i++) {
		double change = growth_change(&growth->users[i], measure);

		if (change > (most ? growth_change(most, measure) : 0))
			most = &growth->users[i];
	}
	return most;
}
