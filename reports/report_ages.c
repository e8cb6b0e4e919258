// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report ages`: when regular files were last changed, in the periods that people think in.
 *
 * The census keeps days in periods of its own, coarser the older (ages.h). A period here begins
 * where one of those begins, the nearest at or before the day wanted, so that every cell lies in
 * one row whole and the days shown are the truth. Where the census had to go over to weeks or
 * months for want of memory, rows finer than that are left out.
 */
#include "reports/common.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/cleanup.h"

enum { PERIOD, FROM_DAY, TO_DAY, FILES, FILE_SHARE, TINY_FILES, BYTES, STREAM_BYTES };

static const struct column columns[] = {
	[PERIOD] = {"period", "AGE", VALUE_TEXT, COLUMN_STRETCH, "the period in words"},
	[FROM_DAY] = {"from_day", "FROM", VALUE_DAY, COLUMN_OPTIONAL,
		"its first day, UTC; none for the oldest"},
	[TO_DAY] = {"to_day", "TO", VALUE_DAY, COLUMN_OPTIONAL,
		"its last day, UTC; none for the future"},
	[FILES] = {"files", "FILES", VALUE_COUNT, 0, "regular files last changed in it"},
	[FILE_SHARE] = {"file_share", "OF FILES", VALUE_SHARE, COLUMN_TEXT_ONLY | COLUMN_OPTIONAL,
		"share of all regular files"},
	[TINY_FILES] = {"tiny_files", "TINY", VALUE_COUNT, 0, "of them, below the tiny edge"},
	[BYTES] = {"bytes", "BYTES", VALUE_BYTES, 0, "sizes of those files"},
	[STREAM_BYTES] = {"stream_bytes", "IN A DUMP", VALUE_BYTES, COLUMN_OPTIONAL,
		"bytes that they take in an xfsdump stream"},
};

/* Rows from new to old; a row goes back @days, counting the day of the scan. */
static const struct {
	const char *name;
	int64_t days; /* 0: without end */
} periods[] = {
	{"in the future", -1},
	{"today", 1},
	{"up to a week", 7},
	{"up to a month", 28},
	{"up to a quarter", 91},
	{"up to a year", 364},
	{"up to 2 years", 2 * 364},
	{"up to 5 years", 5 * 364},
	{"up to 10 years", 10 * 364},
	{"older", 0},
};

#define FUTURE  0
#define PERIODS ARRAY_LENGTH(periods)

struct bucket {
	bool used;
	int64_t from_day; /* INT64_MIN: no beginning */
	uint64_t files;
	uint64_t tiny_files;
	uint64_t bytes;
	uint64_t stream_bytes;
};

/* The first day after today on which a period of the census begins. */
static int64_t first_future_day(const struct ages *ages)
{
	int64_t day = ages->today + 1;

	while (day < AGES_DAY_MAX && ages_period_start(day, ages->today, ages->resolution) != day)
		day++;
	return day;
}

/* Finds where each bucket begins, and which are used: those the census can tell apart. */
static void lay_out(const struct ages *ages, struct bucket buckets[PERIODS])
{
	static const int64_t shortest[] = {
		[AGES_BY_AGE] = 1,
		[AGES_WEEKS] = 7,
		[AGES_MONTHS] = 28,
		[AGES_YEARS] = 364,
		[AGES_NONE] = INT64_MAX,
	};

	for (size_t i = 0; i < PERIODS; i++) {
		struct bucket *bucket = &buckets[i];

		*bucket = (struct bucket){.from_day = INT64_MIN, .used = !periods[i].days};
		if (i == FUTURE) {
			bucket->from_day = first_future_day(ages);
			bucket->used = ages->resolution != AGES_NONE;
		} else if (periods[i].days >= shortest[ages->resolution]) {
			bucket->from_day = ages_period_start(
				ages->today - periods[i].days + 1, ages->today, ages->resolution);
			bucket->used = true;
		}
	}
}

static void collect(const struct report_input *input, struct bucket buckets[PERIODS])
{
	unsigned tiny_classes = size_class_below(input->scan->tiny_bytes);

	for (size_t i = 0; i < ages_count(input->ages); i++) {
		struct bucket *bucket = buckets;
		struct ages_key key;
		const struct ages_sums *sums = ages_at(input->ages, i, &key);

		if (key.kind != KIND_REGULAR || !report_wants(input->options, key.uid))
			continue;
		while (!bucket->used || key.day < bucket->from_day)
			bucket++;
		bucket->files = sat_add_u64(bucket->files, sums->inodes);
		bucket->bytes = sat_add_u64(bucket->bytes, sums->size_bytes);
		bucket->stream_bytes = sat_add_u64(bucket->stream_bytes, sums->stream_bytes);
		if (key.size_class < tiny_classes)
			bucket->tiny_files = sat_add_u64(bucket->tiny_files, sums->inodes);
	}
}

/* Adds the row of @bucket, which ends before @end_day (INT64_MAX: never). */
static void add_row(struct document *document, struct table *table, const char *name,
	const struct bucket *bucket, int64_t end_day, uint64_t all_files)
{
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_text(document, &row[PERIOD], name);
	if (bucket->from_day != INT64_MIN)
		value_set_time(&row[FROM_DAY], bucket->from_day);
	if (end_day != INT64_MAX)
		value_set_time(&row[TO_DAY], end_day - 1);
	value_set_number(&row[FILES], bucket->files);
	if (all_files)
		value_set_real(&row[FILE_SHARE], (double)bucket->files / (double)all_files);
	value_set_number(&row[TINY_FILES], bucket->tiny_files);
	value_set_number(&row[BYTES], bucket->bytes);
	value_set_number(&row[STREAM_BYTES], bucket->stream_bytes);
}

static void add_rows(
	struct document *document, struct table *table, const struct bucket buckets[PERIODS])
{
	int64_t end_day = INT64_MAX;
	uint64_t all_files = 0;

	for (size_t i = 0; i < PERIODS; i++)
		all_files = sat_add_u64(all_files, buckets[i].files);
	for (size_t i = 0; i < PERIODS; i++) {
		if (!buckets[i].used)
			continue;
		if (i != FUTURE || buckets[i].files)
			add_row(document, table, periods[i].name, &buckets[i], end_day, all_files);
		end_day = buckets[i].from_day;
	}
	if (!all_files)
		document_before(document, "No files.");
}

static void say_resolution(struct document *document, const struct ages *ages)
{
	static const char *const texts[] = {
		[AGES_WEEKS] = "to the week",
		[AGES_MONTHS] = "to four weeks",
		[AGES_YEARS] = "to the year",
		[AGES_NONE] = "not at all",
	};

	if (ages->resolution != AGES_BY_AGE)
		document_before(document,
			"So many owners and days were found that ages are known %s only.",
			texts[ages->resolution]);
}

int report_ages(const struct report_input *input, struct document *document, struct err *err)
{
	struct bucket buckets[PERIODS];
	struct table *table;
	int rc;

	report_begin(document, "ages", input);
	say_resolution(document, input->ages);
	lay_out(input->ages, buckets);
	collect(input, buckets);
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	add_rows(document, table, buckets);
	rc = report_arrange(document, table, input->options, err);
	return rc ? rc : report_end(document, err);
}
