// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `report --format=html`: the whole story as one page, which is a run of the other reports. Long
 * tables show their first rows and the sum of the others, so that the page stays small however many
 * owners there are.
 */
#include "reports/report.h"

#include "base/cleanup.h"

#include <assert.h>

#define MOST_ROWS  50
#define MOST_SCANS 400 /* a year of nights, and a chart of them */

static int users(const struct report_input *input, struct document *document, struct err *err)
{
	return report_owners(input, OWNER_USER, document, err);
}

static bool has_prediction(const struct report_input *input)
{
	return input->prediction;
}

static bool has_calibration(const struct report_input *input)
{
	return input->calibration;
}

static bool has_directories(const struct report_input *input)
{
	return input->directories && input->directories->present;
}

/* Also of a single scan: that there is too little history is said. */
static bool has_trend(const struct report_input *input)
{
	return input->trend && input->trend->history.count;
}

static bool has_growth(const struct report_input *input)
{
	return input->growth && input->growth->count;
}

static const struct part {
	int (*make)(const struct report_input *input, struct document *document, struct err *err);
	bool (*is_there)(const struct report_input *input); /* NULL: always */
	size_t top;
} parts[] = {
	{report_summary, NULL, 10},
	{report_owner_bands, NULL, 25},
	{report_prediction, has_prediction, 25},
	{report_tree, has_directories, 100},
	{report_trend, has_trend, MOST_SCANS},
	{report_growth, has_growth, 25},
	{report_ages, NULL, 0},
	{report_classes, NULL, 0},
	{users, NULL, MOST_ROWS},
	{report_calibration, has_calibration, 0},
};

static_assert(ARRAY_LENGTH(parts) <= REPORT_PAGE_MAX, "a page has room for all its parts");

int report_page(const struct report_input *input, struct report_page *page, struct err *err)
{
	*page = (struct report_page){0};
	for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
		struct report_options options = {
			.top = parts[i].top,
			.no_hints = true,
			.has_limit = input->options->has_limit,
			.limit_seconds = input->options->limit_seconds,
			.has_user = input->options->has_user,
			.user = input->options->user,
			.owner_name = input->options->owner_name,
			.context = input->options->context,
		};
		struct report_input part = *input;
		int rc;

		if (parts[i].is_there && !parts[i].is_there(input))
			continue;
		part.options = &options;
		rc = parts[i].make(&part, &page->documents[page->count++], err);
		if (rc)
			return rc;
	}
	return 0;
}

void report_page_fini(struct report_page *page)
{
	while (page->count)
		document_fini(&page->documents[--page->count]);
}
