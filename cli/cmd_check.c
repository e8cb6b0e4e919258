// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `xfscensus check`: a plugin for Nagios, Icinga and their kin. Its exit status is theirs, so that
 * everything that keeps it from judging is UNKNOWN, wrong usage included, and told on standard
 * output, where they look.
 */
#include "base/checked.h"
#include "base/clock.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/past.h"
#include "cli/selection.h"
#include "reports/check.h"

#include <errno.h>
#include <string.h>

#define THRESHOLD_BYTES 64

/* Growth is told as an average over about so many days. */
#define GROWTH_DAYS 7

struct check_args {
	struct common_args common;
	struct selection_args selection;
	const char *window;
	const char *user_tiny;
	const char *growth;
	const char *max_age;
};

static const struct option_spec options[] = {
	{.name = "fs",
		.type = OPTION_TEXT,
		.offset = offsetof(struct check_args, selection.fs),
		.value = "MOUNT|UUID",
		.help = "judge the newest scan of that filesystem, or of a tree that was scanned "
			"alone; "
			"by default the newest of a whole filesystem"},
	{.name = "window",
		.type = OPTION_TEXT,
		.offset = offsetof(struct check_args, window),
		.value = "[WARN:]CRIT",
		.help = "how long a level-0 dump may take, such as 8h or 6h:8h"},
	{.name = "user-tiny",
		.type = OPTION_TEXT,
		.offset = offsetof(struct check_args, user_tiny),
		.value = "[WARN:]CRIT",
		.help = "how many tiny files any one user may have, such as 1M"},
	{.name = "growth",
		.type = OPTION_TEXT,
		.offset = offsetof(struct check_args, growth),
		.value = "[WARN:]CRIT",
		.help = "how many tiny files a day any one user may gain, on average over about "
			"a week"},
	{.name = "max-age",
		.type = OPTION_TEXT,
		.offset = offsetof(struct check_args, max_age),
		.value = "[WARN:]CRIT",
		.help = "how long ago the newest scan may have begun, such as 36h"},
	{0},
};

/* --- Thresholds ------------------------------------------------------------------------------- */

/* One number of a threshold, a duration or a count. */
static int parse_number(const char *text, bool is_count, double *value)
{
	uint64_t count;
	int rc;

	if (!is_count)
		return unit_parse_seconds(text, value);
	rc = unit_parse_count(text, &count);
	*value = rc ? 0 : (double)count;
	return rc;
}

/* "8h", or "6h:8h" with a warning before. */
static int parse_threshold(const char *name, const char *text, bool is_count,
	struct check_threshold *threshold, struct err *err)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	char warning[THRESHOLD_BYTES] = "";
	int rc = 0;

	if (!text)
		return 0;
	threshold->given = true;
	threshold->has_warning = colon;
	if (colon && (size_t)(colon - text) < sizeof(warning)) {
		memcpy(warning, text, (size_t)(colon - text));
		rc = parse_number(warning, is_count, &threshold->warning);
	} else if (colon) {
		rc = -EINVAL;
	}
	if (!rc)
		rc = parse_number(colon ? colon + 1 : text, is_count, &threshold->critical);
	if (rc)
		return err_set(err, -EINVAL, "--%s: \"%.100s\" is not a %s, or two as WARN:CRIT",
			name, text,
			is_count ? "number such as 500k or 1M" : "duration such as 36h");
	if (colon && threshold->warning > threshold->critical)
		return err_set(err, -EINVAL,
			"--%s: \"%.100s\": the warning comes first, and is "
			"not the larger one",
			name, text);
	return 0;
}

static int parse_limits(const struct check_args *args, struct check_limits *limits, struct err *err)
{
	int rc = parse_threshold("window", args->window, false, &limits->window, err);

	if (!rc)
		rc = parse_threshold("user-tiny", args->user_tiny, true, &limits->user_tiny, err);
	if (!rc)
		rc = parse_threshold("growth", args->growth, true, &limits->growth, err);
	return rc ? rc : parse_threshold("max-age", args->max_age, false, &limits->age, err);
}

/* --- Judging ---------------------------------------------------------------------------------- */

/* The growth since about a week before; none where there is no older scan. */
static int load_growth(struct store *store, const struct selection *selection,
	struct growth *growth, struct err *err)
{
	int64_t scan_id, since = sat_add_i64(
				 selection->scan.started_seconds, -GROWTH_DAYS * SECONDS_PER_DAY);
	struct history history = {0};
	int rc = store_load_history(store, selection->scan.scan_id, NULL, &history, err);

	if (!rc)
		rc = past_find_near(&history, selection, since, &scan_id, err);
	if (!rc)
		rc = past_load_growth(store, selection, scan_id, growth, err);
	history_fini(&history);
	if (rc != -ENODATA)
		return rc;
	err_clear(err);
	return 0;
}

/* Why there is no window, for one that was asked for; NULL if calibrating would help. */
static const char *why_no_window(const struct selection *selection)
{
	if (selection->no_prediction.code)
		return selection->no_prediction.message;
	return selection->scan.whole_filesystem ? NULL : "the scan is of a tree alone";
}

static int show(const struct check_args *args, const struct selection *selection,
	const struct growth *growth, const struct check_limits *limits, enum check_state *state,
	struct err *err)
{
	const struct report_options report_options = {.owner_name = names_lookup};
	const struct report_input input = {
		.scan = &selection->scan,
		.cube = &selection->cube,
		.prediction = selection->has_prediction ? &selection->prediction : NULL,
		.no_prediction = why_no_window(selection),
		.growth = growth->count ? growth : NULL,
		.options = &report_options,
	};
	struct document document;
	int rc = report_check(&input, limits, clock_unix_seconds(), &document, state, err);

	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

static int check(const struct check_args *args, struct store *store,
	const struct check_limits *limits, enum check_state *state, struct err *err)
{
	struct selection selection;
	struct growth growth = {0};
	int rc = selection_load(store, &args->selection, &selection, err);

	if (rc)
		return rc;
	rc = load_growth(store, &selection, &growth, err);
	if (!rc)
		rc = show(args, &selection, &growth, limits, state, err);
	growth_fini(&growth);
	selection_fini(&selection);
	return rc;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	static const enum exit_status statuses[] = {
		[CHECK_OK] = STATUS_CLEAN,
		[CHECK_WARNING] = STATUS_PARTIAL,
		[CHECK_CRITICAL] = STATUS_FAILED,
		[CHECK_UNKNOWN] = STATUS_UNKNOWN,
	};
	const struct check_args *args = arguments;
	enum check_state state = CHECK_UNKNOWN;
	struct check_limits limits = {0};
	struct store *store;

	(void)operands;
	if (parse_limits(args, &limits, err) ||
		database_open(&args->common, STORE_READ, &store, err))
		return STATUS_UNKNOWN;
	if (check(args, store, &limits, &state, err))
		state = CHECK_UNKNOWN;
	store_close(store);
	return statuses[state];
}

const struct command command_check = {
	.name = "check",
	.summary = "judge the newest scan for a monitoring system: OK, WARNING, CRITICAL, UNKNOWN",
	.operands = "",
	.options = options,
	.is_plugin = true,
	.args_bytes = sizeof(struct check_args),
	.run = run,
};
