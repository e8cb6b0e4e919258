// SPDX-License-Identifier: GPL-2.0-or-later
/* What getting going costs a file of which a part was read; the rest of replay needs XFS. */
#include "tests/unit/test.h"

#include "analyzer/window/replay.h"
#include "base/units.h"

#include <math.h>

/* Reading @bytes of @of at @rate after a way of @head_seconds. */
static struct replay_result read_part(double bytes, double of, double rate, double head_seconds)
{
	return (struct replay_result){
		.bytes = (uint64_t)bytes,
		.data_bytes = (uint64_t)of,
		.data_seconds = head_seconds + bytes / rate,
		.head_bytes = MIB,
		.head_seconds = head_seconds + MIB / rate,
	};
}

static void seconds_are(struct replay_result result, double expected)
{
	replay_spread_head(&result);
	if (fabs(result.data_seconds - expected) > 1e-9)
		fail_msg("%g s, not %g s", result.data_seconds, expected);
}

static void a_part_bears_a_part(void **state)
{
	const double rate = 100 * MIB;

	(void)state;
	/* a sixteenth of the file bears a sixteenth of its way */
	seconds_are(read_part(16.0 * MIB, 256.0 * MIB, rate, 0.016), 0.16 + 0.001);
	/* nor is a gain at the beginning one of all of it */
	seconds_are(read_part(16.0 * MIB, 256.0 * MIB, rate, -0.008), 0.16 - 0.0005);
}

static void a_whole_bears_all(void **state)
{
	const double rate = 100 * MIB;
	struct replay_result none = {.bytes = 4096, .data_bytes = 4 * MIB, .data_seconds = 0.01};

	(void)state;
	seconds_are(read_part(16.0 * MIB, 16.0 * MIB, rate, 0.016), 0.176);
	/* too little to know the speed by */
	seconds_are(read_part(2.0 * MIB, 16.0 * MIB, rate, 0.016), 0.036);
	seconds_are(none, 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_bears_a_part),
		cmocka_unit_test(a_whole_bears_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
