// SPDX-License-Identifier: GPL-2.0-or-later
/* A database that is removed, replaced or locked while a long job has it open. */
#include "tests/unit/store_support.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <time.h>

/* Makes FOLDER/@name/ with a.db, a database of one scan, and opens that; the path in @path. */
static struct store *open_in_use(const char *name, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/%s/a.db", support_folder, name);
	make_database(path, 50);
	return open_store(path, STORE_WRITE);
}

static void remove_companion(const char *path, const char *suffix)
{
	char companion[PATH_BYTES + 8];

	snprintf(companion, sizeof(companion), "%s%s", path, suffix);
	assert_int_equal(unlink(companion), 0);
}

static int store_a_scan(struct store *store, struct err *err)
{
	struct scan_info info = make_info("b", "/home");
	struct census census;
	int rc;

	make_census(&census, 3000, 40);
	rc = store_save_scan(store, &info, &census, err);
	assert_int_equal(info.scan_id != 0, rc == 0);
	census_fini(&census);
	scan_info_fini(&info);
	return rc;
}

static void assert_told(struct store *store, const char *part)
{
	struct calibration calibration = {.fs_id = "a", .seconds = 1};
	struct store_prune_rule rule = {.kind = PRUNE_KEEP};
	struct err err = {0};
	uint64_t deleted;

	assert_int_equal(store_a_scan(store, &err), -ESTALE);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", err.message, part);
	assert_non_null(strstr(err.message, "nothing was stored"));
	assert_int_equal(store_save_calibration(store, &calibration, NULL), -ESTALE);
	assert_int_equal(store_prune(store, &rule, &deleted, NULL), -ESTALE);
	store_close(store);
}

static void a_removed_database_is_told(void **state)
{
	char path[PATH_BYTES];
	struct store *store = open_in_use("removed", path);

	(void)state;
	assert_int_equal(unlink(path), 0);
	remove_companion(path, "-wal");
	remove_companion(path, "-shm");
	assert_told(store, "a.db was removed or replaced");
	assert_int_equal(access(path, F_OK), -1);
}

static void a_removed_log_is_told(void **state)
{
	static const char *const suffixes[] = {"-wal", "-shm"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char path[PATH_BYTES], part[64];
		struct store *store = open_in_use(suffixes[i], path);

		remove_companion(path, suffixes[i]);
		snprintf(part, sizeof(part), "a.db%s was removed or replaced", suffixes[i]);
		assert_told(store, part);
		assert_int_equal(query_i64(path, "SELECT count(*) FROM scan"), 1);
	}
}

/* Nothing of ours is left that would be taken for a part of the file that is there now. */
static void a_replaced_database_stays_sound(void **state)
{
	const char *other = in_folder("other.db");
	char path[PATH_BYTES];
	struct store *store = open_in_use("replaced", path);

	(void)state;
	make_database(other, 7);
	assert_int_equal(rename(other, path), 0);
	assert_told(store, "a.db was removed or replaced");
	assert_int_equal(query_i64(path, "SELECT count(*) FROM scan"), 1);
	assert_int_equal(
		query_i64(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

/* The log that a killed process left is emptied before a long job, not after it. */
static void a_left_log_is_not_taken_for_the_new_files(void **state)
{
	char path[PATH_BYTES];
	const char *other = in_folder("another.db");
	struct store *store;
	pid_t child;

	(void)state;
	store_close(open_in_use("left", path));
	child = fork();
	if (child == 0) {
		store = open_store(path, STORE_WRITE);
		_exit(store_a_scan(store, NULL) ? 1 : 0); /* its log stays */
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	store = open_store(path, STORE_WRITE);
	make_database(other, 7);
	assert_int_equal(rename(other, path), 0);
	assert_told(store, "a.db was removed or replaced");
	assert_int_equal(query_i64(path, "SELECT count(*) FROM scan"), 1);
	assert_int_equal(
		query_i64(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

static void a_link_that_leads_elsewhere_is_told(void **state)
{
	char path[PATH_BYTES];
	const char *link = in_folder("link.db"), *other = in_folder("elsewhere.db");
	struct store *store;

	(void)state;
	store_close(open_in_use("linked", path));
	make_database(other, 7);
	assert_int_equal(symlink(path, link), 0);
	store = open_store(link, STORE_WRITE);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink(other, link), 0);
	assert_told(store, "link.db was removed or replaced");
}

static void others_who_come_and_go_change_nothing(void **state)
{
	char path[PATH_BYTES];
	struct store *store = open_in_use("visited", path);
	struct err err = {0};

	(void)state;
	make_database(path, 20);
	store_close(open_store(path, STORE_READ));
	assert_int_equal(query_i64(path, "SELECT count(*) FROM scan"), 2);
	if (store_a_scan(store, &err))
		fail_msg("%s", err.message);
	store_close(store);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM scan"), 3);
}

/* --- Locks ------------------------------------------------------------------------------------ */

/* A child that locks the database, tells so, and keeps it for @seconds. */
static pid_t lock_for(const char *path, int64_t seconds)
{
	int pipe_fds[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(pipe_fds), 0);
	child = fork();
	if (child == 0) {
		const struct timespec time = {.tv_sec = seconds};
		sqlite3 *db;

		if (sqlite3_open(path, &db) ||
			sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) ||
			write(pipe_fds[1], "l", 1) != 1)
			_exit(1);
		nanosleep(&time, NULL);
		_exit(0);
	}
	close(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	close(pipe_fds[0]);
	return child;
}

static void patience_decides_how_long_a_save_waits(void **state)
{
	char path[PATH_BYTES];
	struct store *store = open_in_use("locked", path);
	pid_t child = lock_for(path, 2);
	struct err err = {0};
	int64_t start_ns = clock_monotonic_ns();

	(void)state;
	assert_int_equal(store_set_patience(store, 0.2, &err), 0);
	assert_int_equal(store_a_scan(store, &err), -EBUSY);
	assert_true(clock_seconds_since(start_ns) >= 0.15);
	err_clear(&err);
	assert_int_equal(store_set_patience(store, 1e12, &err), 0);
	if (store_a_scan(store, &err))
		fail_msg("%s", err.message);
	assert_int_equal(waitpid(child, NULL, 0), child);
	store_close(store);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM scan"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_removed_database_is_told),
		cmocka_unit_test(a_removed_log_is_told),
		cmocka_unit_test(a_replaced_database_stays_sound),
		cmocka_unit_test(a_left_log_is_not_taken_for_the_new_files),
		cmocka_unit_test(a_link_that_leads_elsewhere_is_told),
		cmocka_unit_test(others_who_come_and_go_change_nothing),
		cmocka_unit_test(patience_decides_how_long_a_save_waits),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
