// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/report_args.h"

static const char *const format_names[] = {"text", "json", "csv", "html", "openmetrics", NULL};

const struct option_spec report_args_options[] = {
	SELECTION_OPTIONS(struct report_args, selection),
	{.name = "user",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, user),
		.value = "USER",
		.help = "only what belongs to that user, by name or number"},
	{.name = "sort",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, sort),
		.value = "COLUMN",
		.help = "order by that column, named as in JSON, "
			"numbers biggest first, names and ids ascending"},
	{.name = "top",
		.type = OPTION_COUNT,
		.offset = offsetof(struct report_args, top),
		.value = "N",
		.max = 1000000000,
		.help = "show the first N rows, 0 for all; by default all, but 20 owners, "
			"directories or scans in text, and 20 users in metrics"},
	{.name = "under",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, under),
		.value = "PATH",
		.help = "dirs and tree: only that directory and what is below it"},
	{.name = "depth",
		.type = OPTION_COUNT,
		.offset = offsetof(struct report_args, depth),
		.value = "N",
		.max = 1000000000,
		.help = "dirs: only N levels below the start; tree: all directories of N levels"},
	{.name = "share",
		.type = OPTION_PERCENT,
		.offset = offsetof(struct report_args, share),
		.value = "PERCENT",
		.help = "tree: how much of the tiny files makes a tree hot, by default 1"},
	{.name = "all",
		.type = OPTION_FLAG,
		.offset = offsetof(struct report_args, all),
		.help = "tree: in text too a row for each hot tree, however many are alike"},
	{.name = "bands",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, bands),
		.value = "SIZES",
		.help = "classes, trend, metrics: bands with these upper edges, powers of two, "
			"such as 4K,1M,1G"},
	{.name = "limit",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct report_args, limit),
		.value = "DURATION",
		.help = "trend and the page: when the backup window will pass that, such as 8h; "
			"without a unit, in seconds"},
	{.name = "since",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, since),
		.value = "TIME",
		.help = "growth and the page: since the last scan before that, a date such as "
			"2026-10-31 or a "
			"time ago such as 30d; by default about 30 days"},
	{.name = "from",
		.type = OPTION_COUNT,
		.offset = offsetof(struct report_args, from),
		.value = "ID",
		.min = 1,
		.max = INT64_MAX,
		.help = "growth and the page: since that scan"},
	{.name = "to",
		.type = OPTION_COUNT,
		.offset = offsetof(struct report_args, to),
		.value = "ID",
		.min = 1,
		.max = INT64_MAX,
		.help = "growth and the page: up to that scan, as --scan"},
	{.name = "format",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct report_args, common.format),
		.value = "text|json|csv|html|openmetrics",
		.choices = format_names,
		.help = "how to write the result; openmetrics: the report \"metrics\", for a "
			"monitoring system"},
	{0},
};

void report_args_defaults(void *args)
{
	struct report_args *report_args = args;

	report_args->top = OPTION_NOT_GIVEN;
	report_args->depth = OPTION_NOT_GIVEN;
	report_args->limit = -1;
	report_args->share = -1;
}
