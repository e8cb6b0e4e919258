// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Killed at any moment, a database holds what was there before, whole, and nothing of the new.
 *
 * Children store scans, or migrate, and are killed at random moments with SIGKILL. What SQLite
 * makes of the file afterwards is compared with what they had told through a pipe to be stored, and
 * its integrity checked.
 */
#include "tests/unit/store_support.h"

#include "base/clock.h"
#include "storage/place.h"
#include "storage/schema.h"

#include <signal.h>
#include <sqlite3.h>
#include <time.h>

#define KILLS         50
#define LIVES         3 /* a child lives up to so many times what it does takes */
#define CELLS         300
#define RACERS        8
#define MIGRATED_ROWS 2000

/* Sleeps for less than @longest_ns. */
static void sleep_at_random(int64_t longest_ns)
{
	int64_t ns = (int64_t)(random_u64() % (uint64_t)longest_ns);
	const struct timespec time = {ns / NS_PER_SECOND, ns % NS_PER_SECOND};

	nanosleep(&time, NULL);
}

static int64_t value_of(const char *path, const char *text)
{
	sqlite3_stmt *statement;
	sqlite3 *db;
	int64_t value;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return value;
}

static void assert_sound(const char *path)
{
	assert_int_equal(
		value_of(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
	assert_int_equal(value_of(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* Stores the same census until killed, and tells of each scan by a byte. */
static void store_for_ever(const char *path, const struct census *census, int told)
{
	struct store *store;
	struct scan_info info = make_info("a", "/srv");

	for (;;) {
		if (store_open(&store, path, STORE_WRITE, NULL) ||
			store_save_scan(store, &info, census, NULL) || write(told, "s", 1) != 1)
			_exit(1);
		store_close(store);
	}
}

/* The scans that a child told of before it was killed. */
static size_t run_and_kill(const char *path, const struct census *census, int64_t longest_ns)
{
	char bytes[4096];
	ssize_t count;
	size_t scans = 0;
	int pipe_fds[2], status;
	pid_t child;

	assert_int_equal(pipe(pipe_fds), 0);
	child = fork();
	if (child == 0)
		store_for_ever(path, census, pipe_fds[1]);
	close(pipe_fds[1]);
	sleep_at_random(longest_ns);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	while ((count = read(pipe_fds[0], bytes, sizeof(bytes))) > 0)
		scans += (size_t)count;
	close(pipe_fds[0]);
	return scans;
}

/* Every scan of the database is the census, whole; their number. */
static size_t assert_all_whole(const char *path, const struct census *census)
{
	struct store *store = open_store(path, STORE_READ);
	struct store_scan_list list;
	struct err err = {0};
	size_t count;

	if (store_list_scans(store, NULL, &list, &err))
		fail_msg("%s", err.message);
	for (size_t i = list.count > 2 ? list.count - 2 : 0; i < list.count; i++)
		assert_stored(store, &list.scans[i], census);
	count = list.count;
	store_scan_list_fini(&list);
	store_close(store);
	return count;
}

/* Stores a scan without disturbance; how long that took. */
static int64_t store_in_peace(const char *path, const struct census *census)
{
	int64_t start_ns = clock_monotonic_ns();
	struct store *store = open_store(path, STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");

	save_scan(store, &info, census);
	store_close(store);
	scan_info_fini(&info);
	return clock_monotonic_ns() - start_ns;
}

static void a_killed_save_loses_nothing(void **state)
{
	const char *path = in_folder("kill.db");
	size_t scans = 1, cut_short = 0;
	struct census census;
	int64_t longest_ns;

	(void)state;
	make_census(&census, CELLS, 40);
	longest_ns = LIVES * store_in_peace(path, &census);
	for (int i = 0; i < KILLS; i++) {
		size_t told = scans + run_and_kill(path, &census, longest_ns);
		size_t found = assert_all_whole(path, &census);

		assert_in_range(found, told, told + 1); /* one may be stored but not told of */
		cut_short += found == scans;
		scans = found;
		assert_sound(path);
	}
	print_message("# %d kills: %zu scans stored, %zu children stored none\n", KILLS, scans - 1,
		cut_short);
	assert_true(scans > 1 && cut_short > 0);
	assert_int_equal(value_of(path, "SELECT count(DISTINCT scan_id) FROM cube"), scans);
	assert_int_equal(
		value_of(path, "SELECT count(*) FROM cube"), scans * cube_count(&census.cube));
	assert_int_equal(
		value_of(path, "SELECT count(*) FROM age"), scans * ages_count(&census.ages));
	census_fini(&census);
}

/* --- Migrations ------------------------------------------------------------------------------- */

static const char *const to_1[] = {
	"CREATE TABLE old (a INTEGER)", "INSERT INTO old VALUES (7)", NULL};
static const char *const to_2[] = {
	"CREATE TABLE new (a INTEGER)",
	"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000"
	") INSERT INTO new SELECT i FROM n",
	"DROP TABLE old",
	NULL,
};
static const char *const *const steps[] = {to_1, to_2};

static int migrate_to(const char *path, int version)
{
	const struct schema schema = {5, version, steps};
	struct err err = {0};
	struct sql *sql = NULL;
	int rc = place_make_writable(path, &err);

	if (!rc)
		rc = sql_open(&sql, path, SQL_WRITE, &err);
	if (!rc)
		rc = schema_migrate(sql, &schema, &err);
	sql_close(sql);
	return rc;
}

/* A child that is killed while it migrates. */
static void migrate_and_kill(const char *path, int64_t longest_ns)
{
	pid_t child = fork();

	if (child == 0)
		_exit(migrate_to(path, 2) ? 1 : 0);
	sleep_at_random(longest_ns);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_killed_migration_is_all_or_nothing(void **state)
{
	int64_t start_ns = clock_monotonic_ns(), longest_ns;
	char path[PATH_BYTES];
	int old = 0;

	(void)state;
	assert_int_equal(migrate_to(in_folder("peace.db"), 2), 0);
	longest_ns = LIVES * (clock_monotonic_ns() - start_ns);
	for (int i = 0; i < KILLS; i++) {
		snprintf(path, sizeof(path), "%s/migrate-%d.db", support_folder, i);
		assert_int_equal(migrate_to(path, 1), 0);
		migrate_and_kill(path, longest_ns);
		assert_sound(path);
		if (value_of(path, "PRAGMA user_version") == 1) {
			old++;
			assert_int_equal(value_of(path, "SELECT a FROM old"), 7);
			assert_int_equal(value_of(path, "SELECT count(*) FROM sqlite_master"), 1);
		}
		assert_int_equal(migrate_to(path, 2), 0);
		assert_int_equal(value_of(path, "SELECT count(*) FROM new"), MIGRATED_ROWS);
	}
	print_message("# %d kills: %d before the migration was done\n", KILLS, old);
	assert_true(old > 0);
}

/* --- Races ------------------------------------------------------------------------------------ */

static int store_one(const char *path)
{
	struct store *store;
	struct scan_info info = make_info("a", "/srv");
	struct census census;
	struct err err = {0};
	int rc;

	make_census(&census, 100, 10);
	rc = store_open(&store, path, STORE_WRITE, &err);
	if (!rc) {
		rc = store_save_scan(store, &info, &census, &err);
		store_close(store);
	}
	if (rc)
		fprintf(stderr, "# %s\n", err.message);
	census_fini(&census);
	scan_info_fini(&info);
	return rc;
}

/* Processes that make the same new database at once all store their scan. */
static void a_race_for_a_new_file_is_won_by_all(void **state)
{
	char path[PATH_BYTES];

	(void)state;
	for (int round = 0; round < 5; round++) {
		pid_t children[RACERS];
		int status;

		snprintf(path, sizeof(path), "%s/race-%d/new/a.db", support_folder, round);
		for (int i = 0; i < RACERS; i++) {
			children[i] = fork();
			if (children[i] == 0)
				_exit(store_one(path) ? 1 : 0);
		}
		for (int i = 0; i < RACERS; i++) {
			assert_int_equal(waitpid(children[i], &status, 0), children[i]);
			assert_int_equal(status, 0);
		}
		assert_sound(path);
		assert_int_equal(value_of(path, "SELECT count(*) FROM v_scan"), RACERS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_save_loses_nothing),
		cmocka_unit_test(a_killed_migration_is_all_or_nothing),
		cmocka_unit_test(a_race_for_a_new_file_is_won_by_all),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
