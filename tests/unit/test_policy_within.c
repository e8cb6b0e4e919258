// SPDX-License-Identifier: GPL-2.0-or-later
/* What keeping a policy would leave, the window of that, and the limit that reaches a window. */
#include "tests/unit/test.h"

#include "analyzer/census/size_class.h"
#include "analyzer/policy/suggest.h"
#include "analyzer/policy/within.h"
#include "analyzer/window/prediction.h"
#include "base/cleanup.h"

#include <errno.h>
#include <string.h>

#define TODAY   20787
#define USERS   12
#define ARCHIVE (1 << 20)

struct world {
	struct cube cube;
	struct ages ages;
	struct calibration calibration;
	struct policy_material material;
	struct policy_window_basis basis;
};

static void add(struct world *world, uint32_t uid, uint32_t gid, enum inode_kind kind,
	unsigned size_class, uint64_t inodes, uint64_t each)
{
	const struct cube_key key = {uid, gid, 0, (uint8_t)kind, (uint8_t)size_class};
	const struct cube_sums sums = {
		inodes, inodes * each, inodes * 4096, inodes, inodes * (each + 320)};

	assert_int_equal(cube_add(&world->cube, &key, &sums), 0);
}

/* 5 ms a tiny file, 50 ms a MiB. */
static void make_calibration(struct calibration *calibration)
{
	*calibration = (struct calibration){.runs = 10,
		.runs_in_all = 100,
		.passes = {
			[PASS_INODE_MAP] = {PASS_INODE_MAP, 1000000, 0, 0, 1},
			[PASS_DIRECTORIES] = {PASS_DIRECTORIES, 100, 400, 0, 0.1},
			[PASS_INODES] = {PASS_INODES, 1000000, 0, 0, 1},
		}};
	for (unsigned run = 0; run < 10; run++) {
		static const struct {
			unsigned size_class;
			uint64_t files, stream_bytes;
			double seconds;
		} cells[] = {{8, 20, 20 * 520, 0.1}, {10, 20, 20 * 920, 0.1},
			{14, 20, 20 * 16704, 0.2}, {21, 2, 2 << 20, 0.1}};

		for (size_t i = 0; i < ARRAY_LENGTH(cells); i++) {
			struct calibration_cell *cell =
				calibration_add_cell(calibration, run, cells[i].size_class);

			assert_non_null(cell);
			cell->files = cells[i].files;
			cell->stream_bytes = cells[i].stream_bytes;
			cell->file_seconds = cells[i].seconds / 2;
			cell->data_seconds = cells[i].seconds / 2;
		}
	}
}

/*
 * User 1000: 600 files of 200 bytes and 400 of 600, in two groups, 100 of 16 KB, 10 directories.
 * Others as many times 100 tiny files as their number above 2000. Root: 5 000 tiny files.
 */
static void world_init(struct world *world)
{
	const struct ages_key old = {.uid = 1000, .kind = KIND_REGULAR, .size_class = 14};
	const struct ages_sums sums = {40, 40 * 16384, 40 * 16384, 40 * 16704};

	cube_init(&world->cube);
	ages_init(&world->ages, TODAY);
	assert_int_equal(ages_add(&world->ages, &old, TODAY - 730, &sums), 0);
	add(world, 1000, 3000, KIND_REGULAR, 8, 600, 200);
	add(world, 1000, 3000, KIND_REGULAR, 10, 100, 600);
	add(world, 1000, 3001, KIND_REGULAR, 10, 300, 600);
	add(world, 1000, 3000, KIND_REGULAR, 14, 100, 16384);
	add(world, 1000, 3000, KIND_DIRECTORY, 8, 10, 200);
	for (uint32_t i = 1; i <= USERS; i++)
		add(world, 2000 + i, 4000, KIND_REGULAR, 10, 100 * i, 600);
	add(world, 0, 0, KIND_REGULAR, 10, 5000, 600);
	make_calibration(&world->calibration);
	world->material = (struct policy_material){
		.cube = &world->cube,
		.ages = &world->ages,
		.tiny_bytes = 4096,
		.block_bytes = 4096,
	};
	world->basis = (struct policy_window_basis){&world->calibration, 1};
}

static void world_fini(struct world *world)
{
	cube_fini(&world->cube);
	ages_fini(&world->ages);
	calibration_fini(&world->calibration);
}

static uint64_t files_in(const struct cube *cube, uint32_t uid, unsigned first, unsigned end)
{
	uint64_t files = 0;

	for (size_t i = 0; i < cube_count(cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);

		if (key.uid == uid && key.kind == KIND_REGULAR && key.size_class >= first &&
			key.size_class < end)
			files += sums->inodes;
	}
	return files;
}

static void keep(
	const struct world *world, const char *text, uint64_t archive_bytes, struct cube *after)
{
	struct policy_evaluation evaluation;
	struct policy policy;
	struct err err = {0};

	if (policy_parse(&policy, text, strlen(text), "p", &err))
		fail_msg("%s", err.message);
	assert_int_equal(policy_evaluate(&policy, &world->material, &evaluation), 0);
	cube_init(after);
	assert_int_equal(policy_within(&world->material, &evaluation, archive_bytes, after), 0);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
}

static void tiny_files_are_packed_in_proportion(void **state)
{
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	keep(&world, "[users]\ntiny_files.soft = 100\ntiny_files.hard = 900", ARCHIVE, &after);
	assert_int_equal(files_in(&after, 1000, 8, 9), 60);
	assert_int_equal(files_in(&after, 1000, 10, 11), 40);
	assert_int_equal(files_in(&after, 1000, 14, 15), 100);
	/* an archive for each group, of sizes and headers: 675 · 968 and 270 · 1 368 bytes */
	assert_int_equal(files_in(&after, 1000, 15, SIZE_CLASSES), 2);
	assert_int_equal(files_in(&after, 2001, 10, 11), 100);
	assert_int_equal(files_in(&after, 2012, 10, 11), 100);
	assert_int_equal(files_in(&after, 0, 10, 11), 5000);
	cube_fini(&after);
	keep(&world, "[users]\ntiny_files.soft = 100", 0, &after);
	assert_int_equal(files_in(&after, 1000, 0, SIZE_CLASSES), 200);
	cube_fini(&after);
	world_fini(&world);
}

static void the_smallest_go_first(void **state)
{
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	keep(&world, "[users]\nfiles.hard = 60", 0, &after);
	assert_int_equal(files_in(&after, 1000, 0, 12), 0);
	assert_int_equal(files_in(&after, 1000, 14, 15), 60);
	cube_fini(&after);
	/* 1 110 inodes, of which 10 directories: down to 1 000 by files */
	keep(&world, "[users]\ninodes.hard = 1000", 0, &after);
	assert_int_equal(files_in(&after, 1000, 0, 12), 890);
	assert_int_equal(files_in(&after, 1000, 14, 15), 100);
	cube_fini(&after);
	/* 1 000 of 1 100 are tiny: (1000 - x) / (1100 - x) ≤ ½ */
	keep(&world, "[users]\ntiny_percent.hard = 50", 0, &after);
	assert_int_equal(files_in(&after, 1000, 0, 12), 100);
	cube_fini(&after);
	keep(&world, "[users]\nfiles_per_tb.hard = 300", 0, &after);
	assert_int_equal(files_in(&after, 1000, 0, SIZE_CLASSES), 300);
	cube_fini(&after);
	world_fini(&world);
}

static void bytes_go_from_all_sizes_and_the_old_by_age(void **state)
{
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	/* 1 998 400 bytes: half of it */
	keep(&world, "[user 1000]\nbytes.hard = 999200", ARCHIVE, &after);
	assert_int_equal(files_in(&after, 1000, 8, 9), 300);
	assert_int_equal(files_in(&after, 1000, 14, 15), 50);
	cube_fini(&after);
	keep(&world, "[users]\nold_files.hard = 10", ARCHIVE, &after);
	assert_int_equal(files_in(&after, 1000, 8, 9), 600);
	assert_int_equal(files_in(&after, 1000, 14, 15), 70);
	cube_fini(&after);
	world_fini(&world);
}

static void what_serves_one_owner_serves_the_others(void **state)
{
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	/* the user has to pack half, so has the group: not half of the half */
	keep(&world, "[user 1000]\ntiny_files.hard = 500\n[group 3000]\ntiny_files.hard = 350", 0,
		&after);
	assert_int_equal(files_in(&after, 1000, 0, 12), 500);
	cube_fini(&after);
	world_fini(&world);
}

static uint64_t bytes_of(const struct cube *cube, uint32_t uid)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < cube_count(cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);

		bytes += key.uid == uid ? sums->size_bytes : 0;
	}
	return bytes;
}

/* 40 files of 1 GiB that have 4 KiB each become 40 · (4096 + 768) bytes, not 40 GiB. */
static void holes_are_not_packed(void **state)
{
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	add(&world, 7000, 4000, KIND_REGULAR, 31, 40, 1 << 30);
	keep(&world, "[user 7000]\nfiles.hard = 0", ARCHIVE, &after);
	assert_int_equal(bytes_of(&after, 7000), 40 * (4096 + 768));
	cube_fini(&after);
	world_fini(&world);
}

static void without_anybody_over_nothing_changes(void **state)
{
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	keep(&world, "[users]\nfiles.hard = 1M", ARCHIVE, &after);
	cube_sort(&world.cube);
	assert_int_equal(cube_count(&after), cube_count(&world.cube));
	for (size_t i = 0; i < cube_count(&after); i++) {
		struct cube_key key, same;

		assert_memory_equal(cube_at(&after, i, &key), cube_at(&world.cube, i, &same),
			sizeof(struct cube_sums));
		assert_int_equal(key.uid, same.uid);
	}
	cube_fini(&after);
	world_fini(&world);
}

static void saturated_sums_are_cut_without_wrapping(void **state)
{
	const struct cube_key key = {.uid = 9000, .kind = KIND_REGULAR, .size_class = 10};
	const struct cube_sums sums = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	assert_int_equal(cube_add(&world.cube, &key, &sums), 0);
	keep(&world, "[user 9000]\nfiles.hard = 5", ARCHIVE, &after);
	assert_true(files_in(&after, 9000, 0, 12) <= 1 << 12);
	cube_fini(&after);
	world_fini(&world);
}

static double window(const struct world *world, uint64_t limit)
{
	struct policy_evaluation evaluation;
	struct policy policy;
	double seconds = -1;

	assert_int_equal(policy_init(&policy, "p"), 0);
	policy.limits[OWNER_USER].soft[RULE_TINY_FILES] = limit;
	assert_int_equal(policy_evaluate(&policy, &world->material, &evaluation), 0);
	assert_int_equal(
		policy_window_after(&world->material, &evaluation, &world->basis, &seconds, NULL),
		0);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	return seconds;
}

static void the_window_is_that_of_what_is_left(void **state)
{
	struct world world;
	double seconds;

	(void)state;
	world_init(&world);
	assert_int_equal(policy_archive_bytes(&world.calibration), ARCHIVE);
	assert_int_equal(prediction_seconds(&world.cube, &world.calibration, &seconds, NULL), 0);
	assert_float_equal(window(&world, 1000000), seconds, 1e-6F);
	world.basis.factor = 1.5;
	assert_float_equal(window(&world, 1000000), 1.5 * seconds, 1e-6F);
	world.basis.factor = 1;
	/* 900 files at 5 ms less, but for an archive of 0.9 MiB at 50 ms a MiB, give or take */
	assert_float_equal(window(&world, 1100), window(&world, 1200) - 100 * 0.005 + 0.01, 0.05F);
	for (uint64_t limit = 100; limit <= 1200; limit += 100)
		assert_true(window(&world, limit - 100) < window(&world, limit));
	world_fini(&world);
}

static void suggest(const struct world *world, double target, struct policy_suggestion *suggestion)
{
	struct policy policy;
	struct err err = {0};

	assert_int_equal(policy_init(&policy, "p"), 0);
	if (policy_suggest(&policy, &world->material, &world->basis, RULE_TINY_FILES, target,
		    suggestion, &err))
		fail_msg("%s", err.message);
	policy_fini(&policy);
}

/* The largest limit that reaches the target, by trying all. */
static uint64_t largest_limit(const struct world *world, double target)
{
	uint64_t limit = 1200;

	while (limit && window(world, limit) > target)
		limit--;
	return limit;
}

static size_t users_over(uint64_t limit)
{
	size_t users = limit < 1000; /* user 1000 */

	for (uint64_t i = 1; i <= USERS; i++)
		users += 100 * i > limit;
	return users;
}

static void the_suggestion_hits_the_fewest(void **state)
{
	struct policy_suggestion suggestion;
	struct world world;

	(void)state;
	world_init(&world);
	for (double share = 0.5; share < 1; share += 0.1) {
		double target = window(&world, 1200) * share;
		uint64_t best = largest_limit(&world, target);

		suggest(&world, target, &suggestion);
		assert_true(suggestion.reachable);
		assert_true(suggestion.best.seconds <= target);
		assert_true(suggestion.best.limit <= best);
		assert_true(suggestion.best.limit >= best - best / 10 - 1);
		assert_int_equal(suggestion.best.users, users_over(best));
		assert_int_equal(suggestion.best.users, users_over(suggestion.best.limit));
		assert_float_equal(
			suggestion.best.seconds, window(&world, suggestion.best.limit), 1e-6F);
	}
	world_fini(&world);
}

/* Users 20 files apart: a limit that is nearly the largest must not hit one more of them. */
static void the_fewest_are_exact_however_near_they_are(void **state)
{
	enum { CROWD = 40, APART = 20, LEAST = 1000000 };
	struct policy_suggestion suggestion;
	struct world world;

	(void)state;
	world_init(&world);
	for (uint32_t i = 0; i < CROWD; i++)
		add(&world, 5000 + i, 4000, KIND_REGULAR, 10, LEAST + APART * i, 600);
	for (unsigned part = 1; part < CROWD; part++) {
		double before = window(&world, 2 * LEAST), after = window(&world, LEAST - APART);
		/* within what the crowd has above the one with fewest */
		double target = before - (before - after) * part / CROWD;
		size_t fewest = 0;

		while (window(&world, LEAST + APART * (CROWD - 1 - fewest)) > target)
			fewest++;
		suggest(&world, target, &suggestion);
		assert_true(suggestion.reachable);
		assert_true(suggestion.best.seconds <= target);
		assert_int_equal(suggestion.best.users, fewest);
	}
	world_fini(&world);
}

/* Ten thousand users with many old files and a limit each take a moment, not a minute. */
static void many_users_are_no_burden(void **state)
{
	enum { MANY = 10000 };
	struct policy_suggestion suggestion;
	struct world world;
	struct cube after;

	(void)state;
	world_init(&world);
	for (uint32_t i = 0; i < MANY; i++) {
		add(&world, 10000 + i, 4000, KIND_REGULAR, 10, 100 + i, 600);
		for (unsigned age = 0; age < 20; age++) {
			const struct ages_key key = {
				.uid = 10000 + i, .kind = KIND_REGULAR, .size_class = 10};
			const struct ages_sums sums = {5, 3000, 20480, 5 * 920};

			assert_int_equal(
				ages_add(&world.ages, &key, TODAY - 1500 - 30 * age, &sums), 0);
		}
	}
	keep(&world, "[users]\nold_files.hard = 10", ARCHIVE, &after);
	assert_int_equal(files_in(&after, 10000, 0, SIZE_CLASSES), 10);
	assert_int_equal(files_in(&after, 19999, 0, SIZE_CLASSES), 10009);
	cube_fini(&after);
	suggest(&world, window(&world, 5000), &suggestion);
	assert_int_equal(suggestion.best.users, 10000 + 100 - 5000 - 1);
	world_fini(&world);
}

static void the_curve_falls(void **state)
{
	struct policy_suggestion suggestion;
	struct world world;

	(void)state;
	world_init(&world);
	suggest(&world, window(&world, 1200) * 0.7, &suggestion);
	assert_int_equal(suggestion.points[0].users, 0);
	assert_int_equal(suggestion.points[suggestion.count - 1].users, USERS + 1);
	for (size_t i = 0; i + 1 < suggestion.count; i++) {
		assert_true(suggestion.points[i].limit > suggestion.points[i + 1].limit);
		assert_true(suggestion.points[i].users <= suggestion.points[i + 1].users);
		assert_true(suggestion.points[i].seconds > suggestion.points[i + 1].seconds);
	}
	assert_int_equal(suggestion.points[suggestion.best_at].limit, suggestion.best.limit);
	assert_float_equal(suggestion.before_seconds, window(&world, 1200), 1e-6F);
	world_fini(&world);
}

static void what_cannot_be_reached_is_said(void **state)
{
	struct policy_suggestion suggestion;
	struct world world;

	(void)state;
	world_init(&world);
	suggest(&world, 0.001, &suggestion);
	assert_false(suggestion.reachable);
	assert_int_equal(suggestion.best.limit, 0);
	assert_int_equal(suggestion.best.users, USERS + 1);
	assert_float_equal(suggestion.best.seconds, window(&world, 0), 1e-6F);
	assert_true(suggestion.best.seconds > 25); /* root's */
	suggest(&world, 1e9, &suggestion);
	assert_true(suggestion.reachable);
	assert_int_equal(suggestion.best.users, 0);
	world_fini(&world);
}

/*
 * To pack what is large already may cost more than it saves: then the lowest limit is not the best,
 * and that it does not reach the target does not mean that none does.
 */
static void the_lowest_limit_need_not_be_the_best(void **state)
{
	const struct cube_key key = {1000, 3000, 0, KIND_REGULAR, 21};
	const struct cube_sums sums = {100, 100 << 20, 100 << 20, 100, 100 << 20};
	struct policy_suggestion suggestion;
	struct policy policy;
	struct world world;
	double before;

	(void)state;
	world_init(&world);
	for (unsigned run = 0; run < 10; run++) { /* archives are read at 1 s a MiB */
		struct calibration_cell *cell = calibration_add_cell(&world.calibration, run, 25);

		assert_non_null(cell);
		cell->files = 2;
		cell->stream_bytes = 2 << 24;
		cell->data_seconds = 32;
	}
	assert_int_equal(cube_add(&world.cube, &key, &sums), 0);
	assert_int_equal(prediction_seconds(&world.cube, &world.calibration, &before, NULL), 0);
	assert_int_equal(policy_init(&policy, "p"), 0);
	for (int part = 1; part < 20; part++) {
		double target = before * (1 - part * 0.05);

		assert_int_equal(policy_suggest(&policy, &world.material, &world.basis, RULE_FILES,
					 target, &suggestion, NULL),
			0);
		assert_true(suggestion.points[suggestion.count - 1].seconds > before);
		assert_int_equal(suggestion.reachable, suggestion.best.seconds <= target);
		assert_true(suggestion.reachable || part > 6);
		for (size_t i = 0; i < suggestion.count; i++)
			assert_true(suggestion.reachable || suggestion.points[i].seconds > target);
	}
	policy_fini(&policy);
	world_fini(&world);
}

static void nobody_to_hit_is_no_error(void **state)
{
	struct policy_suggestion suggestion;
	struct world world;

	(void)state;
	world_init(&world);
	cube_fini(&world.cube);
	cube_init(&world.cube);
	add(&world, 0, 0, KIND_REGULAR, 10, 5000, 600);
	suggest(&world, 1, &suggestion);
	assert_false(suggestion.reachable);
	assert_int_equal(suggestion.best.users, 0);
	assert_int_equal(suggestion.count, 1);
	world_fini(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiny_files_are_packed_in_proportion),
		cmocka_unit_test(the_smallest_go_first),
		cmocka_unit_test(bytes_go_from_all_sizes_and_the_old_by_age),
		cmocka_unit_test(what_serves_one_owner_serves_the_others),
		cmocka_unit_test(holes_are_not_packed),
		cmocka_unit_test(without_anybody_over_nothing_changes),
		cmocka_unit_test(saturated_sums_are_cut_without_wrapping),
		cmocka_unit_test(the_window_is_that_of_what_is_left),
		cmocka_unit_test(the_suggestion_hits_the_fewest),
		cmocka_unit_test(the_fewest_are_exact_however_near_they_are),
		cmocka_unit_test(many_users_are_no_burden),
		cmocka_unit_test(the_curve_falls),
		cmocka_unit_test(what_cannot_be_reached_is_said),
		cmocka_unit_test(the_lowest_limit_need_not_be_the_best),
		cmocka_unit_test(nobody_to_hit_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
