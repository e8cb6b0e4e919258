// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of rates, and the arithmetic of the array that was blamed for its contents. */
#include "tests/unit/near.h"

#include "analyzer/window/cost_table.h"
#include "analyzer/window/prediction.h"
#include "analyzer/window/rates.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL "[rates]\nall = 1 MB/s\n"

static int parse(const char *text, struct rates *rates, struct err *err)
{
	return rates_parse("night.ini", text, strlen(text), rates, err);
}

static struct rates parse_good(const char *text)
{
	struct rates rates;
	struct err err = {0};

	if (parse(text, &rates, &err))
		fail_msg("%s", err.message);
	return rates;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void a_whole_file(void **state)
{
	struct rates rates = parse_good("\xef\xbb\xbf; what the pipe meter showed\r\n"
					"[rates]\r\n"
					"  below 4K = 0.8 MB/s ; tiny\r\n"
					"4K - 64KiB=4MB/s\n"
					"64K-1M = 1.5 ms/file + 100 MiB/s\n"
					"from 1M = 250 MB/s+20us/file\n"
					"[metadata]\n"
					"inode map = 7 us/inode\n"
					"inodes = 2 µs / inode\n"
					"directories = 0.1 ms/directory\n"
					"[sink]\n"
					"rate = 80 MB/s\n");

	(void)state;
	for (unsigned i = 0; i <= 12; i++)
		assert_near(rates.classes[i].bytes_per_second, 0.8e6, 1e-6);
	assert_near(rates.classes[13].bytes_per_second, 4e6, 0);
	assert_near(rates.classes[16].bytes_per_second, 4e6, 0);
	assert_near(rates.classes[16].seconds_per_file, 0, 0);
	assert_near(rates.classes[17].bytes_per_second, 100 * 0x1p20, 0);
	assert_near(rates.classes[20].seconds_per_file, 1.5e-3, 1e-12);
	assert_near(rates.classes[21].bytes_per_second, 250e6, 0);
	assert_near(rates.classes[64].seconds_per_file, 20e-6, 1e-15);
	assert_near(rates.pass_seconds[PASS_INODE_MAP], 7e-6, 1e-15);
	assert_near(rates.pass_seconds[PASS_INODES], 2e-6, 1e-15);
	assert_near(rates.pass_seconds[PASS_DIRECTORIES], 1e-4, 1e-15);
	assert_near(rates.sink_bytes_per_second, 80e6, 0);
	assert_int_equal(rates.classes[12].line, 3);
	assert_int_equal(rates.classes[64].line, 6);
}

static void units_are_explicit(void **state)
{
	static const struct {
		const char *value;
		double bytes_per_second;
	} cases[] = {
		{"1 B/s", 1},
		{"1 KB/s", 1000},
		{"800 kB/s", 8e5},
		{"1 KiB/s", 1024},
		{"1 MB/s", 1e6},
		{"1 MiB/s", 1048576},
		{"1 GB/s", 1e9},
		{"1 GiB/s", 1073741824},
		{"1.25 TB/s", 1.25e12},
		{"2 TiB/s", 2199023255552},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		autofree char *text = NULL;

		assert_true(asprintf(&text, "[rates]\nall = %s\n", cases[i].value) > 0);
		assert_near(parse_good(text).classes[7].bytes_per_second, cases[i].bytes_per_second,
			1e-3);
	}
}

/* The micro sign and the Greek letter look alike, and keyboards have either. */
static void both_spellings_of_micro(void **state)
{
	struct rates rates = parse_good(ALL "[metadata]\ninode map = 7 \u00b5s/inode\n"
					    "inodes = 2 \u03bcs/inode\n");

	(void)state;
	assert_near(rates.pass_seconds[PASS_INODE_MAP], 7e-6, 1e-15);
	assert_near(rates.pass_seconds[PASS_INODES], 2e-6, 1e-15);
}

/* Each says file, line and key, and what is wrong. */
static void mistakes(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{"[rates]\nbelow 5K = 1 MB/s\n", "night.ini:2: [rates] below 5K: \"below 4K\""},
		{"[rates]\nbelow = 1 MB/s\n", "night.ini:2: [rates] below: \"below 4K\""},
		{"[rates]\n64K-4K = 1 MB/s\n", "night.ini:2: [rates] 64K-4K: \"below 4K\""},
		{"[rates]\n4K-4K = 1 MB/s\n", "night.ini:2: [rates] 4K-4K:"},
		{"[rates]\nbelow 0 = 1 MB/s\n", "night.ini:2: [rates] below 0:"},
		{"[rates]\nall = 1 Mb/s\n", "night.ini:2: [rates] all: \"1 Mb/s\" is none of"},
		{"[rates]\nall = 1 M/s\n", "\"1 M/s\" is none of"},
		{"[rates]\nall = 1 MB\n", "\"1 MB\" is none of"},
		{"[rates]\nall = 1\n", "\"1\" is none of"},
		{"[rates]\nall =\n", "\"\" is none of"},
		{"[rates]\nall = 0 MB/s\n", "is none of"},
		{"[rates]\nall = -1 MB/s\n", "is none of"},
		{"[rates]\nall = inf MB/s\n", "is none of"},
		{"[rates]\nall = 0x10 MB/s\n", "is none of"},
		{"[rates]\nall = 1e3 MB/s\n", "is none of"},
		{"[rates]\nall = 1,5 MB/s\n", "is none of"},
		{"[rates]\nall = 1 MB/s + 2 MB/s\n", "is none of"},
		{"[rates]\nall = 1 MB/s + \n", "is none of"},
		{"[rates]\nall = 1 MB/s 1 ms/file\n", "is none of"},
		{"[rates]\nall = 1 ms/inode\n", "is none of"},
		{"[rates]\nall = 1 MB/second\n", "is none of"},
		{ALL "below 4K = 1 MB/s\n",
			"night.ini:3: [rates] below 4K: line 2 has a rate for some of these"},
		{"[rates]\nbelow 4K = 1 MB/s\nfrom 8K = 1 MB/s\n",
			"night.ini: [rates] has none for files of 4 KiB"},
		{"[rates]\nfrom 8K = 1 MB/s\n", "night.ini: [rates] has none for files of 0 B"},
		{"", "night.ini: [rates] has none"},
		{"all = 1 MB/s\n", "night.ini:1: [] all: it stands in none of the sections"},
		{ALL "[other]\nx = 1\n", "night.ini:3: [other] is none of the sections"},
		{ALL "[metadata]\ninode = 1 us/inode\n", "night.ini:4: [metadata] inode:"},
		{ALL "[metadata]\ninodes = 1 us/file\n", "no time like \"7 us/inode\""},
		{ALL "[metadata]\ninodes = 1 us/inode\ninodes = 1 us/inode\n",
			"night.ini:5: [metadata] inodes: it is there twice"},
		{ALL "[sink]\nspeed = 1 MB/s\n", "night.ini:4: [sink] speed: \"rate\" is wanted"},
		{ALL "[sink]\nrate = 1 MB\n", "no rate like"},
		{ALL "[sink]\nrate = 1 MB/s + 1 MB/s\n", "no rate like"},
		{ALL "nonsense\n",
			"night.ini:3: neither a comment, nor [section], nor key = value"},
		{ALL "[sink\n", "night.ini:3: neither"},
		{ALL "a\001b = c\n",
			"night.ini:3: byte 2 of the line is 0x01: this is no text file"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct rates rates;
		struct err err = {0};

		assert_int_equal(parse(cases[i].text, &rates, &err), -EINVAL);
		if (!strstr(err.message, cases[i].says))
			fail_msg("\"%s\" should say \"%s\"", err.message, cases[i].says);
	}
}

static void long_lines(void **state)
{
	char text[1000] = "[rates]\n";
	struct rates rates;
	struct err err = {0};

	(void)state;
	memset(text + 8, 'x', 900);
	assert_int_equal(parse(text, &rates, &err), -EINVAL);
	assert_string_equal(err.message, "night.ini:2: a line of more than 197 bytes");
}

static void files(void **state)
{
	struct rates rates;
	struct err err = {0};

	(void)state;
	assert_int_equal(rates_read("/", &rates, &err), -EISDIR);
	err_clear(&err);
	assert_int_equal(rates_read("/nowhere/rates", &rates, &err), -ENOENT);
	err_clear(&err);
	assert_int_equal(rates_read("/dev/zero", &rates, &err), -EINVAL);
	err_clear(&err);
	assert_int_equal(rates_read("/dev/null", &rates, &err), -EINVAL);
	assert_non_null(strstr(err.message, "/dev/null: [rates] has none"));
}

/* --- As a calibration ------------------------------------------------------------------------- */

/* What every class costs is what the file said, to the last of twelve digits. */
static void the_same_prices(void **state)
{
	struct rates rates = parse_good("[rates]\nbelow 4K = 0.8 MB/s\n4K-64K = 4 MB/s\n"
					"64K-1G = 0.7 ms/file + 40 MB/s\nfrom 1G = 3 s/file\n");
	struct calibration calibration;
	struct cost_table table;

	(void)state;
	assert_int_equal(rates_calibration(&rates, "night.ini", &calibration), 0);
	assert_string_equal(calibration.path, "night.ini");
	cost_table_make(&calibration, NULL, &table);
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct class_rate *rate = &rates.classes[i];
		const struct class_load load = {1000000, 1ULL << 50};
		struct load_seconds seconds = cost_of_load(&table, i, &load);
		double wanted = 1e6 * rate->seconds_per_file + 0x1p50 / rate->bytes_per_second;

		assert_near(load_seconds_all(&seconds), wanted, wanted * 1e-12);
		assert_near(seconds.error_seconds, 0, 0);
		assert_false(seconds.borrowed);
	}
	assert_null(calibration.sink.spec);
	calibration_fini(&calibration);
}

static void the_sink(void **state)
{
	struct rates rates = parse_good(ALL "[sink]\nrate = 128 MB/s\n");
	struct calibration calibration;
	struct sink sink;
	struct err err = {0};

	(void)state;
	assert_int_equal(rates_calibration(&rates, "x", &calibration), 0);
	assert_int_equal(calibration.sink.kind, SINK_RATE);
	assert_string_equal(calibration.sink.spec, "rate:128000000");
	assert_int_equal(sink_parse(calibration.sink.spec, &sink, &err), 0);
	assert_near(sink.bytes_per_second, calibration.sink.bytes_per_second, 0);
	sink_fini(&sink);
	calibration_fini(&calibration);
}

static void add(struct cube *cube, unsigned uid, enum inode_kind kind, unsigned size_class,
	uint64_t inodes, uint64_t stream_bytes)
{
	const struct cube_key key = {.uid = uid, .kind = kind, .size_class = (uint8_t)size_class};
	const struct cube_sums sums = {
		.inodes = inodes,
		.size_bytes = stream_bytes,
		.allocated_bytes = stream_bytes,
		.stream_bytes = stream_bytes,
	};

	assert_int_equal(cube_add(cube, &key, &sums), 0);
}

/*
 * 24 million files below 4 KiB of two users: 2 048 bytes of the dump each, 49.152 GB at 0.8 MB/s
 * are 61 440 s, 17 h 04. 400 000 small files of 20 000 bytes, 8 GB at 4 MB/s: 2 000 s. 100 000 of
 * 1 MB, 100 GB at 40 MB/s: 2 500 s. The two cost 93 % of the reading with 31 % of its bytes.
 */
#define TINY_SECONDS    61440.0
#define SMALL_SECONDS   2000.0
#define AVERAGE_SECONDS 2500.0
#define STORY_BYTES     157.152e9

static const char story[] = "[rates]\nbelow 4K = 0.8 MB/s\n4K-64K = 4 MB/s\nfrom 64K = 40 MB/s\n";

static void predict_story(const struct sink *sink, struct prediction *prediction)
{
	struct rates rates = parse_good(story);
	struct scan_info scan = {.tiny_bytes = 4096};
	struct calibration calibration;
	struct cube cube;
	struct prediction_request request = {
		.scan = &scan, .cube = &cube, .calibration = &calibration, .dump.sink = sink};
	struct err err = {0};

	cube_init(&cube);
	add(&cube, 2041, KIND_REGULAR, 11, 13000000, 13000000ULL * 2048);
	add(&cube, 2177, KIND_REGULAR, 11, 11000000, 11000000ULL * 2048);
	add(&cube, 500, KIND_REGULAR, 15, 400000, 400000ULL * 20000);
	add(&cube, 500, KIND_REGULAR, 20, 100000, 100000ULL * 1000000);
	assert_int_equal(rates_calibration(&rates, "night.ini", &calibration), 0);
	if (prediction_make(&request, prediction, &err))
		fail_msg("%s", err.message);
	calibration_fini(&calibration);
	cube_fini(&cube);
}

static void the_array_that_was_blamed(void **state)
{
	struct prediction prediction;
	double files = TINY_SECONDS + SMALL_SECONDS + AVERAGE_SECONDS;

	(void)state;
	predict_story(NULL, &prediction);
	assert_int_equal(prediction.class_count, 3);
	assert_near(prediction.classes[0].seconds, TINY_SECONDS, 0.01);
	assert_near(prediction.classes[1].seconds, SMALL_SECONDS, 0.01);
	assert_near(prediction.classes[2].seconds, AVERAGE_SECONDS, 0.01);
	/* xfsdump's own microseconds an inode come on top */
	assert_near(prediction.seconds, files + 30, 30);
	assert_near(prediction.dump_bytes, STORY_BYTES, 1e5);
	assert_int_equal(prediction.users[0].uid, 2041);
	assert_near(prediction.users[0].seconds, TINY_SECONDS * 13 / 24, 25);
	assert_int_equal(prediction.users[1].uid, 2177);
	assert_near(prediction.users[1].seconds, TINY_SECONDS * 11 / 24, 25);
	assert_string_equal(prediction.bottleneck, "contents");
	prediction_fini(&prediction);
}

/* A sink adds to the reading what its bytes take at its rate: 1 964 s at 80 MB/s, 1 228 at 128. */
static void the_sinks_of_the_story(void **state)
{
	static const double rates[] = {80e6, 128e6};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rates); i++) {
		const struct sink sink = {.kind = SINK_RATE, .bytes_per_second = rates[i]};
		struct prediction prediction;

		predict_story(&sink, &prediction);
		assert_near(prediction.phases[PHASE_SINK], STORY_BYTES / rates[i], 3);
		assert_string_equal(prediction.bottleneck, "contents");
		prediction_fini(&prediction);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_file),
		cmocka_unit_test(units_are_explicit),
		cmocka_unit_test(both_spellings_of_micro),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(files),
		cmocka_unit_test(the_same_prices),
		cmocka_unit_test(the_sink),
		cmocka_unit_test(the_array_that_was_blamed),
		cmocka_unit_test(the_sinks_of_the_story),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
