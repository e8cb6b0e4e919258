// SPDX-License-Identifier: GPL-2.0-or-later
/* Scans of a filesystem as a series: which, in which order, with what; saved and migrated alike. */
#include "tests/unit/store_support.h"

#include "storage/schema.h"

#include <errno.h>
#include <sqlite3.h>

/* The step that makes the table of sums. */
#define SCAN_CLASS_STEP 2

/* Stores a scan of @census, of a filesystem or of @path in it. */
static int64_t add_scan(struct store *store, const char *fs_id, const char *path, int64_t day,
	const struct census *census)
{
	struct scan_info info = make_info(fs_id, "/srv");
	int64_t scan_id;

	info.started_seconds = day * 86400;
	if (path) {
		free(info.path);
		info.path = strdup(path);
		info.whole_filesystem = false;
	}
	scan_id = save_scan(store, &info, census);
	scan_info_fini(&info);
	return scan_id;
}

static void load(struct store *store, int64_t scan_id, const uint32_t *uid, struct history *history)
{
	struct err err = {0};

	memset(history, 0, sizeof(*history));
	if (store_load_history(store, scan_id, uid, history, &err))
		fail_msg("%s", err.message);
}

/* That @scan holds what @census has of @uid, or of all. */
static void assert_holds(
	const struct history_scan *scan, const struct census *census, const uint32_t *uid)
{
	struct cube cube;

	cube_init(&cube);
	for (size_t i = 0; i < cube_count(&census->cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(&census->cube, i, &key);

		if (!uid || key.uid == *uid)
			assert_int_equal(cube_add(&cube,
						 &(struct cube_key){.kind = key.kind,
							 .size_class = key.size_class},
						 sums),
				0);
	}
	cube_sort(&cube);
	assert_same_cells(&cube.cells, &scan->cube.cells);
	cube_fini(&cube);
}

static void scans_in_order_of_time(void **state)
{
	const char *path = in_folder("order.db");
	struct store *store = open_store(path, STORE_WRITE);
	struct census census, other, empty;
	struct history history;
	int64_t newest;

	(void)state;
	make_census(&census, 300, 7);
	make_census(&other, 200, 7);
	census_init(&empty, 4096, 0);
	add_scan(store, "a", NULL, 20, &census);
	add_scan(store, "b", NULL, 21, &other);
	add_scan(store, "a", "/srv/x", 22, &other);
	add_scan(store, "a", NULL, 10, &empty); /* the clock was wrong */
	add_scan(store, "a", "/srv/y", 23, &other);
	newest = add_scan(store, "a", NULL, 24, &other);
	add_scan(store, "a", "/srv/x", 25, &census);
	add_scan(store, "a", NULL, 26, &census);
	load(store, newest, NULL, &history);
	assert_int_equal(history.count, 3);
	assert_int_equal(history.scans[0].started_seconds, 10 * 86400);
	assert_int_equal(history.scans[1].scan_id, 1);
	assert_int_equal(history.scans[2].scan_id, newest);
	assert_int_equal(cube_count(&history.scans[0].cube), 0);
	assert_holds(&history.scans[1], &census, NULL);
	assert_holds(&history.scans[2], &other, NULL);
	history_fini(&history);
	load(store, newest + 1, NULL, &history); /* of that tree alone */
	assert_int_equal(history.count, 2);
	assert_int_equal(history.scans[0].scan_id, 3);
	history_fini(&history);
	store_close(store);
	census_fini(&census);
	census_fini(&other);
	census_fini(&empty);
}

static void one_user(void **state)
{
	const char *path = in_folder("user.db");
	struct store *store = open_store(path, STORE_WRITE);
	const uint32_t uids[] = {3, UINT32_MAX, 77777};
	struct census census;
	struct history history;

	(void)state;
	make_census(&census, 400, 5);
	add_scan(store, "a", NULL, 1, &census);
	add_scan(store, "a", NULL, 2, &census);
	for (size_t i = 0; i < 3; i++) {
		load(store, 2, &uids[i], &history);
		assert_int_equal(history.count, 2); /* also where there is nothing */
		assert_holds(&history.scans[0], &census, &uids[i]);
		assert_holds(&history.scans[1], &census, &uids[i]);
		history_fini(&history);
	}
	store_close(store);
	census_fini(&census);
}

static void an_unknown_scan(void **state)
{
	const char *path = in_folder("unknown.db");
	struct history history = {0};
	struct err err = {0};
	struct store *store;

	(void)state;
	make_database(path, 3);
	store = open_store(path, STORE_READ);
	assert_int_equal(store_load_history(store, 9, NULL, &history, &err), -ENOENT);
	assert_non_null(strstr(err.message, "no scan 9"));
	history_fini(&history);
	store_close(store);
}

/* Sums stay below 2^63 where the parts together are above. */
static void sums_stop(void **state)
{
	const struct cube_sums sums = {UINT64_MAX, UINT64_MAX / 2, 1ULL << 62, 7, 1};
	const char *path = in_folder("sums.db");
	struct store *store = open_store(path, STORE_WRITE);
	struct history history;
	struct census census;

	(void)state;
	census_init(&census, 4096, 0);
	for (uint32_t uid = 0; uid < 3; uid++)
		assert_int_equal(cube_add(&census.cube, &(struct cube_key){.uid = uid}, &sums), 0);
	add_scan(store, "a", NULL, 1, &census);
	load(store, 1, NULL, &history);
	assert_holds(&history.scans[0], &census, NULL);
	history_fini(&history);
	store_close(store);
	census_fini(&census);
}

/* What a database of the version before would say after its migration, is what was saved. */
static void migration_fills_the_same(void **state)
{
	const char *path = in_folder("migrated.db");
	struct store *store = open_store(path, STORE_WRITE);
	struct census census;
	char *message = NULL;
	sqlite3 *db;

	(void)state;
	for (int i = 0; i < 4; i++) {
		make_census(&census, (size_t)(i * 200), 9);
		add_scan(store, "a", NULL, i, &census);
		census_fini(&census);
	}
	store_close(store);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, "ALTER TABLE scan_class RENAME TO saved", NULL, NULL, NULL),
		SQLITE_OK);
	for (const char *const *text = store_schema.steps[SCAN_CLASS_STEP]; *text; text++) {
		if (sqlite3_exec(db, *text, NULL, NULL, &message))
			fail_msg("%s", message);
	}
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_true(query_i64(path, "SELECT count(*) FROM scan_class") > 100);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM (SELECT * FROM scan_class EXCEPT "
					 "SELECT * FROM saved)"),
		0);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM (SELECT * FROM saved EXCEPT "
					 "SELECT * FROM scan_class)"),
		0);
}

/* Pruned scans leave nothing behind. */
static void pruned(void **state)
{
	const char *path = in_folder("pruned.db");
	struct store *store;
	struct err err = {0};

	(void)state;
	make_database(path, 50);
	store = open_store(path, STORE_WRITE);
	assert_int_equal(delete_scan(store, 1, &err), 0);
	store_close(store);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM scan_class"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scans_in_order_of_time),
		cmocka_unit_test(one_user),
		cmocka_unit_test(an_unknown_scan),
		cmocka_unit_test(sums_stop),
		cmocka_unit_test(migration_fills_the_same),
		cmocka_unit_test(pruned),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
