// SPDX-License-Identifier: GPL-2.0-or-later
/* Past dumps in the database: stored once, found again, and held against what was known then. */
#include "tests/unit/store_support.h"

#include "base/cleanup.h"

#include <errno.h>

#define FS    "11111111-2222-3333-4444-555555555555"
#define OTHER "99999999-2222-3333-4444-555555555555"
#define ID    "b48b857e-d00a-4d59-aef0-0d1d8daf01d"

static struct store *store;

static void put_scan(const char *fs_id, int64_t started_seconds, bool whole)
{
	struct scan_info info = {.tiny_bytes = 4096, .started_seconds = started_seconds};
	struct census census;
	struct err err = {0};

	snprintf(info.fs_id, sizeof(info.fs_id), "%s", fs_id);
	snprintf(info.fs_type, sizeof(info.fs_type), "xfs");
	snprintf(info.engine, sizeof(info.engine), "walk");
	info.mount_point = strdup("/srv/home");
	info.whole_filesystem = whole;
	census_init(&census, 4096, 20000);
	if (store_save_scan(store, &info, &census, &err))
		fail_msg("%s", err.message);
	census_fini(&census);
	scan_info_fini(&info);
}

static void put_calibration(int64_t started_seconds)
{
	struct calibration calibration = {.started_seconds = started_seconds};
	struct err err = {0};

	snprintf(calibration.fs_id, sizeof(calibration.fs_id), FS);
	assert_int_equal(store_save_calibration(store, &calibration, &err), 0);
	calibration_fini(&calibration);
}

static int begin(void **state)
{
	if (support_setup(state))
		return -1;
	store = open_store(in_folder("learned.db"), STORE_WRITE);
	put_scan(FS, 1000, true);
	put_scan(FS, 2000, true);
	put_scan(FS, 2500, false);
	put_scan(FS, 3000, true);
	put_calibration(1500);
	put_calibration(2600);
	return 0;
}

static int end(void **state)
{
	store_close(store);
	return support_teardown(state);
}

/* A dump that teaches, of a session whose id ends in @last. */
static struct dump_record record_of(char last, int64_t started_seconds, uint64_t seconds)
{
	struct dump_record record = {
		.session = {.has_level = true,
			.has_date = true,
			.started_seconds = started_seconds,
			.streams = 2,
			.seconds = seconds,
			.estimated_bytes = 900,
			.media_bytes = 1000,
			.file_bytes = DUMP_UNKNOWN,
			.status = DUMP_SUCCESS},
		.scan_id = 1,
		.calibration_id = 1,
		.has_prediction = true,
		.predicted_seconds = 100,
		.predicted_low_seconds = 90,
		.predicted_high_seconds = 111,
		.predicted_bytes = 1001,
	};

	snprintf(record.fs_id, sizeof(record.fs_id), FS);
	if (last)
		snprintf(record.session.session_id, sizeof(record.session.session_id), ID "%c",
			last);
	record.session.host = strdup("server");
	record.session.mount_point = strdup("/srv/\xff");
	record.sink = strdup("null");
	return record;
}

static enum store_outcome save(struct dump_record *record)
{
	struct dump_record *const records[] = {record};
	enum store_outcome outcome;
	struct err err = {0};

	if (store_save_dumps(store, records, 1, &outcome, &err))
		fail_msg("%s", err.message);
	assert_true(record->dump_id > 0);
	return outcome;
}

static void load(bool incremental, const char *sink, struct dump_history *history)
{
	struct err err = {0};

	if (store_load_lessons(store, FS, incremental, sink, history, &err))
		fail_msg("%s", err.message);
}

static void the_same_comes_back(void **state)
{
	struct dump_record record = record_of('a', 5000, 105), old = record_of('b', 4000, 95);
	struct dump_history history;
	const struct dump_session *session;

	(void)state;
	assert_int_equal(save(&record), STORE_NEW);
	assert_int_equal(save(&old), STORE_NEW);
	load(false, "null", &history);
	assert_int_equal(history.count, 2);
	session = &history.records[0].session;
	assert_int_equal(history.records[0].dump_id, record.dump_id);
	assert_string_equal(history.records[0].fs_id, FS);
	assert_string_equal(session->session_id, ID "a");
	assert_string_equal(session->host, "server");
	assert_string_equal(session->mount_point, "/srv/\xff");
	assert_int_equal(session->started_seconds, 5000);
	assert_int_equal(session->seconds, 105);
	assert_int_equal(session->estimated_bytes, 900);
	assert_int_equal(session->media_bytes, 1000);
	assert_true(session->file_bytes == DUMP_UNKNOWN);
	assert_int_equal(session->streams, 2);
	assert_false(session->has_base);
	assert_int_equal(history.records[0].scan_id, 1);
	assert_true(history.records[0].predicted_high_seconds == 111);
	assert_int_equal(history.records[0].predicted_bytes, 1001);
	assert_int_equal(history.records[1].session.started_seconds, 4000);
	assert_int_equal(history.correction.lessons, 2);
	dump_history_fini(&history);
	dump_record_fini(&record);
	dump_record_fini(&old);
}

static void never_twice(void **state)
{
	struct dump_record record = record_of('a', 5000, 777);
	struct dump_history history;

	(void)state;
	assert_int_equal(save(&record), STORE_KNOWN);
	assert_int_equal(record.session.seconds, 105);
	dump_record_fini(&record);
	/* without an id, by date and level */
	record = record_of('\0', 6000, 100);
	assert_int_equal(save(&record), STORE_NEW);
	dump_record_fini(&record);
	record = record_of('\0', 6000, 100);
	assert_int_equal(save(&record), STORE_KNOWN);
	dump_record_fini(&record);
	/* with an id after all, from a log that is whole: the same dump */
	record = record_of('f', 6000, 777);
	assert_int_equal(save(&record), STORE_KNOWN);
	assert_int_equal(record.session.seconds, 100);
	dump_record_fini(&record);
	/* and without one where it is known with its id */
	record = record_of('\0', 5000, 777);
	assert_int_equal(save(&record), STORE_KNOWN);
	assert_int_equal(record.session.seconds, 105);
	dump_record_fini(&record);
	load(false, "null", &history);
	assert_int_equal(history.count, 3);
	dump_history_fini(&history);
}

/* Ids tell two dumps apart, whatever their dates are. */
static void two_ids_are_two_dumps(void **state)
{
	struct dump_record record = record_of('8', 400, 100), other = record_of('9', 400, 100);

	(void)state;
	record.session.level = other.session.level = 9;
	assert_int_equal(save(&record), STORE_NEW);
	assert_int_equal(save(&other), STORE_NEW);
	assert_true(other.dump_id > record.dump_id);
	dump_record_fini(&record);
	dump_record_fini(&other);
}

static void who_knows_more(void **state)
{
	struct dump_record record = record_of('c', 7000, DUMP_UNKNOWN);
	struct dump_history history;
	int64_t first;

	(void)state;
	record.session.status = DUMP_OPEN;
	record.session.problems = DUMP_CUT;
	assert_int_equal(save(&record), STORE_NEW);
	first = record.dump_id;
	dump_record_fini(&record);
	record = record_of('c', 7000, 50);
	record.has_prediction = false;
	assert_int_equal(save(&record), STORE_REPLACED);
	assert_true(record.dump_id > first);
	dump_record_fini(&record);
	record = record_of('c', 7000, 50);
	assert_int_equal(save(&record), STORE_REPLACED);
	free(record.sink);
	record.sink = strdup("rate:80M");
	assert_int_equal(save(&record), STORE_REPLACED);
	dump_record_fini(&record);
	record = record_of('c', 7000, DUMP_UNKNOWN);
	record.session.status = DUMP_OPEN;
	assert_int_equal(save(&record), STORE_KNOWN);
	dump_record_fini(&record);
	load(false, "rate:80M", &history);
	assert_int_equal(history.count, 1);
	dump_history_fini(&history);
	load(true, "null", &history);
	assert_int_equal(history.count, 0);
	assert_int_equal(history.correction.lessons, 0);
	dump_history_fini(&history);
}

static void only_the_newest_lessons(void **state)
{
	struct dump_history history;

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct dump_record record = record_of('\0', 10000 + i, 100);

		record.session.level = 1;
		record.session.has_base = true;
		record.session.has_base_date = true;
		record.session.base_seconds = 5000;
		if (i >= 20 && i % 2)
			record.session.media_bytes = 5000; /* another dump */
		save(&record);
		dump_record_fini(&record);
	}
	load(true, "null", &history);
	assert_int_equal(history.count, LEARN_LESSONS);
	assert_int_equal(history.records[0].session.started_seconds, 10028);
	assert_int_equal(history.records[1].session.started_seconds, 10026);
	assert_int_equal(history.records[0].session.base_seconds, 5000);
	dump_history_fini(&history);
}

static void bases(void **state)
{
	struct err err = {0};
	int64_t base;

	(void)state;
	assert_int_equal(store_find_base(store, FS, 1, &base, &err), 0);
	assert_int_equal(base, 7000);
	assert_int_equal(store_find_base(store, FS, 2, &base, &err), 0);
	assert_int_equal(base, 10029);
	assert_int_equal(store_find_base(store, OTHER, 1, &base, &err), -ENOENT);
	assert_int_equal(err.code, 0);
}

static void what_was_known_then(void **state)
{
	static const struct {
		int64_t by;
		int64_t scan;
		int64_t calibration;
	} cases[] = {
		{500, 1, 1500},
		{1000, 1, 1500},
		{2400, 2, 1500},
		{2599, 2, 1500},
		{2600, 2, 2600},
		{INT64_MAX, 4, 2600},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct calibration calibration;
		struct err err = {0};
		int64_t scan = 0;

		assert_int_equal(store_find_scan_by(store, FS, cases[i].by, &scan, &err), 0);
		assert_int_equal(scan, cases[i].scan);
		assert_int_equal(
			store_load_calibration_by(store, FS, cases[i].by, &calibration, &err), 0);
		assert_int_equal(calibration.started_seconds, cases[i].calibration);
		calibration_fini(&calibration);
		assert_int_equal(
			store_find_scan_by(store, OTHER, cases[i].by, &scan, &err), -ENOENT);
	}
}

static void what_cannot_be_stored(void **state)
{
	struct dump_record record = record_of('\0', 1, 1);
	struct dump_record *const records[] = {&record};
	enum store_outcome outcome;
	struct err err = {0};

	(void)state;
	record.session.has_date = false;
	assert_int_equal(store_save_dumps(store, records, 1, &outcome, &err), -EINVAL);
	err_clear(&err);
	record.session.has_date = true;
	snprintf(record.fs_id, sizeof(record.fs_id), OTHER);
	assert_int_equal(store_save_dumps(store, records, 1, &outcome, &err), -ENOENT);
	dump_record_fini(&record);
}

/* Dumps stay when scans go, and keep their filesystem. */
static void after_pruning(void **state)
{
	const struct store_prune_rule rule = {.kind = PRUNE_KEEP, .keep = 0};
	struct dump_history history;
	struct err err = {0};
	uint64_t deleted;

	(void)state;
	assert_int_equal(store_prune(store, &rule, &deleted, &err), 0);
	assert_int_equal(deleted, 4);
	load(false, "null", &history);
	assert_int_equal(history.count, 3);
	assert_int_equal(history.records[0].scan_id, 0);
	assert_int_equal(history.records[0].calibration_id, 1);
	assert_true(history.records[0].predicted_seconds == 100);
	dump_history_fini(&history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_comes_back),
		cmocka_unit_test(never_twice),
		cmocka_unit_test(who_knows_more),
		cmocka_unit_test(only_the_newest_lessons),
		cmocka_unit_test(bases),
		cmocka_unit_test(what_was_known_then),
		cmocka_unit_test(two_ids_are_two_dumps),
		cmocka_unit_test(what_cannot_be_stored),
		cmocka_unit_test(after_pruning),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
