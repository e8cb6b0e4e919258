// SPDX-License-Identifier: GPL-2.0-or-later
/* What is stored of a calibration comes back as it was. */
#include "tests/unit/store_support.h"

#include "base/cleanup.h"
#include "storage/place.h"
#include "storage/schema.h"

#include <errno.h>
#include <math.h>

static void assert_same_sink(const struct sink *a, const struct sink *b)
{
	assert_same_string(a->spec, b->spec);
	assert_int_equal(a->kind, b->kind);
	assert_true(a->bytes_per_second == b->bytes_per_second);
	assert_true(a->record_seconds == b->record_seconds);
	assert_int_equal(a->buffer_bytes, b->buffer_bytes);
	assert_int_equal(a->measured_bytes, b->measured_bytes);
	assert_true(a->measured_seconds == b->measured_seconds);
}

static void assert_same_calibration(const struct calibration *a, const struct calibration *b)
{
	assert_int_equal(a->calibration_id, b->calibration_id);
	assert_string_equal(a->fs_id, b->fs_id);
	assert_same_string(a->device, b->device);
	assert_same_string(a->device_identity, b->device_identity);
	assert_same_string(a->path, b->path);
	assert_int_equal(a->started_seconds, b->started_seconds);
	assert_memory_equal(&a->seconds, &b->seconds, sizeof(a->seconds));
	assert_memory_equal(&a->budget_seconds, &b->budget_seconds, sizeof(a->budget_seconds));
	assert_memory_equal(&a->cpu_seconds, &b->cpu_seconds, sizeof(a->cpu_seconds));
	assert_int_equal(a->seed, b->seed);
	assert_int_equal(a->inodes, b->inodes);
	assert_int_equal(a->runs, b->runs);
	assert_int_equal(a->runs_in_all, b->runs_in_all);
	assert_int_equal(a->picked_files, b->picked_files);
	assert_int_equal(a->cached_files, b->cached_files);
	assert_int_equal(a->skipped_files, b->skipped_files);
	assert_int_equal(a->cell_count, b->cell_count);
	assert_memory_equal(a->cells, b->cells, a->cell_count * sizeof(*a->cells));
	assert_memory_equal(a->passes, b->passes, sizeof(a->passes));
	assert_int_equal(a->picked_runs, b->picked_runs);
	assert_true(a->nice == b->nice);
	assert_true(a->interval_share == b->interval_share && a->drift == b->drift);
	assert_int_equal(a->read_bytes, b->read_bytes);
	assert_int_equal(a->others_read_bytes, b->others_read_bytes);
	assert_int_equal(a->others_written_bytes, b->others_written_bytes);
	assert_int_equal(a->reading_count, b->reading_count);
	for (unsigned i = 0; i < a->reading_count; i++) {
		assert_true(a->readings[i].sequential == b->readings[i].sequential);
		assert_int_equal(a->readings[i].read_bytes, b->readings[i].read_bytes);
		assert_int_equal(a->readings[i].reads, b->readings[i].reads);
		assert_true(a->readings[i].seconds == b->readings[i].seconds);
		assert_int_equal(a->readings[i].at_once, b->readings[i].at_once);
	}
	assert_same_sink(&a->sink, &b->sink);
}

static struct calibration make_calibration(size_t cells)
{
	struct calibration made = {
		.fs_id = "a",
		.device = strdup("/dev/sda"),
		.path = strdup("/srv"),
		.started_seconds = -5,
		.seconds = 1.0 / 3,
		.budget_seconds = 60,
		.cpu_seconds = 0.1,
		.seed = 20111130,
		.inodes = 24600000,
		.runs = CALIBRATION_MAX_RUNS,
		.runs_in_all = UINT32_MAX,
		.picked_files = 5,
		.cached_files = 7,
		.skipped_files = 3,
		.picked_runs = 11,
		.nice = true,
		.interval_share = 0.03,
		.drift = 0.125,
		.read_bytes = 1ULL << 33,
		.others_read_bytes = 4097,
		.others_written_bytes = 512,
		.reading_count = 3,
		.readings = {{true, 1 << 20, 300, 1.5, 1}, {false, 4096, 80, 1.0, 1},
			{false, 4096, 7, 0.0, 8}},
		.cell_count = cells,
		.cells = calloc(cells, sizeof(*made.cells)),
	};

	for (size_t i = 0; i < cells; i++) {
		made.cells[i].run = (uint32_t)(i / 3);
		made.cells[i].size_class = (uint8_t)(i % 3);
		made.cells[i].files = i;
		made.cells[i].bytes = INT64_MAX;
		made.cells[i].stream_bytes = i * 592;
		made.cells[i].file_seconds = (double)i / 7;
		made.cells[i].data_seconds = 1e-9 * (double)i;
		made.cells[i].left_out = 5 * i;
	}
	for (int kind = 0; kind < CALIBRATION_PASSES; kind++)
		made.passes[kind].kind = kind;
	made.passes[PASS_DIRECTORIES].units = 9;
	made.passes[PASS_DIRECTORIES].bytes = 1 << 20;
	made.passes[PASS_DIRECTORIES].disk_bytes = 1 << 19;
	made.passes[PASS_DIRECTORIES].seconds = 0.25;
	return made;
}

static void sinks_come_back(void **state)
{
	static const char *const specs[] = {
		"null", "rate:80M", "file:/backup/\xff dump", "pipe:ssh host 'cat >dump'"};
	struct store *store = open_store(in_folder("sinks.db"), STORE_WRITE);

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct calibration made = make_calibration(1), loaded;
		struct err err = {0};

		assert_int_equal(sink_parse(specs[i], &made.sink, &err), 0);
		if (made.sink.kind == SINK_FILE || made.sink.kind == SINK_PIPE) {
			made.sink.bytes_per_second = 8e7;
			made.sink.record_seconds = 1e-4;
			made.sink.buffer_bytes = 65536;
			made.sink.measured_bytes = 800000000;
			made.sink.measured_seconds = 10.01;
		}
		assert_int_equal(store_save_calibration(store, &made, &err), 0);
		assert_int_equal(store_load_calibration(store, "a", &loaded, &err), 0);
		assert_same_calibration(&made, &loaded);
		calibration_fini(&loaded);
		calibration_fini(&made);
	}
	store_close(store);
}

/* Saves one of filesystem @fs_id. */
static void save_of(struct store *store, const char *fs_id)
{
	struct calibration made = make_calibration(3);
	struct err err = {0};

	snprintf(made.fs_id, sizeof(made.fs_id), "%s", fs_id);
	assert_int_equal(store_save_calibration(store, &made, &err), 0);
	calibration_fini(&made);
}

/* The ids of those of @fs, as a number of one digit each. */
static int listed(struct store *store, const char *fs)
{
	struct store_calibration_list list;
	struct err err = {0};
	int ids = 0;

	assert_int_equal(store_list_calibrations(store, fs, &list, &err), 0);
	for (size_t i = 0; i < list.count; i++) {
		ids = 10 * ids + (int)list.calibrations[i].calibration_id;
		assert_int_equal(list.calibrations[i].cell_count, 3);
		assert_int_equal(list.calibrations[i].cells[2].left_out, 10);
	}
	store_calibration_list_fini(&list);
	return ids;
}

static void one_can_be_chosen_and_deleted(void **state)
{
	struct store *store = open_store(in_folder("chosen.db"), STORE_WRITE);
	static const int64_t missing[] = {1, 9}, of_b[] = {3}, two[] = {1, 2, 1};
	struct store_prune_rule rule = {.kind = PRUNE_CALIBRATIONS, .ids = missing, .id_count = 2};
	struct calibration loaded;
	struct err err = {0};
	uint64_t deleted;

	(void)state;
	assert_int_equal(listed(store, NULL), 0);
	save_of(store, "a");
	save_of(store, "a");
	save_of(store, "b");
	assert_int_equal(listed(store, NULL), 123);
	assert_int_equal(listed(store, "a"), 12);
	assert_int_equal(store_load_calibration_of(store, "a", 1, &loaded, &err), 0);
	assert_int_equal(loaded.calibration_id, 1);
	assert_int_equal(loaded.reading_count, 3);
	calibration_fini(&loaded);
	assert_int_equal(store_load_calibration_of(store, "a", 3, &loaded, &err), -ENOENT);
	assert_non_null(strstr(err.message, "another filesystem"));
	err_clear(&err);
	assert_int_equal(store_load_calibration_of(store, "a", 4, &loaded, &err), -ENOENT);
	assert_non_null(strstr(err.message, "no calibration 4"));
	err_clear(&err);

	assert_int_equal(store_prune(store, &rule, &deleted, &err), -ENOENT);
	assert_non_null(strstr(err.message, "no calibration 9"));
	err_clear(&err);
	rule = (struct store_prune_rule){
		.kind = PRUNE_CALIBRATIONS, .fs = "a", .ids = of_b, .id_count = 1};
	assert_int_equal(store_prune(store, &rule, &deleted, &err), -ENOENT);
	assert_non_null(strstr(err.message, "calibration 3 is not one of a"));
	err_clear(&err);
	assert_int_equal(listed(store, NULL), 123);
	rule.ids = two;
	rule.id_count = 3;
	assert_int_equal(store_prune(store, &rule, &deleted, &err), 0);
	assert_int_equal(deleted, 2);
	assert_int_equal(listed(store, NULL), 3);
	store_close(store);
	assert_int_equal(query_i64(in_folder("chosen.db"), "SELECT count(*) FROM v_filesystem"), 1);
}

static void a_calibration_comes_back(void **state)
{
	struct store *store = open_store(in_folder("calibration.db"), STORE_WRITE);
	struct calibration made = make_calibration(100), loaded;
	struct err err = {0};

	(void)state;
	assert_int_equal(store_load_calibration(store, "a", &loaded, &err), -ENOENT);
	assert_int_equal(err.code, 0);
	assert_int_equal(store_save_calibration(store, &made, &err), 0);
	assert_int_equal(store_save_calibration(store, &made, &err), 0);
	assert_int_equal(made.calibration_id, 2);
	assert_int_equal(store_load_calibration(store, "a", &loaded, &err), 0);
	assert_same_calibration(&made, &loaded);
	calibration_fini(&loaded);
	made.seconds = NAN;
	assert_int_equal(store_save_calibration(store, &made, &err), -EINVAL);
	assert_int_equal(made.calibration_id, 2);
	calibration_fini(&made);
	store_close(store);
}

/* What was calibrated outlives its scans. */
static void a_calibration_keeps_its_filesystem(void **state)
{
	struct store *store = open_store(in_folder("keeps.db"), STORE_WRITE);
	struct calibration made = make_calibration(1), loaded;
	struct scan_info info = make_info("a", "/srv");
	struct census census;
	struct err err = {0};
	int64_t scan;

	(void)state;
	assert_int_equal(store_save_calibration(store, &made, &err), 0);
	census_init(&census, 4096, 0);
	scan = save_scan(store, &info, &census);
	census_fini(&census);
	scan_info_fini(&info);
	assert_int_equal(delete_scan(store, scan, &err), 0);
	assert_int_equal(store_load_calibration(store, "a", &loaded, &err), 0);
	assert_same_calibration(&made, &loaded);
	calibration_fini(&loaded);
	calibration_fini(&made);
	store_close(store);
}

/* That SQLite itself finds nothing wrong with a database that holds everything. */
static void a_full_database_is_sound(void **state)
{
	const char *path = in_folder("sound.db");
	struct store *store;

	(void)state;
	make_database(path, 300);
	store = open_store(path, STORE_WRITE);
	save_of(store, "a");
	store_close(store);
	assert_int_equal(query_i64(path, "SELECT count(*) > 0 FROM calibration_reading"), 1);
	assert_int_equal(
		query_i64(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/*
 * Some versions of SQLite look for a NULL in the wrong place of a table without row ids whose key
 * does not come first: PRAGMA integrity_check tells of one that is not there.
 */
static void keys_come_first(void **state)
{
	const char *path = in_folder("keys.db");

	(void)state;
	store_close(open_store(path, STORE_WRITE));
	assert_int_equal(query_i64(path, "SELECT count(*) > 10 FROM sqlite_master "
					 "WHERE sql LIKE '%WITHOUT ROWID'"),
		1);
	assert_int_equal(
		query_i64(path,
			"SELECT count(*) FROM sqlite_master AS t, pragma_table_info(t.name) "
			"AS c WHERE t.sql LIKE '%WITHOUT ROWID' AND c.pk > 0 AND c.cid >= "
			"(SELECT max(pk) FROM pragma_table_info(t.name))"),
		0);
}

static void readings_come_forward(void **state)
{
	const struct schema old = {store_schema.application_id, 9, store_schema.steps};
	const char *path = in_folder("forward.db");
	struct sql *sql = NULL;
	struct err err = {0};

	(void)state;
	assert_int_equal(place_make_writable(path, &err), 0);
	assert_int_equal(sql_open(&sql, path, SQL_WRITE, &err), 0);
	assert_int_equal(schema_migrate(sql, &old, &err), 0);
	assert_int_equal(sql_exec(sql, "PRAGMA foreign_keys = OFF", &err), 0);
	assert_int_equal(sql_exec(sql,
				 "INSERT INTO calibration_reading (calibration_id, pattern, "
				 "read_bytes, reads, seconds, at_once) "
				 "VALUES (7, 'random', 4096, 80, 1.5, 8)",
				 &err),
		0);
	assert_int_equal(schema_migrate(sql, &store_schema, &err), 0);
	sql_close(sql);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM v_calibration_reading "
					 "WHERE calibration_id = 7 AND pattern = 'random' "
					 "AND read_bytes = 4096 AND at_once = 8 AND reads = 80 "
					 "AND seconds = 1.5"),
		1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_calibration_comes_back),
		cmocka_unit_test(one_can_be_chosen_and_deleted),
		cmocka_unit_test(sinks_come_back),
		cmocka_unit_test(a_calibration_keeps_its_filesystem),
		cmocka_unit_test(a_full_database_is_sound),
		cmocka_unit_test(keys_come_first),
		cmocka_unit_test(readings_come_forward),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
