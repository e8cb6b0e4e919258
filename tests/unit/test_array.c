// SPDX-License-Identifier: GPL-2.0-or-later
/* The array as such, on a file; what devices are called; the pace. */
#include "tests/unit/test.h"

#include "analyzer/window/array.h"
#include "analyzer/window/identity.h"
#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char path[64];

/* A file of 5 MiB and a bit, on a filesystem that can be read past its cache; skips elsewhere. */
static int setup(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/var/tmp/xfscensus-array.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	for (int i = 0; i < 5 * 256 + 1; i++) {
		char page[4096];

		memset(page, i, sizeof(page));
		if (write(fd, page, sizeof(page)) != sizeof(page))
			return -1;
	}
	fsync(fd);
	close(fd);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static struct array *open_array(uint64_t limit_bytes)
{
	struct array *array = NULL;
	int rc = array_open(&array, path, limit_bytes, 7);

	if (rc == -EINVAL)
		skip(); /* no O_DIRECT here */
	assert_int_equal(rc, 0);
	return array;
}

static void readings_add_up(void **state)
{
	struct array_reading readings[CALIBRATION_MAX_READINGS];
	struct array *array = open_array(UINT64_MAX);
	struct pace pace;

	(void)state;
	pace_begin(&pace, false, NULL);
	assert_int_equal(array_measure(array, 1, &pace, readings), 8);
	assert_true(readings[0].sequential);
	assert_int_equal(readings[0].read_bytes, MIB);
	for (unsigned i = 0; i < 8; i++) {
		assert_true(readings[i].reads > 0);
		assert_true(readings[i].seconds > 0);
		assert_true(i == 0 || !readings[i].sequential);
	}
	assert_int_equal(readings[1].read_bytes, 4096);
	assert_int_equal(readings[2].read_bytes, 65536);
	assert_int_equal(readings[3].read_bytes, MIB);
	for (unsigned i = 4; i < 8; i++) {
		assert_int_equal(readings[i].read_bytes, i % 2 ? MIB : 4096);
		assert_int_equal(readings[i].at_once, i < 6 ? 2 : 8);
	}
	array_close(array);
}

/* However short the time and small the filesystem, nothing beyond its end is asked for. */
static void a_read_at_least(void **state)
{
	struct array_reading readings[CALIBRATION_MAX_READINGS];
	struct array *array = open_array(MIB + 4096);
	struct pace pace;

	(void)state;
	pace_begin(&pace, false, NULL);
	for (int i = 0; i < 50; i++) {
		assert_int_equal(array_measure(array, 0, &pace, readings), 4);
		for (unsigned j = 1; j < 4; j++)
			assert_int_equal(readings[j].reads, 1);
	}
	array_close(array);
}

static void draining_counts_the_wait_only(void **state)
{
	struct array *array = open_array(UINT64_MAX);
	struct pace pace;
	double before;

	(void)state;
	pace_begin(&pace, false, NULL);
	before = pace_seconds(&pace);
	array_drain(array, &pace);
	assert_true(pace.paused_seconds > 0);
	/* What counts is never negative, though what the reads take by themselves is taken off. */
	assert_true(pace_seconds(&pace) >= before);
	before = pace.paused_seconds;
	array_drain(NULL, &pace);
	assert_true(pace.paused_seconds == before);
	array_close(array);
}

static void what_cannot_be_read(void **state)
{
	struct array *array;
	struct pace pace;

	(void)state;
	assert_int_equal(array_open(&array, "/nonexistent", UINT64_MAX, 1), -ENOENT);
	assert_int_equal(array_open(&array, path, 4096, 1), -EINVAL);
	assert_int_equal(array_open(&array, "/dev/null", UINT64_MAX, 1), -EINVAL);
	pace_begin(&pace, false, NULL);
	assert_int_equal(array_measure(NULL, 1, &pace, NULL), 0);
	array_close(NULL);
}

static void nice_reads_one_at_a_time(void **state)
{
	struct array_reading readings[CALIBRATION_MAX_READINGS];
	struct array *array = open_array(UINT64_MAX);
	struct pace pace;

	(void)state;
	pace_begin(&pace, true, NULL);
	assert_int_equal(array_measure(array, 0.1, &pace, readings), 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(readings[i].at_once, 1);
	pace_end(&pace);
	array_close(array);
}

static void an_end_is_heeded(void **state)
{
	static const atomic_bool always = true;
	struct array_reading readings[CALIBRATION_MAX_READINGS];
	struct array *array = open_array(UINT64_MAX);
	struct progress progress;
	struct pace pace;

	(void)state;
	progress_init(&progress);
	progress.cancelled = &always;
	pace_begin(&pace, true, &progress);
	assert_int_equal(array_measure(array, 1000, &pace, readings), 0);
	pace_end(&pace);
	array_close(array);
}

static void traffic_only_grows(void **state)
{
	struct array_traffic before, after;
	struct stat stat_buffer;

	(void)state;
	assert_int_equal(array_traffic(0, &before), -ENOENT);
	assert_int_equal(stat(path, &stat_buffer), 0);
	if (array_traffic(stat_buffer.st_dev, &before))
		skip();
	assert_int_equal(array_traffic(stat_buffer.st_dev, &after), 0);
	assert_true(after.read_bytes >= before.read_bytes);
	assert_true(after.written_bytes >= before.written_bytes);
}

/* --- Pace ------------------------------------------------------------------------------------- */

static int io_priority(void)
{
	return (int)syscall(SYS_ioprio_get, 1, 0);
}

/* Half a second of work makes a pause of twice that, which does not count. */
static void nice_pauses(void **state)
{
	int before = io_priority();
	double worked;
	struct pace pace;

	(void)state;
	pace_begin(&pace, true, NULL);
	assert_int_equal(io_priority() >> 13, 3);
	assert_true(pace_go_on(&pace));
	assert_true(pace.paused_seconds == 0);
	while (!pace_is_due(&pace))
		usleep(10000);
	worked = pace_seconds(&pace);
	assert_true(pace_go_on(&pace));
	assert_true(pace.paused_seconds >= 1);
	assert_true(pace_seconds(&pace) < worked + 0.5);
	assert_false(pace_is_due(&pace));
	pace_end(&pace);
	assert_int_equal(io_priority(), before);
}

static void others_do_not(void **state)
{
	struct pace pace;

	(void)state;
	pace_begin(&pace, false, NULL);
	pace.worked_since_ns -= 10 * NS_PER_SECOND;
	assert_false(pace_is_due(&pace));
	assert_true(pace_go_on(&pace));
	assert_true(pace.paused_seconds == 0);
	pace_end(&pace);
}

/* --- Identity --------------------------------------------------------------------------------- */

static void devices_are_told_apart(void **state)
{
	static const struct {
		const char *before, *now;
		enum identity_match match;
	} cases[] = {
		{NULL, NULL, IDENTITY_UNKNOWN},
		{"A, 8 sectors", NULL, IDENTITY_UNKNOWN},
		{NULL, "A, 8 sectors", IDENTITY_UNKNOWN},
		{"A, 8 sectors", "A, 8 sectors", IDENTITY_SAME},
		{"A, 8 sectors", "A, 16 sectors", IDENTITY_RESIZED},
		{"A, 8 sectors", "B, 8 sectors", IDENTITY_OTHER},
		{"A, 8 sectors", "AB, 8 sectors", IDENTITY_OTHER},
		{"8 sectors", "16 sectors", IDENTITY_OTHER},
		{"", "8 sectors", IDENTITY_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(identity_compare(cases[i].before, cases[i].now), cases[i].match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_add_up),
		cmocka_unit_test(a_read_at_least),
		cmocka_unit_test(draining_counts_the_wait_only),
		cmocka_unit_test(what_cannot_be_read),
		cmocka_unit_test(nice_reads_one_at_a_time),
		cmocka_unit_test(an_end_is_heeded),
		cmocka_unit_test(traffic_only_grows),
		cmocka_unit_test(nice_pauses),
		cmocka_unit_test(others_do_not),
		cmocka_unit_test(devices_are_told_apart),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
