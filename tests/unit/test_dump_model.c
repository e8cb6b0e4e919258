// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model of a dump where everything is known: what options leave out, what changed, waiting for
 * the sink, streams, what-ifs and the verdict.
 */
#include "tests/unit/test.h"

#include "analyzer/census/dump_stream.h"
#include "analyzer/window/prediction.h"
#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define TODAY 20000 /* days since 1970 */

/* A filesystem, and how fast it is read. */
struct world {
	struct scan_info scan;
	struct census census;
	struct calibration calibration;
	struct prediction_request request;
};

static void world_init(struct world *world)
{
	memset(world, 0, sizeof(*world));
	census_init(&world->census, 4096, TODAY);
	world->scan = (struct scan_info){.tiny_bytes = 4096,
		.inode_chunks = 20,
		.started_seconds = TODAY * SECONDS_PER_DAY + 3600};
	world->request = (struct prediction_request){
		.scan = &world->scan,
		.cube = &world->census.cube,
		.ages = &world->census.ages,
		.facts = &world->census.dump,
		.calibration = &world->calibration,
	};
	world->calibration.runs = 1;
	world->calibration.runs_in_all = 1;
	world->calibration.passes[PASS_INODE_MAP] =
		(struct calibration_pass){PASS_INODE_MAP, 1000000, 0, 0, 1, 0};
	world->calibration.passes[PASS_INODES] =
		(struct calibration_pass){PASS_INODES, 1000000, 0, 0, 1, 0};
	world->calibration.passes[PASS_DIRECTORIES] =
		(struct calibration_pass){PASS_DIRECTORIES, 1000000, 0, 0, 100, 0};
}

static void world_fini(struct world *world)
{
	census_fini(&world->census);
	calibration_fini(&world->calibration);
}

/* @count inodes of @uid from @ino on, that changed @days ago. */
static void add_inodes(
	struct world *world, const struct inode_record *like, uint64_t count, int64_t days)
{
	for (uint64_t i = 0; i < count; i++) {
		struct inode_record inode = *like;

		inode.ino += i;
		inode.nlink = 1;
		inode.mtime_seconds = (TODAY - days) * SECONDS_PER_DAY + 60;
		inode.ctime_seconds = inode.mtime_seconds;
		assert_int_equal(census_add(&world->census, &inode), 0);
	}
}

static struct inode_record file_of(uint64_t ino, uint32_t uid, uint64_t bytes)
{
	return (struct inode_record){
		.ino = ino,
		.uid = uid,
		.mode = S_IFREG,
		.size_bytes = bytes,
		.allocated_bytes = (bytes + 4095) / 4096 * 4096,
		.extents = bytes > 0,
	};
}

/* All files of @bytes take @file_seconds and @data_seconds each. */
static void add_cost(struct world *world, uint64_t bytes, double file_seconds, double data_seconds)
{
	struct calibration_cell *cell =
		calibration_add_cell(&world->calibration, 0, size_class_of(bytes));
	struct inode_record inode = file_of(1, 0, bytes);

	assert_non_null(cell);
	inode.nlink = 1;
	cell->files = 100;
	cell->stream_bytes = 100 * dump_stream_inode_bytes(&inode, 4096);
	cell->file_seconds = 100 * file_seconds;
	cell->data_seconds = 100 * data_seconds;
}

static void predict(const struct world *world, struct prediction *prediction)
{
	struct err err = {0};

	if (prediction_make(&world->request, prediction, &err))
		fail_msg("%s", err.message);
}

/* --- Waiting for the sink --------------------------------------------------------------------- */

static void waiting_is_shared_out_and_bounds_the_interval(void **state)
{
	struct sink sink = {.kind = SINK_RATE, .bytes_per_second = 1000000, .spec = NULL};
	struct inode_record big = file_of(1000, 7, 1 << 20), tiny = file_of(5000, 8, 100);
	struct prediction prediction;
	double users = 0;
	struct world world;

	(void)state;
	world_init(&world);
	add_inodes(&world, &big, 50, 1);
	add_inodes(&world, &tiny, 50, 1);
	add_cost(&world, 1 << 20, 1e-4, 1e-3);
	add_cost(&world, 100, 1e-4, 1e-4);
	world.request.dump.sink = &sink;
	predict(&world, &prediction);
	assert_string_equal(prediction.bottleneck, "sink");
	assert_true(prediction.phases[PHASE_SINK] > 50);
	assert_true(prediction.users[0].uid == 7 && prediction.users[0].seconds > 50);
	for (size_t i = 0; i < prediction.user_count; i++)
		users += prediction.users[i].seconds;
	assert_float_equal(users, prediction.seconds, 1e-6F);
	/* what waits for the sink anyway is not longer for a slow array */
	assert_true(prediction.high_seconds < prediction.seconds * 1.01);
	prediction_fini(&prediction);
	world_fini(&world);
}

/* --- What is in the dump ---------------------------------------------------------------------- */

static void options_leave_out_what_they_should(void **state)
{
	struct inode_record plain = file_of(100, 1, 1000), nodump = file_of(300, 1, 1000);
	struct inode_record big = file_of(500, 2, 3 << 20), attrs = file_of(700, 2, 1000);
	struct prediction all, some;
	struct world world;

	(void)state;
	world_init(&world);
	nodump.flags = INODE_NODUMP;
	attrs.flags = INODE_ATTR_FORK;
	add_inodes(&world, &plain, 10, 1);
	add_inodes(&world, &nodump, 5, 1);
	add_inodes(&world, &big, 2, 1);
	add_inodes(&world, &attrs, 20, 1);
	add_cost(&world, 1000, 1e-3, 1e-3);
	add_cost(&world, 3 << 20, 1e-3, 1e-2);
	predict(&world, &all);
	assert_int_equal(all.files, 37);
	world.request.dump.exclude_nodump = true;
	predict(&world, &some);
	assert_int_equal(some.files, 32);
	assert_int_equal(some.dump_bytes, all.dump_bytes - 5 * (320 + 1024));
	assert_int_equal(
		some.xfsdump_estimate_bytes, all.xfsdump_estimate_bytes - 5 * (320 + 4096));
	prediction_fini(&some);
	world.request.dump.max_file_bytes = 1 << 20;
	predict(&world, &some);
	assert_int_equal(some.files, 30);
	prediction_fini(&some);
	world.request.dump.max_file_bytes = 0;
	world.request.dump.exclude_nodump = false;
	world.request.dump.no_attributes = true;
	predict(&world, &some);
	assert_int_equal(some.files, 37);
	assert_int_equal(some.dump_bytes, all.dump_bytes - 20 * 272);
	prediction_fini(&some);
	prediction_fini(&all);
	world_fini(&world);
}

/* Without what the options choose by, it says what to do. */
static void an_old_scan_is_no_help(void **state)
{
	struct prediction prediction;
	struct err err = {0};
	struct world world;

	(void)state;
	world_init(&world);
	world.request.facts = NULL;
	world.request.dump.exclude_nodump = true;
	assert_int_equal(prediction_make(&world.request, &prediction, &err), -ENODATA);
	assert_non_null(strstr(err.message, "scan again"));
	world_fini(&world);
}

/* @count such inodes that the scan has seen to the byte, with @attr_bytes of attributes. */
static void add_seen(struct world *world, const struct inode_record *like, uint64_t attr_bytes,
	uint64_t count, int64_t days)
{
	const uint64_t told = dump_stream_inode_bytes(like, 4096) - DUMP_STREAM_EMPTY_ATTRS_BYTES;
	const struct dump_measure measure = {told + 32, told + 32, attr_bytes, DUMP_ATTRS_SEEN};
	struct inode_record inode = *like;

	inode.ctime_seconds = (TODAY - days) * SECONDS_PER_DAY + 60;
	for (uint64_t i = 0; i < count; i++, inode.ino++)
		assert_int_equal(census_add_measured(&world->census, &inode, &measure), 0);
}

static uint64_t told_bytes(struct world *world)
{
	struct prediction prediction;
	uint64_t bytes;

	predict(world, &prediction);
	bytes = prediction.dump_bytes;
	prediction_fini(&prediction);
	return bytes;
}

/* Who has many bytes of attributes is known, so what is left without them is right to the byte. */
static void bytes_go_with_their_inodes(void **state)
{
	struct inode_record light = file_of(100, 1, 1000), heavy = file_of(500, 1, 1000);
	struct dump_options *dump;
	struct world world;
	uint64_t all, lights, heavies;

	(void)state;
	world_init(&world);
	dump = &world.request.dump;
	world.census.dump.now_seconds = world.scan.started_seconds;
	light.nlink = heavy.nlink = 1;
	light.flags = INODE_ATTR_FORK;
	heavy.flags = INODE_ATTR_FORK | INODE_NODUMP;
	heavy.allocated_bytes += 65536;
	lights = 20 * (dump_stream_inode_bytes(&light, 4096) - 272 + 32 + 400);
	heavies = 5 * (dump_stream_inode_bytes(&heavy, 4096) - 272 + 32 + 60000);
	add_seen(&world, &light, 400, 20, 2);
	add_seen(&world, &heavy, 60000, 5, 10);
	add_cost(&world, 1000, 1e-3, 1e-3);
	all = told_bytes(&world);
	assert_int_equal(all, dump_stream_overhead_bytes(20) + lights + heavies);
	dump->exclude_nodump = true;
	assert_int_equal(told_bytes(&world), all - heavies);
	dump->no_attributes = true;
	assert_int_equal(told_bytes(&world), all - heavies - 20 * 400);
	dump->exclude_nodump = false;
	assert_int_equal(told_bytes(&world), all - 20 * 400 - 5 * 60000);
	*dump = (struct dump_options){.max_file_bytes = 65536, .streams = dump->streams};
	assert_int_equal(told_bytes(&world), all - heavies);
	*dump = (struct dump_options){.incremental = true,
		.level = 1,
		.since_seconds = (TODAY - 5) * SECONDS_PER_DAY,
		.streams = dump->streams};
	assert_int_equal(told_bytes(&world), all - heavies);
	dump->no_attributes = true;
	assert_int_equal(told_bytes(&world), all - heavies - 20 * 400);
	world_fini(&world);
}

static void a_level_takes_what_changed(void **state)
{
	struct inode_record old = file_of(1000, 1, 1000), new = file_of(4000, 1, 1000);
	struct inode_record directory = {.ino = 50, .uid = 1, .mode = S_IFDIR, .size_bytes = 30};
	struct prediction all, some;
	struct world world;

	(void)state;
	world_init(&world);
	add_inodes(&world, &old, 900, 10);
	add_inodes(&world, &new, 90, 2);
	add_inodes(&world, &directory, 10, 10);
	add_cost(&world, 1000, 1e-3, 1e-3);
	predict(&world, &all);
	world.request.dump.incremental = true;
	world.request.dump.level = 1;
	world.request.dump.since_seconds = (TODAY - 5) * SECONDS_PER_DAY;
	predict(&world, &some);
	assert_int_equal(some.files, 90);
	assert_true(some.seconds < all.seconds / 5);
	assert_true(some.phases[PHASE_INODE_MAP] > all.phases[PHASE_INODE_MAP]);
	/* in the last two weeks changes are known by the second, not only by the day */
	prediction_fini(&some);
	world.request.dump.since_seconds = (TODAY - 2) * SECONDS_PER_DAY + 60;
	predict(&world, &some);
	assert_int_equal(some.files, 90);
	prediction_fini(&some);
	world.request.dump.since_seconds = (TODAY - 2) * SECONDS_PER_DAY + 61;
	predict(&world, &some);
	assert_int_equal(some.files, 0);
	/* else in the middle of the day of the change: half of it, and that is doubtful */
	world.request.facts = NULL;
	world.request.dump.since_seconds = (TODAY - 2) * SECONDS_PER_DAY + SECONDS_PER_DAY / 2;
	prediction_fini(&some);
	predict(&world, &some);
	assert_int_equal(some.files, 45);
	assert_true(some.high_seconds > some.seconds * 1.4);
	/* later than all */
	world.request.dump.since_seconds = TODAY * SECONDS_PER_DAY;
	prediction_fini(&some);
	predict(&world, &some);
	assert_int_equal(some.files, 0);
	prediction_fini(&some);
	prediction_fini(&all);
	world_fini(&world);
}

/* --- Streams ---------------------------------------------------------------------------------- */

static void streams_are_equal_in_bytes_only(void **state)
{
	struct inode_record tiny = file_of(0, 1, 100), big = file_of(1 << 20, 2, 4096000);
	struct prediction one, two;
	struct world world;

	(void)state;
	world_init(&world);
	add_inodes(&world, &tiny, 10000, 1);
	add_inodes(&world, &big, 10, 1);
	add_cost(&world, 100, 1e-3, 1e-3);
	add_cost(&world, 4096000, 1e-3, 1e-2);
	predict(&world, &one);
	world.request.dump.streams = 2;
	predict(&world, &two);
	assert_int_equal(two.stream_count, 2);
	/* 10 000 blocks each, but 64 bytes for each file: the tiny ones weigh 640 000 more */
	assert_true(fabs(two.streams[0].files - (10000 - 639360 / 2.0 / 4160)) < 1);
	assert_true(fabs(two.streams[1].files - (10 + 639360 / 2.0 / 4160)) < 1);
	assert_true(two.streams[0].seconds > 50 * two.streams[1].seconds);
	assert_true(two.streams[1].first_ino > 9000);
	assert_true(fabs(two.streams[0].bytes + two.streams[1].bytes - (double)two.dump_bytes) < 2);
	assert_int_equal(two.dump_bytes, one.dump_bytes + dump_stream_overhead_bytes(20));
	assert_true(two.seconds <= one.seconds && two.seconds > one.seconds * 0.9);
	prediction_fini(&one);
	prediction_fini(&two);
	world_fini(&world);
}

static void equal_streams_are_between_half_and_all_of_it(void **state)
{
	struct inode_record tiny = file_of(0, 1, 100);
	struct prediction one, two;
	double phases = 0;
	struct world world;

	(void)state;
	world_init(&world);
	add_inodes(&world, &tiny, 10000, 1);
	add_cost(&world, 100, 1e-3, 1e-3);
	predict(&world, &one);
	world.request.dump.streams = 2;
	predict(&world, &two);
	assert_true(two.low_seconds < 0.55 * one.seconds);
	assert_true(two.seconds > 0.65 * one.seconds && two.seconds < 0.75 * one.seconds);
	assert_true(two.high_seconds >= one.seconds);
	for (int i = 0; i < PREDICTION_PHASES; i++)
		phases += two.phases[i];
	assert_float_equal(phases, two.seconds, 1e-6F);
	assert_float_equal(two.users[0].seconds, two.seconds, 1e-6F);
	prediction_fini(&one);
	prediction_fini(&two);
	world_fini(&world);
}

/* One stream, and two of as many tiny files each, where two readers get @speed times as much. */
static void predict_streams(double speed, struct prediction *one, struct prediction *two)
{
	struct inode_record tiny = file_of(0, 1, 100);
	struct world world;

	world_init(&world);
	add_inodes(&world, &tiny, 10000, 1);
	add_cost(&world, 100, 1e-3, 1e-3);
	world.calibration.reading_count = 4;
	world.calibration.readings[0] = (struct array_reading){false, 4096, 100, 1, 1};
	world.calibration.readings[1] =
		(struct array_reading){false, 4096, (uint64_t)(200 * speed), 2, 2};
	world.calibration.readings[2] = (struct array_reading){false, 1 << 20, 10, 1, 1};
	world.calibration.readings[3] = (struct array_reading){false, 1 << 20, 10, 1, 2};
	predict(&world, one);
	world.request.dump.streams = 2;
	predict(&world, two);
	world_fini(&world);
}

static void streams_share_what_the_array_delivers(void **state)
{
	static const double speeds[] = {1, 1.5, 1.8, 2, 4};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(speeds); i++) {
		struct prediction one, two;
		double speed = fmin(speeds[i], 2), ratio;

		predict_streams(speeds[i], &one, &two);
		ratio = two.seconds / one.seconds;
		if (fabs(ratio * speed - 1) > 0.02)
			fail_msg("%g times as much: %g of the time", speeds[i], ratio);
		assert_true(two.low_seconds < two.seconds && two.seconds < two.high_seconds);
		/* narrower than between not at all and all at once */
		assert_true(two.high_seconds / two.low_seconds < 1.7);
		prediction_fini(&one);
		prediction_fini(&two);
	}
}

/* --- What if ---------------------------------------------------------------------------------- */

static void what_ifs_stand_beside_what_is(void **state)
{
	struct inode_record tiny = file_of(100, 1, 100), other = file_of(60000, 2, 100);
	struct sink slow = {.kind = SINK_RATE, .bytes_per_second = 1000};
	const struct what_if what_ifs[] = {
		{.kind = WHAT_IF_WITHOUT, .label = "without", .owner = WHAT_IF_USER, .id = 2},
		{.kind = WHAT_IF_PACK, .label = "pack", .id = 1, .below_bytes = 4096},
		{.kind = WHAT_IF_SINK, .label = "sink", .sink = &slow},
	};
	const struct prediction_variant *variants;
	struct prediction prediction;
	struct world world;

	(void)state;
	world_init(&world);
	add_inodes(&world, &tiny, 10000, 1);
	add_inodes(&world, &other, 1000, 1);
	add_cost(&world, 100, 1e-3, 1e-3);
	add_cost(&world, 8 << 20, 1e-3, 0.1);
	world.request.what_ifs = what_ifs;
	world.request.what_if_count = ARRAY_LENGTH(what_ifs);
	predict(&world, &prediction);
	variants = prediction.variants;
	assert_int_equal(prediction.variant_count, 5);
	assert_string_equal(variants[0].label, "as is");
	assert_float_equal(variants[0].seconds, prediction.seconds, 1e-9F);
	assert_float_equal(variants[1].seconds / variants[0].seconds, 10.0F / 11, 1e-3F);
	/* 1000 of the others, and an archive of 10 000 × 868 bytes in a tenth of a second */
	assert_int_equal(variants[2].files, 1001);
	assert_true(variants[2].seconds > 2.05 && variants[2].seconds < 2.2);
	assert_true(variants[2].dump_bytes > 10000 * 868);
	assert_int_equal(variants[3].cause, CAUSE_SINK);
	assert_true(variants[3].seconds > variants[0].seconds);
	assert_string_equal(variants[4].label, "all together");
	assert_int_equal(variants[4].files, 1);
	assert_int_equal(variants[2].left_out_pack_bytes, 0);
	prediction_fini(&prediction);

	/* the archive is above the limit, and not dumped */
	world.request.dump.max_file_bytes = 1 << 20;
	predict(&world, &prediction);
	assert_int_equal(prediction.variants[2].files, 1000);
	assert_int_equal(prediction.variants[2].left_out_pack_bytes, 10000 * 868);
	assert_int_equal(prediction.variants[4].left_out_pack_bytes, 10000 * 868);
	prediction_fini(&prediction);
	world_fini(&world);
}

/* --- The verdict ------------------------------------------------------------------------------ */

/* Ten thousand files of @bytes at @seconds each, of which @cpu computing; 100 MB/s in sequence. */
static enum verdict_cause verdict_of(
	uint64_t bytes, double seconds, double cpu, const struct sink *sink)
{
	struct inode_record file = file_of(100, 1, bytes);
	struct prediction prediction;
	enum verdict_cause cause;
	struct world world;
	double all = 0;

	world_init(&world);
	add_inodes(&world, &file, 10000, 1);
	add_cost(&world, bytes, seconds / 2, seconds / 2);
	world.calibration.cpu_seconds = cpu * 100 * seconds;
	world.calibration.reading_count = 1;
	world.calibration.readings[0] = (struct array_reading){true, 1 << 20, 100, 1.048576, 1};
	world.request.dump.sink = sink;
	predict(&world, &prediction);
	for (int i = 0; i < VERDICT_CAUSES; i++)
		all += prediction.verdict.seconds[i];
	assert_float_equal(all / prediction.seconds, 1, 1e-6F);
	assert_float_equal(prediction.verdict.sequential_bytes_per_second / 1e8, 1, 1e-3F);
	assert_string_equal(prediction.bottleneck, verdict_cause_name(prediction.verdict.cause));
	cause = prediction.verdict.cause;
	prediction_fini(&prediction);
	world_fini(&world);
	return cause;
}

static void the_verdict_is_right_where_the_truth_is_known(void **state)
{
	struct sink slow = {.kind = SINK_RATE, .bytes_per_second = 1000000};

	(void)state;
	/* a home of tiny files, 5 ms each */
	assert_int_equal(verdict_of(1000, 5e-3, 0.01, NULL), CAUSE_CONTENTS);
	/* a media archive, 4 MiB at nearly the 100 MB/s that the array gives */
	assert_int_equal(verdict_of(4 << 20, 0.045, 0.05, NULL), CAUSE_ARRAY);
	/* the same to a slow pipe */
	assert_int_equal(verdict_of(4 << 20, 0.045, 0.05, &slow), CAUSE_SINK);
	/* everything in memory */
	assert_int_equal(verdict_of(1000, 2e-5, 0.95, NULL), CAUSE_CPU);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_is_shared_out_and_bounds_the_interval),
		cmocka_unit_test(options_leave_out_what_they_should),
		cmocka_unit_test(an_old_scan_is_no_help),
		cmocka_unit_test(bytes_go_with_their_inodes),
		cmocka_unit_test(a_level_takes_what_changed),
		cmocka_unit_test(streams_are_equal_in_bytes_only),
		cmocka_unit_test(equal_streams_are_between_half_and_all_of_it),
		cmocka_unit_test(streams_share_what_the_array_delivers),
		cmocka_unit_test(what_ifs_stand_beside_what_is),
		cmocka_unit_test(the_verdict_is_right_where_the_truth_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
