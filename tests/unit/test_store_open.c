// SPDX-License-Identifier: GPL-2.0-or-later
/* What a path may turn out to be, and that a reader changes nothing. */
#include "tests/unit/store_support.h"

#include "storage/place.h"
#include "storage/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>

/* Runs statements on a file as any program might. */
static void run_sql(const char *path, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void write_file(const char *path, const char *content, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, bytes), bytes);
	close(fd);
}

static void a_missing_file(void **state)
{
	(void)state;
	assert_open_fails(in_folder("missing/a.db"), STORE_READ, -ENOENT, "run `xfscensus scan`");
	assert_open_fails("", STORE_READ, -ENOENT, "no database at");
	assert_open_fails("", STORE_WRITE, -ENOENT, "cannot make the database");
	assert_int_equal(access(in_folder("missing"), F_OK), -1);
}

static void a_directory(void **state)
{
	(void)state;
	assert_open_fails(support_folder, STORE_READ, -EISDIR, "is a directory");
	assert_open_fails(support_folder, STORE_WRITE, -EISDIR, "is a directory");
}

static void no_regular_file(void **state)
{
	(void)state;
	assert_open_fails("/dev/null", STORE_READ, -EINVAL, "no regular file");
	assert_open_fails("/dev/null", STORE_WRITE, -EINVAL, "no regular file");
	write_file(in_folder("file"), "x", 1);
	assert_open_fails(in_folder("file/a.db"), STORE_WRITE, -ENOTDIR, "cannot make");
	assert_open_fails(in_folder("file/b/a.db"), STORE_WRITE, -ENOTDIR, "cannot make");
}

static void not_a_database(void **state)
{
	const char *path = in_folder("text.db");
	char text[8192];

	(void)state;
	memset(text, 'x', sizeof(text));
	write_file(path, text, sizeof(text));
	assert_open_fails(path, STORE_READ, -EUCLEAN, "not a database");
	assert_open_fails(path, STORE_WRITE, -EUCLEAN, "not a database");
}

/* Every file cut short, or overwritten in the middle, is told and never crashes. */
static void a_damaged_database(void **state)
{
	const char *path = in_folder("damaged.db");
	struct stat st;

	(void)state;
	make_database(path, 500);
	assert_int_equal(stat(path, &st), 0);
	for (off_t at = st.st_size - 4096; at > 4096; at -= 4096) {
		struct store *store;
		struct err err = {0};
		struct cube cube;

		assert_int_equal(truncate(path, at), 0);
		if (store_open(&store, path, STORE_READ, &err)) {
			assert_int_equal(err.code, -EUCLEAN);
			continue;
		}
		cube_init(&cube);
		assert_int_equal(store_load_cube(store, 1, &cube, &err), -EUCLEAN);
		assert_non_null(strstr(err.message, "move it aside"));
		cube_fini(&cube);
		store_close(store);
	}
}

/* A number that no CHECK would have let in: put there by hand. */
static void a_forged_database(void **state)
{
	const char *path = in_folder("forged.db");
	struct err err = {0};
	struct store *store;
	struct cube cube;
	struct ages ages;

	(void)state;
	make_database(path, 5);
	run_sql(path, "PRAGMA ignore_check_constraints = ON; UPDATE cube SET kind = 9; "
		      "UPDATE age SET inodes = -1");
	store = open_store(path, STORE_READ);
	cube_init(&cube);
	ages_init(&ages, 0);
	assert_int_equal(store_load_cube(store, 1, &cube, &err), -EUCLEAN);
	err_clear(&err);
	assert_int_equal(store_load_ages(store, 1, &ages, &err), -EUCLEAN);
	cube_fini(&cube);
	ages_fini(&ages);
	store_close(store);
}

/* Loads all of scan 1 and the calibration; the first error. */
static int load_all(const char *path, struct err *err)
{
	struct store *store = open_store(path, STORE_READ);
	struct calibration calibration;
	struct scan_info info = {0};
	struct census census;
	int rc = store_load_scan(store, &(struct store_selector){.scan_id = 1}, &info, err);

	census_init(&census, 4096, 0);
	if (!rc)
		rc = store_load_cube(store, 1, &census.cube, err);
	if (!rc)
		rc = store_load_ages(store, 1, &census.ages, err);
	if (!rc)
		rc = store_load_failures(store, 1, &census.failures, err);
	if (!rc)
		rc = store_load_dump(store, 1, &census.dump, err);
	if (!rc)
		rc = store_load_calibration(store, "a", &calibration, err);
	if (!rc)
		calibration_fini(&calibration);
	census_fini(&census);
	scan_info_fini(&info);
	store_close(store);
	return rc;
}

static void make_calibrated(const char *path)
{
	struct calibration calibration = {.fs_id = "a", .seconds = 1};
	struct store *store;

	make_database(path, 5);
	store = open_store(path, STORE_WRITE);
	calibration.passes[0].units = 1;
	assert_non_null(calibration_add_cell(&calibration, 0, 1));
	assert_int_equal(store_save_calibration(store, &calibration, NULL), 0);
	calibration_fini(&calibration);
	store_close(store);
}

/* Numbers that would overflow, or hang, what computes with them. */
static void forged_numbers_are_told(void **state)
{
	static const char *const forgeries[] = {
		"UPDATE scan SET ages_today = -9223372036854775807 - 1",
		"UPDATE scan SET ages_today = 9223372036854775807",
		"UPDATE scan SET seconds = 9e999",
		"UPDATE scan SET seconds = -1.0",
		"UPDATE scan SET jobs = 4294967296",
		"UPDATE scan SET errors = -1",
		"UPDATE age SET day = 3640001",
		"UPDATE age SET day = -9223372036854775807",
		"UPDATE failure_example SET code = 9223372036854775807",
		"UPDATE dump_scan SET range_shift = 64",
		"UPDATE dump_choice SET allocation_class = 417",
		"UPDATE dump_choice SET inodes = -1",
		"UPDATE dump_part SET part = part + 67",
		"UPDATE dump_part SET attr_seen = -1",
		"UPDATE dump_way SET directories = -1",
		"UPDATE dump_way SET attr_stream_bytes = -1",
		"UPDATE dump_change SET recency = recency + 8192",
		"UPDATE dump_change SET recency = 0 WHERE recency = (SELECT min(recency) FROM "
		"dump_change)",
		"UPDATE dump_change SET attr_forks = -1",
		"UPDATE dump_range SET parts = x'43'",
		"UPDATE dump_range SET parts = x'0180'",
		"UPDATE dump_range SET parts = x'01ffffffffffffffffff7f00'",
		"UPDATE dump_range SET range = 9223372036854775807 - range WHERE axis = 0",
		"UPDATE calibration SET seconds = 9e999",
		"UPDATE calibration SET runs = -1",
		"UPDATE calibration_cell SET file_seconds = -9e999",
		"UPDATE calibration_pass SET seconds = 9e999",
		"UPDATE calibration_pass SET assumed_seconds = -1.0",
		"UPDATE calibration SET nice = 2",
		"INSERT INTO calibration_reading VALUES (1, 'sideways', 4096, 1, 1, 1.0)",
		"INSERT INTO calibration_reading VALUES (1, 'random', 4096, 1, 1, -1.0)",
		"INSERT INTO calibration_reading VALUES (1, 'random', 4096, 0, 1, 1.0)",
		"INSERT INTO calibration_sink VALUES (1, x'6e69', 1.0, 0.0, 0, 0, 0.0)",
		"INSERT INTO calibration_sink VALUES (1, x'6e756c6c', -1.0, 0.0, 0, 0, 0.0)",
	};
	char name[32], text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(forgeries) / sizeof(forgeries[0]); i++) {
		struct err err = {0};

		snprintf(name, sizeof(name), "forged-%zu.db", i);
		snprintf(text, sizeof(text), "PRAGMA ignore_check_constraints = ON; %s",
			forgeries[i]);
		make_calibrated(in_folder(name));
		if (load_all(in_folder(name), &err))
			fail_msg("%s", err.message);
		run_sql(in_folder(name), text);
		if (load_all(in_folder(name), &err) != -EUCLEAN)
			fail_msg("%s: %s", forgeries[i], err.message);
	}
}

static void another_program(void **state)
{
	const char *path = in_folder("other.db");

	(void)state;
	run_sql(path, "CREATE TABLE bookmark (url TEXT)");
	assert_open_fails(path, STORE_READ, -EUCLEAN, "another program");
	assert_open_fails(path, STORE_WRITE, -EUCLEAN, "another program");
	run_sql(path, "DROP TABLE bookmark; PRAGMA application_id = 77");
	assert_open_fails(path, STORE_WRITE, -EUCLEAN, "another program");
}

static void an_empty_file(void **state)
{
	const char *path = in_folder("zero.db");

	(void)state;
	write_file(path, "", 0);
	assert_open_fails(path, STORE_READ, -ENOENT, "is empty");
	make_database(path, 3);
	store_close(open_store(path, STORE_READ));
}

static void a_newer_version(void **state)
{
	const char *path = in_folder("newer.db");
	char text[64];

	(void)state;
	make_database(path, 3);
	snprintf(text, sizeof(text), "PRAGMA user_version = %d", store_schema_version() + 1);
	run_sql(path, text);
	assert_open_fails(path, STORE_READ, -EPROTO, "newer xfscensus");
	assert_open_fails(path, STORE_WRITE, -EPROTO, "newer xfscensus");
	run_sql(path, "PRAGMA user_version = -1");
	assert_open_fails(path, STORE_WRITE, -EUCLEAN, "another program");
}

/* --- Migration along a chain of its own ------------------------------------------------------- */

static const char *const to_1[] = {
	"CREATE TABLE one (a INTEGER)", "INSERT INTO one VALUES (7)", NULL};
static const char *const to_2[] = {"CREATE TABLE two AS SELECT a + 1 AS b FROM one", NULL};
static const char *const to_3[] = {"DROP TABLE one", "ALTER TABLE two RENAME TO three", NULL};
static const char *const to_nowhere[] = {"DROP TABLE one", "DROP TABLE no_such_table", NULL};
static const char *const *const good_steps[] = {to_1, to_2, to_3};
static const char *const *const bad_steps[] = {to_1, to_2, to_nowhere};

static struct sql *open_sql(const char *path)
{
	struct err err = {0};
	struct sql *sql = NULL;

	if (place_make_writable(path, &err) || sql_open(&sql, path, SQL_WRITE, &err))
		fail_msg("%s", err.message);
	return sql;
}

static int64_t value_of(struct sql *sql, const char *text)
{
	struct err err = {0};
	int64_t value = 0;

	if (sql_exec_i64(sql, text, &value, &err))
		fail_msg("%s", err.message);
	return value;
}

static void older_files_come_forward(void **state)
{
	struct sql *sql = open_sql(in_folder("chain.db"));
	struct err err = {0};

	(void)state;
	for (int version = 1; version <= 3; version++) {
		const struct schema schema = {5, version, good_steps};

		if (version > 1) {
			assert_int_equal(schema_check(sql, &schema, &err), -ESTALE);
			err_clear(&err);
		}
		assert_int_equal(schema_migrate(sql, &schema, &err), 0);
		assert_int_equal(schema_migrate(sql, &schema, &err), 0);
		assert_int_equal(schema_check(sql, &schema, &err), 0);
		assert_int_equal(value_of(sql, "PRAGMA user_version"), version);
		assert_int_equal(value_of(sql, "PRAGMA application_id"), 5);
	}
	assert_int_equal(value_of(sql, "SELECT b FROM three"), 8);
	assert_int_equal(schema_migrate(sql, &(struct schema){5, 2, good_steps}, &err), -EPROTO);
	sql_close(sql);
}

static void a_failed_step_changes_nothing(void **state)
{
	struct sql *sql = open_sql(in_folder("bad-chain.db"));
	struct err err = {0};

	(void)state;
	assert_int_equal(schema_migrate(sql, &(struct schema){5, 1, bad_steps}, &err), 0);
	assert_int_equal(schema_migrate(sql, &(struct schema){5, 3, bad_steps}, &err), -EUCLEAN);
	assert_int_equal(value_of(sql, "PRAGMA user_version"), 1);
	assert_int_equal(value_of(sql, "SELECT a FROM one"), 7);
	assert_int_equal(value_of(sql, "SELECT count(*) FROM sqlite_master"), 1);
	sql_close(sql);
}

/* --- Places ----------------------------------------------------------------------------------- */

static void folders_and_file_are_made(void **state)
{
	const char *path = in_folder("new/folder//deep/a.db");
	struct stat st;

	(void)state;
	umask(022);
	make_database(path, 3);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(stat(in_folder("new/folder/deep"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_int_equal(stat(in_folder("new/folder/deep/a.db-wal"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

/* No name is taken for an option of SQLite's. */
static void any_name_will_do(void **state)
{
	static const char *const names[] = {":memory:", "file:x?mode=memory", "a?immutable=1#b",
		"%41", "bytes \xff\xfe", "a\\b'\"c", "\xc3\xa9", "-wal"};
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		make_database(in_folder(names[i]), 3);
		assert_int_equal(stat(in_folder(names[i]), &st), 0);
		assert_true(st.st_size > 4096);
		store_close(open_store(in_folder(names[i]), STORE_READ));
	}
}

static void relative_paths_and_links_will_do(void **state)
{
	(void)state;
	assert_int_equal(chdir(support_folder), 0);
	assert_int_equal(symlink("linked/real.db", "link.db"), 0);
	assert_int_equal(mkdir("linked", 0700), 0);
	make_database("link.db", 3);
	make_database("link.db", 3);
	assert_int_equal(access("linked/real.db-wal", F_OK), 0);
	make_database(":memory:", 3);
	store_close(open_store("link.db", STORE_READ));
	store_close(open_store("linked/real.db", STORE_READ));
	assert_int_equal(chdir("/"), 0);
}

/* --- Readers ---------------------------------------------------------------------------------- */

/* Loads the newest scan. */
static int read_newest(const char *path, struct err *err)
{
	struct store *store = NULL;
	struct scan_info info;
	struct cube cube;
	int rc = store_open(&store, path, STORE_READ, err);

	if (rc)
		return rc;
	cube_init(&cube);
	rc = store_load_scan(store, &(struct store_selector){0}, &info, err);
	if (!rc) {
		rc = store_load_cube(store, info.scan_id, &cube, err);
		scan_info_fini(&info);
	}
	cube_fini(&cube);
	store_close(store);
	return rc;
}

static void reading_makes_and_changes_no_file(void **state)
{
	static const char *const companions[] = {"", "ro/a.db-shm", "ro/a.db-wal"};
	struct stat before, after;
	struct err err = {0};

	(void)state;
	make_database(in_folder("ro/a.db"), 50);
	for (size_t i = 0; i < 3; i++) {
		size_t entries;

		if (*companions[i])
			assert_int_equal(unlink(in_folder(companions[i])), 0);
		entries = count_entries(in_folder("ro"));
		assert_int_equal(stat(in_folder("ro/a.db"), &before), 0);
		if (read_newest(in_folder("ro/a.db"), &err))
			fail_msg("%s", err.message);
		assert_int_equal(stat(in_folder("ro/a.db"), &after), 0);
		assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
		assert_int_equal(count_entries(in_folder("ro")), entries);
	}
}

/* Alone, without companions, the file is read as it is; a writer that comes along is noticed. */
static void a_write_behind_a_readers_back_is_told(void **state)
{
	const char *path = in_folder("back/a.db");
	struct err err = {0};
	struct store *store;
	struct cube cube;

	(void)state;
	make_database(path, 50);
	assert_int_equal(unlink(in_folder("back/a.db-shm")), 0);
	assert_int_equal(unlink(in_folder("back/a.db-wal")), 0);
	store = open_store(path, STORE_READ);
	make_database(path, 50);
	cube_init(&cube);
	assert_int_equal(store_load_cube(store, 1, &cube, &err), -EBUSY);
	assert_non_null(strstr(err.message, "run the command again"));
	cube_fini(&cube);
	store_close(store);
}

static void a_reader_sees_one_moment(void **state)
{
	const char *path = in_folder("moment.db");
	struct store *reader, *writer;
	struct store_scan_list list;
	struct err err = {0};
	struct cube cube;

	(void)state;
	make_database(path, 50);
	reader = open_store(path, STORE_READ);
	writer = open_store(path, STORE_WRITE);
	assert_int_equal(delete_scan(writer, 1, &err), 0);
	store_close(writer);
	make_database(path, 10);
	cube_init(&cube);
	assert_int_equal(store_list_scans(reader, NULL, &list, &err), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(store_load_cube(reader, 1, &cube, &err), 0);
	assert_true(cube_count(&cube) > 40);
	store_scan_list_fini(&list);
	cube_fini(&cube);
	store_close(reader);
}

static void a_locked_database(void **state)
{
	const char *path = in_folder("locked.db");
	struct scan_info info = make_info("a", "/srv");
	struct census census;
	struct err err = {0};
	struct store *store;
	sqlite3 *other;

	(void)state;
	make_database(path, 10);
	store = open_store(path, STORE_WRITE);
	assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	census_init(&census, 4096, 0);
	assert_int_equal(store_save_scan(store, &info, &census, &err), -EBUSY);
	assert_non_null(strstr(err.message, "locked by another process"));
	assert_int_equal(read_newest(path, &(struct err){0}), 0); /* readers do not wait */
	sqlite3_close(other);
	save_scan(store, &info, &census);
	census_fini(&census);
	scan_info_fini(&info);
	store_close(store);
}

/* A filesystem without shared memory, played by SQLite's locking by files. */
static void without_shared_memory(void **state)
{
	sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
	struct scan_info info = make_info("a", "/srv");
	struct census census;
	struct store *store;

	(void)state;
	sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1);
	store = open_store(in_folder("dot.db"), STORE_WRITE);
	assert_non_null(strstr(store_note(store), "without shared memory"));
	make_census(&census, 100, 10);
	save_scan(store, &info, &census);
	store_close(store);
	store = open_store(in_folder("dot.db"), STORE_READ);
	assert_null(store_note(store));
	assert_stored(store, &info, &census);
	store_close(store);
	sqlite3_vfs_register(usual, 1);
	store = open_store(in_folder("dot.db"), STORE_WRITE);
	assert_null(store_note(store));
	assert_stored(store, &info, &census);
	store_close(store);
	census_fini(&census);
	scan_info_fini(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_file),
		cmocka_unit_test(a_directory),
		cmocka_unit_test(no_regular_file),
		cmocka_unit_test(not_a_database),
		cmocka_unit_test(a_damaged_database),
		cmocka_unit_test(a_forged_database),
		cmocka_unit_test(forged_numbers_are_told),
		cmocka_unit_test(another_program),
		cmocka_unit_test(an_empty_file),
		cmocka_unit_test(a_newer_version),
		cmocka_unit_test(older_files_come_forward),
		cmocka_unit_test(a_failed_step_changes_nothing),
		cmocka_unit_test(folders_and_file_are_made),
		cmocka_unit_test(any_name_will_do),
		cmocka_unit_test(relative_paths_and_links_will_do),
		cmocka_unit_test(reading_makes_and_changes_no_file),
		cmocka_unit_test(a_write_behind_a_readers_back_is_told),
		cmocka_unit_test(a_reader_sees_one_moment),
		cmocka_unit_test(a_locked_database),
		cmocka_unit_test(without_shared_memory),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
