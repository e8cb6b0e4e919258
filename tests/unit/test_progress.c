// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/clock.h"
#include "base/progress.h"

static void count_shows(const struct progress *progress, void *context)
{
	(void)progress;
	++*(int *)context;
}

static void it_counts_and_shows_when_it_is_time(void **state)
{
	struct progress progress;
	int shows = 0;

	(void)state;
	progress_init(&progress);
	progress.show = count_shows;
	progress.context = &shows;
	for (int i = 0; i < 100; i++)
		progress_add(&progress, 2);
	assert_int_equal(progress.done, 200);
	assert_int_equal(shows, 0);
	progress.next_ns = clock_monotonic_ns();
	progress_add(&progress, 1);
	progress_add(&progress, 1);
	assert_int_equal(shows, 1);
	progress_begin(&progress, "directories", 10);
	assert_int_equal(progress.done, 0);
	assert_int_equal(progress.expected, 10);
}

static void cancelling_is_asked_for(void **state)
{
	atomic_bool cancelled = 0;
	struct progress progress;

	(void)state;
	progress_init(&progress);
	assert_false(progress_cancelled(NULL));
	assert_false(progress_cancelled(&progress));
	progress.cancelled = &cancelled;
	assert_false(progress_cancelled(&progress));
	cancelled = 1;
	assert_true(progress_cancelled(&progress));
	progress_add(NULL, 1);
	progress_begin(NULL, "nothing", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_counts_and_shows_when_it_is_time),
		cmocka_unit_test(cancelling_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
