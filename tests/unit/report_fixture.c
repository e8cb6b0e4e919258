// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/report_fixture.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fixture_add(struct fixture *fixture, uint32_t uid, enum inode_kind kind, uint64_t inodes,
	uint64_t bytes, int64_t days)
{
	const struct cube_key key = {
		.uid = uid,
		.gid = 100 + uid % 2,
		.projid = uid == 2177 ? 42 : 0,
		.kind = (uint8_t)kind,
		.size_class = (uint8_t)size_class_of(bytes),
	};
	const struct ages_key ages_key = {uid, 0, key.kind, key.size_class};
	uint64_t size = sat_mul_u64(inodes, bytes);
	uint64_t allocated = sat_mul_u64(inodes, round_up_u64(bytes, 4096));
	const struct cube_sums sums = {inodes, size, allocated, bytes ? inodes : 0,
		sat_add_u64(size, sat_mul_u64(inodes, 320))};
	const struct ages_sums ages_sums = {inodes, size, allocated, sums.stream_bytes};

	if (cube_add(&fixture->cube, &key, &sums) ||
		ages_add(&fixture->ages, &ages_key, FIXTURE_TODAY - days, &ages_sums))
		abort();
}

static char *plain_name(enum owner_kind kind, uint32_t id, void *context)
{
	struct fixture *fixture = context;

	fixture->lookups++;
	if (kind == OWNER_USER && id == 0)
		return strdup("root");
	return kind == OWNER_GROUP && id == 100 ? strdup("users") : NULL;
}

static char *odd_name(enum owner_kind kind, uint32_t id, void *context)
{
	static const char *const names[] = {
		"comma, \"quote\"",
		"line\r\nend\ttab",
		"invalid \xff\xc3( and cut \xe2\x82",
		"<script>alert('&')</script>",
		"right-to-left \xe2\x80\xae evil",
		"\x1b[31mred\x1b[0m",
		"DOMAIN\\J\xc3\xbcrgen",
		"",
		"=1+1",
		"a name so long that no terminal of a sane width has room for it in a table",
	};
	struct fixture *fixture = context;

	(void)kind;
	fixture->lookups++;
	return id < ARRAY_LENGTH(names) ? strdup(names[id]) : NULL;
}

/* What three runs spent: files and bytes of a class, seconds of opening and reading. */
static const struct calibration_cell cells[] = {
	{0, 10, 3000, 2100000, 0, 2.4, 0.22, 600},
	{0, 12, 2000, 6000000, 0, 1.7, 0.3, 0},
	{1, 14, 800, 8000000, 0, 0.9, 1.1, 0},
	{1, 20, 120, 80000000, 0, 0.2, 1.8, 0},
	{2, 12, 1000, 3000000, 0, 0.8, 0.1, 0},
	{2, 0, 40, 0, 0, 0.001, 0, 0},
};

/* An array in use by others, and a sink over a network. */
static void make_calibrated_array(struct calibration *calibration)
{
	static const struct array_reading readings[] = {
		{true, 1 << 20, 375, 1.5, 1},
		{false, 4096, 50, 0.625, 1},
		{false, 65536, 48, 0.625, 1},
		{false, 1 << 20, 38, 0.64, 1},
		{false, 4096, 375, 0.5, 8},
	};

	memcpy(calibration->readings, readings, sizeof(readings));
	calibration->reading_count = ARRAY_LENGTH(readings);
	calibration->picked_runs = 1;
	calibration->skipped_files = 2;
	calibration->nice = true;
	calibration->interval_share = 0.125;
	calibration->drift = 0.25;
	calibration->read_bytes = 100 * MIB;
	calibration->others_read_bytes = 40 * MIB;
	calibration->others_written_bytes = 3 * MIB;
	calibration->inodes = 25100000;
	calibration->sink = (struct sink){
		.kind = SINK_PIPE,
		.spec = strdup("pipe:ssh backup 'cat >dump'"),
		.bytes_per_second = 8e7,
		.record_seconds = 0.0002,
		.buffer_bytes = 2 * MIB,
		.measured_bytes = 800000000,
		.measured_seconds = 10,
	};
}

static void make_array(struct fixture *fixture)
{
	static const struct prediction_class classes[] = {
		{12, 24100000, 48200000000, 59800},
		{16, 300000, 12000000000, 1500},
		{30, 210000, 11000000000000, 4000},
	};
	static const struct prediction_user users[] = {
		{2041, 13100000, 13000000, 32520, 32200},
		{2177, 11000000, 10900000, 27240, 27000},
		{0, 100000, 50000, 3000, 1500},
	};

	static const char *const labels[] = {
		"as is", "--pack=user:2041", "--sink=pipe:ssh vault \x1b[2J", "all together"};
	static const struct prediction_variant variants[] = {
		{NULL, 65640, 62400, 68700, 11000000000000, 24610000, CAUSE_CONTENTS, 0},
		{NULL, 33100, 31000, 35000, 10990000000000, 11610000, CAUSE_CONTENTS, 0},
		{NULL, 138000, 130000, 145000, 11000000000000, 24610000, CAUSE_SINK, 0},
		{NULL, NAN, 0, 0, 0, 0, CAUSE_CONTENTS, 0},
	};

	fixture_add(fixture, 2041, KIND_REGULAR, 13000000, 2000, 3);
	fixture_add(fixture, 2041, KIND_REGULAR, 100000, 40000, 20);
	fixture_add(fixture, 2177, KIND_REGULAR, 10900000, 2000, 300);
	fixture_add(fixture, 2177, KIND_REGULAR, 100000, 40000, 1200);
	fixture_add(fixture, 2177, KIND_SYMLINK, 77, 20, 1200);
	fixture_add(fixture, 0, KIND_DIRECTORY, 480000, 4096, 0);
	fixture_add(fixture, 0, KIND_REGULAR, 50000, 0, 5000);
	for (uint32_t i = 0; i < 210; i++) {
		fixture_add(fixture, 3000 + i, KIND_REGULAR, 1000 + i, 700, 60);
		fixture_add(fixture, 3000 + i, KIND_REGULAR, 1000, 50 * MIB, 600);
	}
	failures_add(&fixture->failures, FAILURE_OPEN_DIRECTORY, 0, -EACCES, "/srv/home/u9/secret");
	failures_add(&fixture->failures, FAILURE_OPEN_DIRECTORY, 0, -EACCES, "/srv/home/u8/\\xff");
	failures_add(&fixture->failures, FAILURE_INODE_CHUNK, 64, -EIO, "AG 3, inode 12582912");
	fixture->scan.errors = failures_total(&fixture->failures);
	fixture->scan.mount_point = strdup("/srv/home");
	fixture->scan.path = strdup("/srv/home");
	fixture->calibration.cells = malloc(sizeof(cells));
	memcpy(fixture->calibration.cells, cells, sizeof(cells));
	fixture->calibration.cell_count = ARRAY_LENGTH(cells);
	fixture->calibration.passes[PASS_INODE_MAP] =
		(struct calibration_pass){.kind = PASS_INODE_MAP, .units = 500000, .seconds = 6.5};
	fixture->calibration.passes[PASS_DIRECTORIES] =
		(struct calibration_pass){.kind = PASS_DIRECTORIES,
			.units = 4000,
			.bytes = 1900000,
			.seconds = 1.25,
			.assumed_seconds = 0.5};
	make_calibrated_array(&fixture->calibration);
	fixture->prediction = (struct prediction){
		.seconds = 65640,
		.low_seconds = 62400,
		.high_seconds = 68700,
		.dump_bytes = 11000000000000,
		.files = 24610000,
		.bottleneck = "contents",
		.phases = {140, 200, 65300, 0},
		.class_count = ARRAY_LENGTH(classes),
		.user_count = ARRAY_LENGTH(users),
		.classes = malloc(sizeof(classes)),
		.users = malloc(sizeof(users)),
		.phases_low = {133, 190, 62077, 0},
		.phases_high = {147, 209, 68344, 0},
		.xfsdump_estimate_bytes = 11900000000000,
		.verdict = {.cause = CAUSE_CONTENTS,
			.seconds = {44000, 18000, 0, 3640},
			.dump_bytes_per_second = 168e6,
			.sequential_bytes_per_second = 250e6,
			.random_bytes_per_second = 1.2e6},
		.stream_count = 2,
		.streams = {{0, 24400000, 5.5e12, 65300}, {1ULL << 33, 210000, 5.5e12, 4000}},
		.variants = malloc(sizeof(variants)),
		.variant_count = ARRAY_LENGTH(variants),
	};
	memcpy(fixture->prediction.variants, variants, sizeof(variants));
	for (size_t i = 0; i < ARRAY_LENGTH(variants); i++)
		fixture->prediction.variants[i].label = strdup(labels[i]);
	memcpy(fixture->prediction.classes, classes, sizeof(classes));
	memcpy(fixture->prediction.users, users, sizeof(users));
}

static void make_odd(struct fixture *fixture)
{
	fixture->scan.path = strdup("/mnt/\x1b]0;title\a, \"x\"\n\xff");
	fixture->scan.mount_point = strdup("/mnt/\x1b]0;title\a, \"x\"\n\xff");
	fixture->scan.engine_reason = strdup("because\nof \x1b[2J that");
	for (uint32_t uid = 0; uid < 11; uid++)
		fixture_add(fixture, uid, KIND_REGULAR, 11 - uid, 100, -400 + 300 * (int64_t)uid);
	failures_add(&fixture->failures, FAILURE_STAT, 1, -ENOENT, "not escaped: \x1b[1m\n");
	fixture->scan.errors = 1;
	fixture->options.owner_name = odd_name;
}

static void make_huge(struct fixture *fixture)
{
	fixture->scan.scan_id = INT64_MAX;
	fixture->scan.started_seconds = INT64_MAX;
	fixture->scan.seconds = 1e300;
	fixture->scan.tiny_bytes = 1ULL << 63;
	fixture->scan.path = strdup("/");
	fixture->scan.mount_point = strdup("/");
	fixture_add(fixture, UINT32_MAX, KIND_REGULAR, UINT64_MAX, UINT64_MAX, INT32_MIN);
	fixture_add(fixture, UINT32_MAX - 1, KIND_REGULAR, UINT64_MAX / 2, 1, INT32_MAX);
	fixture_add(fixture, UINT32_MAX - 1, KIND_REGULAR, UINT64_MAX / 2, 1ULL << 62, 1);
	fixture->prediction = (struct prediction){.seconds = 1e300,
		.low_seconds = 0,
		.high_seconds = 1e308,
		.dump_bytes = UINT64_MAX};
}

const char *const fixture_names[] = {"array", "one", "empty", "odd", "huge"};
const size_t fixture_count = ARRAY_LENGTH(fixture_names);

void fixture_init(struct fixture *fixture, const char *name)
{
	*fixture = (struct fixture){
		.name = name,
		.scan = {.scan_id = 12,
			.fs_id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
			.fs_type = "xfs",
			.device = strdup("/dev/md127"),
			.block_bytes = 4096,
			.whole_filesystem = true,
			.engine = "bulkstat",
			.started_seconds = FIXTURE_TODAY * 86400LL + 7800,
			.seconds = 58.25,
			.jobs = 2,
			.tiny_bytes = DEFAULT_TINY_BYTES},
		.calibration = {.calibration_id = 3,
			.fs_id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
			.started_seconds = FIXTURE_TODAY * 86400LL + 9000,
			.seconds = 12.5,
			.budget_seconds = 60,
			.runs = 3,
			.cached_files = 250},
		.options = {.owner_name = plain_name, .context = fixture},
	};
	cube_init(&fixture->cube);
	ages_init(&fixture->ages, FIXTURE_TODAY);
	failures_init(&fixture->failures);
	if (!strcmp(name, "array"))
		make_array(fixture);
	else if (!strcmp(name, "odd"))
		make_odd(fixture);
	else if (!strcmp(name, "huge"))
		make_huge(fixture);
	else if (!strcmp(name, "one"))
		fixture_add(fixture, 1000, KIND_REGULAR, 1, 5000, 0);
	fixture->input = (struct report_input){
		.scan = &fixture->scan,
		.cube = &fixture->cube,
		.ages = &fixture->ages,
		.failures = &fixture->failures,
		.calibration = &fixture->calibration,
		.dump = &fixture->dump,
		.prediction = fixture->prediction.seconds > 0 ? &fixture->prediction : NULL,
		.options = &fixture->options,
	};
}

void fixture_fini(struct fixture *fixture)
{
	scan_info_fini(&fixture->scan);
	cube_fini(&fixture->cube);
	ages_fini(&fixture->ages);
	failures_fini(&fixture->failures);
	calibration_fini(&fixture->calibration);
	prediction_fini(&fixture->prediction);
}
