// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See suggest.h. Owners are summed up once; each limit tried is one evaluation and one prediction.
 * First limits are halved until one reaches the target: nearly always a lower limit means a lower
 * window, but to pack what is large already may cost more than it saves, so that the lowest limit
 * need not be the one that comes nearest. Between the last two limits the fewest users are found
 * who have to be hit, by bisection over what users have: that is exact, however near to each other
 * they are. Then, by bisection between two users, the largest limit that hits just these, which is
 * rounded down, as people do, where that hits no others.
 */
#include "analyzer/policy/suggest.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bisection stops at this part of the limit. */
#define PRECISION 1000

struct search {
	const struct policy_material *material;
	const struct policy_window_basis *basis;
	enum policy_rule rule;
	struct policy trial;        /* nobody exempt, one limit; owns nothing */
	struct policy_owners users; /* those that are not exempt; owned */
	uint64_t *values;           /* owned: what they have, most first, and a 0 */
};

static int most_first(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

static bool is_hittable(const struct policy *policy, const struct policy_material *material,
	bool by_name, const struct policy_owner *owner)
{
	autofree char *name = NULL;

	if (owner->kind != OWNER_USER)
		return false;
	if (by_name)
		name = policy_owner_name(material, owner);
	return !policy_exempts(policy, owner->kind, owner->id, name);
}

/* Keeps the users that @policy does not exempt, and what they have. */
static int find_users(struct search *search, const struct policy *policy)
{
	bool by_name = policy_wants_names(policy, OWNER_USER);
	struct policy_owners *users = &search->users;
	size_t kept = 0;
	int rc = policy_owners_make(search->material, policy->old_after_days, users);

	if (rc)
		return rc;
	search->values = calloc(users->count + 1, sizeof(*search->values));
	if (!search->values)
		return -ENOMEM;
	for (size_t i = 0; i < users->count; i++) {
		if (!is_hittable(policy, search->material, by_name, &users->owners[i]))
			continue;
		search->values[kept] = policy_amount(&users->owners[i], search->rule);
		users->owners[kept++] = users->owners[i];
	}
	users->count = kept;
	qsort(search->values, kept, sizeof(*search->values), most_first);
	return 0;
}

static void measure(const struct search *search, uint64_t limit, struct policy_point *point)
{
	*point = (struct policy_point){.limit = limit};
	while (point->users < search->users.count && search->values[point->users] > limit) {
		point->excess = sat_add_u64(point->excess, search->values[point->users] - limit);
		point->users++;
	}
}

/* What a limit would bring. */
static int try_limit(
	struct search *search, uint64_t limit, struct policy_point *point, struct err *err)
{
	struct policy_evaluation evaluation;
	int rc;

	measure(search, limit, point);
	search->trial.limits[OWNER_USER].soft[search->rule] = limit;
	rc = policy_evaluate_owners(&search->trial, search->material, &search->users, &evaluation);
	if (rc)
		return err_set(err, rc, "out of memory");
	rc = policy_window_after(
		search->material, &evaluation, search->basis, &point->seconds, err);
	policy_evaluation_fini(&evaluation);
	return rc;
}

/* @limit with its first @digits digits, the others 0. */
static uint64_t round_down(uint64_t limit, int digits)
{
	uint64_t unit = 1;

	for (uint64_t rest = limit; rest >= 10; rest /= 10)
		unit *= 10;
	while (--digits && unit >= 10)
		unit /= 10;
	return limit / unit * unit;
}

/* The roundest limit below @best that hits nobody else. */
static int round_best(struct search *search, struct policy_point *best, struct err *err)
{
	for (int digits = 1; digits <= 4; digits++) {
		uint64_t limit = round_down(best->limit, digits);
		struct policy_point rounded;

		measure(search, limit, &rounded);
		if (rounded.users != best->users || limit < best->limit - best->limit / 10)
			continue;
		return limit == best->limit ? 0 : try_limit(search, limit, best, err);
	}
	return 0;
}

/*
 * Halves the limit until @best reaches the target, else comes nearest to it; @users_before is how
 * many the last limit hit that does not.
 */
static int halve(struct search *search, double target_seconds, struct policy_suggestion *suggestion,
	size_t *users_before, struct err *err)
{
	uint64_t limit = search->values[0];
	int rc = 0;

	while (!rc && limit && !suggestion->reachable) {
		struct policy_point point;

		limit /= 2;
		rc = try_limit(search, limit, &point, err);
		if (rc)
			break;
		suggestion->reachable = point.seconds <= target_seconds;
		if (suggestion->reachable || point.seconds < suggestion->best.seconds)
			suggestion->best = point;
		if (!suggestion->reachable)
			*users_before = point.users;
	}
	return rc;
}

/*
 * The fewest users that have to be hit, by a limit at what the next one has: @best, which reaches
 * the target, hits these then; a limit that hits @users_before does not reach it.
 */
static int find_fewest(struct search *search, double target_seconds, size_t users_before,
	struct policy_point *best, struct err *err)
{
	size_t too_few = users_before ? users_before - 1 : 0, enough = best->users;
	int rc = 0;

	while (!rc && enough - too_few > 1) {
		size_t middle = too_few + (enough - too_few) / 2;
		struct policy_point point;

		rc = try_limit(search, search->values[middle], &point, err);
		if (rc || point.seconds > target_seconds) {
			too_few = middle;
			continue;
		}
		enough = middle;
		*best = point;
	}
	return rc;
}

/* The largest limit that reaches the target and hits no fewer than @best, which does so, too. */
static int bisect(
	struct search *search, double target_seconds, struct policy_point *best, struct err *err)
{
	uint64_t low = best->limit, high = search->values[best->users - 1];
	int rc = 0;

	while (!rc && high - low > max_u64(1, low / PRECISION)) {
		struct policy_point point;
		uint64_t middle = low + (high - low) / 2;

		rc = try_limit(search, middle, &point, err);
		if (rc || point.seconds > target_seconds) {
			high = middle;
			continue;
		}
		low = middle;
		*best = point;
	}
	return rc ? rc : round_best(search, best, err);
}

/* --- The curve -------------------------------------------------------------------------------- */

/* 0, 1, 2, 3, 5, 10, 20, 50, … */
static size_t next_users(size_t users)
{
	static const size_t steps[] = {1, 2, 5, 10};
	size_t unit = 1;

	if (users < 3)
		return users + 1;
	while (unit * 10 <= users)
		unit *= 10;
	for (size_t i = 0; i < ARRAY_LENGTH(steps); i++) {
		if (steps[i] * unit > users)
			return steps[i] * unit;
	}
	return unit * 10;
}

static void insert_point(struct policy_suggestion *suggestion, const struct policy_point *point)
{
	size_t at = suggestion->count;

	for (size_t i = 0; i < suggestion->count; i++) {
		if (suggestion->points[i].limit == point->limit)
			return;
	}
	while (at && suggestion->points[at - 1].limit < point->limit) {
		suggestion->points[at] = suggestion->points[at - 1];
		at--;
	}
	suggestion->points[at] = *point;
	suggestion->count++;
}

/* How low the window can get with so many users over the limit: at what the next one has. */
static int draw_curve(struct search *search, struct policy_suggestion *suggestion, struct err *err)
{
	size_t all = search->users.count, users = 0;
	int rc = 0;

	while (!rc && suggestion->count < POLICY_CURVE_POINTS - 2) {
		struct policy_point point;

		rc = try_limit(search, users < all ? search->values[users] : 0, &point, err);
		if (!rc)
			insert_point(suggestion, &point);
		if (users >= all)
			break;
		users = min_u64(next_users(users), all);
	}
	if (!rc)
		insert_point(suggestion, &suggestion->best);
	while (suggestion->best_at + 1 < suggestion->count &&
		suggestion->points[suggestion->best_at].limit != suggestion->best.limit)
		suggestion->best_at++;
	return rc;
}

static int find_best(struct search *search, double target_seconds,
	struct policy_suggestion *suggestion, struct err *err)
{
	struct policy_point *best = &suggestion->best;
	size_t users_before = 0;
	int rc = try_limit(search, search->values[0], best, err);

	if (rc)
		return rc;
	suggestion->before_seconds = best->seconds;
	suggestion->reachable = best->seconds <= target_seconds;
	if (suggestion->reachable)
		return 0;
	rc = halve(search, target_seconds, suggestion, &users_before, err);
	if (rc || !suggestion->reachable)
		return rc;
	rc = find_fewest(search, target_seconds, users_before, best, err);
	return rc ? rc : bisect(search, target_seconds, best, err);
}

int policy_suggest(const struct policy *policy, const struct policy_material *material,
	const struct policy_window_basis *basis, enum policy_rule rule, double target_seconds,
	struct policy_suggestion *suggestion, struct err *err)
{
	struct search search = {.material = material, .basis = basis, .rule = rule};
	int rc;

	*suggestion = (struct policy_suggestion){0};
	search.trial.name = policy->name;
	memset(search.trial.limits, 0xff, sizeof(search.trial.limits)); /* POLICY_UNSET */
	rc = find_users(&search, policy);
	if (rc)
		err_set(err, rc, "out of memory");
	if (!rc)
		rc = find_best(&search, target_seconds, suggestion, err);
	if (!rc)
		rc = draw_curve(&search, suggestion, err);
	policy_owners_fini(&search.users);
	free(search.values);
	return rc;
}
