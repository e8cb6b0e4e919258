// SPDX-License-Identifier: GPL-2.0-or-later
/* The views add up to what the census says, at the end of the numbers too. */
#include "tests/unit/store_support.h"

/* A scan whose totals, added up over the owners by a view, are those of the census. */
static void assert_view_adds_up(
	const char *path, const char *view, const char *column, uint64_t total)
{
	char text[256];

	snprintf(text, sizeof(text), "SELECT sum(%s) FROM %s", column, view);
	assert_int_equal(query_i64(path, text), total);
}

static void views_add_up(void **state)
{
	static const char *const views[] = {"v_user", "v_group", "v_project", "v_age"};
	const char *path = in_folder("views.db");
	struct store *store = open_store(path, STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");
	struct census_totals totals;
	struct census census;

	(void)state;
	census_init(&census, 4096, 19700);
	for (int i = 0; i < 3000; i++) {
		const struct inode_record inode = {.size_bytes = random_u64() >> (24 + i % 40),
			.allocated_bytes = random_u64() >> 20,
			.mtime_seconds = (int64_t)(random_u64() >> 34) - (1 << 29),
			.uid = (uint32_t)i % 13,
			.gid = (uint32_t)i % 7,
			.projid = (uint32_t)i % 3,
			.mode = i % 3   ? S_IFREG
				: i % 2 ? S_IFDIR
					: S_IFIFO,
			.nlink = 1};

		assert_int_equal(census_add(&census, &inode), 0);
	}
	save_scan(store, &info, &census);
	store_close(store);
	census_total(&census.cube, info.tiny_bytes, &totals);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		assert_view_adds_up(path, views[i], "inodes", totals.inodes);
		assert_view_adds_up(path, views[i], "files", totals.regular_files);
		assert_view_adds_up(path, views[i], "tiny_files", totals.tiny_files);
		assert_view_adds_up(path, views[i], "tiny_bytes", totals.tiny_bytes);
		assert_view_adds_up(path, views[i], "bytes", totals.bytes);
		assert_view_adds_up(path, views[i], "allocated_bytes", totals.allocated_bytes);
		assert_view_adds_up(path, views[i], "stream_bytes", totals.stream_bytes);
	}
	assert_view_adds_up(path, "v_class", "files", totals.regular_files);
	assert_view_adds_up(path, "v_class", "bytes", totals.bytes);
	assert_view_adds_up(path, "v_cell", "inodes", totals.inodes);
	assert_view_adds_up(path, "v_scan", "stream_bytes", totals.stream_bytes);
	census_fini(&census);
	scan_info_fini(&info);
}

/* Where sum() would fail, views stop at the largest number; below it they are exact. */
static void sums_in_views_stop_at_the_end(void **state)
{
	const char *path = in_folder("saturate.db");
	struct store *store = open_store(path, STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");
	struct census census;

	(void)state;
	census_init(&census, 4096, 0);
	for (uint32_t i = 0; i < 5; i++) {
		/* uid 1: beyond the end; uid 2: 5 * (2^60 + 2^31); uid 3: one short of the end */
		cube_add(&census.cube, &(struct cube_key){.uid = 1, .gid = i},
			&(struct cube_sums){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
		cube_add(&census.cube, &(struct cube_key){.uid = 2, .gid = i},
			&(struct cube_sums){.size_bytes = (1ULL << 60) + (1ULL << 31)});
		cube_add(&census.cube, &(struct cube_key){.uid = 3, .gid = i},
			&(struct cube_sums){.size_bytes = i ? 1ULL << 60 : (1ULL << 62) - 2});
		ages_add(&census.ages, &(struct ages_key){.uid = 1, .size_class = (uint8_t)i}, 0,
			&(struct ages_sums){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
	}
	save_scan(store, &info, &census);
	store_close(store);
	assert_int_equal(query_i64(path, "SELECT bytes FROM v_user WHERE uid = 1"), INT64_MAX);
	assert_int_equal(query_i64(path, "SELECT files FROM v_user WHERE uid = 1"), INT64_MAX);
	assert_int_equal(query_i64(path, "SELECT bytes FROM v_user WHERE uid = 2"),
		5 * ((1LL << 60) + (1LL << 31)));
	assert_int_equal(query_i64(path, "SELECT bytes FROM v_user WHERE uid = 3"), INT64_MAX - 1);
	assert_int_equal(query_i64(path, "SELECT bytes FROM v_class"), INT64_MAX);
	assert_int_equal(query_i64(path, "SELECT bytes FROM v_project"), INT64_MAX);
	assert_int_equal(query_i64(path, "SELECT tiny_bytes FROM v_age"), INT64_MAX);
	assert_int_equal(query_i64(path, "SELECT bytes FROM v_scan"), INT64_MAX);
	census_fini(&census);
	scan_info_fini(&info);
}

static void classes_have_their_edges(void **state)
{
	const char *path = in_folder("classes.db");
	struct store *store = open_store(path, STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");
	struct census census;

	(void)state;
	census_init(&census, 4096, 0);
	for (unsigned k = 0; k < SIZE_CLASSES; k++)
		cube_add(&census.cube, &(struct cube_key){.size_class = (uint8_t)k},
			&(struct cube_sums){.inodes = 1});
	save_scan(store, &info, &census);
	store_close(store);
	for (unsigned k = 0; k < SIZE_CLASSES; k++) {
		char text[128];

		snprintf(text, sizeof(text), "SELECT low_bytes FROM v_class WHERE size_class = %u",
			k);
		assert_int_equal(query_i64(path, text), clamp_i64(size_class_low(k)));
		snprintf(text, sizeof(text), "SELECT high_bytes FROM v_class WHERE size_class = %u",
			k);
		assert_int_equal(query_i64(path, text), clamp_i64(size_class_high(k)));
	}
	assert_int_equal(query_i64(path, "SELECT tiny_edge_bytes FROM v_scan"), 4096);
	assert_int_equal(query_i64(path, "SELECT tiny_files FROM v_user"), 13);
	census_fini(&census);
	scan_info_fini(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_add_up),
		cmocka_unit_test(sums_in_views_stop_at_the_end),
		cmocka_unit_test(classes_have_their_edges),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
