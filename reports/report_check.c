// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See check.h. The line follows the guidelines of the Monitoring Plugins: a word for the state,
 * what is wrong or else what was looked at, a bar, and performance data, each of them as
 * label=value[unit];warning;critical;0.
 */
#include "reports/check.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "reports/common.h"
#include "reports/owner_sums.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Growth between scans that are nearer than this says nothing of a day. */
#define LEAST_GROWTH_DAYS 0.5

/* Clocks may differ by so much; a scan that began later than that has the wrong time. */
#define MOST_AHEAD_SECONDS 60

/* One thing that is judged. */
struct finding {
	const char *label;    /* in performance data */
	const char *key;      /* in JSON */
	enum value_type type; /* VALUE_COUNT or VALUE_SECONDS */
	bool known;
	double value;
	char *words; /* "window 9 h 02", owned */
	const struct check_threshold *threshold;
	enum check_state state;
};

enum { WINDOW, USER_TINY, GROWTH, AGE, FINDINGS };

const char *check_state_name(enum check_state state)
{
	static const char *const names[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

	return names[state];
}

char *check_plain(const char *text)
{
	char *plain = NULL;
	size_t length;
	FILE *out = open_memstream(&plain, &length);

	if (!out)
		return NULL;
	for (; *text; text++) {
		if (*text == '|')
			fputs("\\x7c", out);
		else
			putc(*text, out);
	}
	if (!fclose(out))
		return plain;
	free(plain);
	return NULL;
}

/* Worse is later: an alarm must not hide behind what is not known. */
static bool is_worse(enum check_state a, enum check_state b)
{
	static const int rank[] = {
		[CHECK_OK] = 0,
		[CHECK_UNKNOWN] = 1,
		[CHECK_WARNING] = 2,
		[CHECK_CRITICAL] = 3,
	};

	return rank[a] > rank[b];
}

/* As a whole number that fits its type. */
static uint64_t count_of(double value)
{
	return (uint64_t)fmin(fmax(round(value), 0), 0x1p63);
}

static enum check_state judge(const struct check_threshold *threshold, double value)
{
	if (!threshold->given)
		return CHECK_OK;
	if (value > threshold->critical)
		return CHECK_CRITICAL;
	return threshold->has_warning && value > threshold->warning ? CHECK_WARNING : CHECK_OK;
}

/* A value that is known, in words of the caller's that become the finding's. */
static int set_known(struct finding *finding, double value, char *words)
{
	finding->known = true;
	finding->value = value;
	finding->words = words;
	finding->state = judge(finding->threshold, value);
	return words ? 0 : -ENOMEM;
}

/* printf() to a string to be freed; NULL without memory. */
__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return text;
}

static int find_window(const struct report_input *input, struct finding *finding)
{
	char seconds[UNIT_TEXT_BYTES];

	if (input->prediction)
		return set_known(finding, input->prediction->seconds,
			text_of("backup window %s",
				unit_format_seconds(input->prediction->seconds, seconds)));
	if (!finding->threshold->given)
		return 0;
	finding->state = CHECK_UNKNOWN;
	finding->words = text_of("no backup window is known: %s",
		input->no_prediction ? input->no_prediction : "calibrate first");
	return finding->words ? 0 : -ENOMEM;
}

static int find_user_tiny(const struct report_input *input, struct finding *finding)
{
	struct owner_list owners;
	char count[UNIT_TEXT_BYTES];
	autofree char *label = NULL;
	int rc = owner_list_make(input, OWNER_USER, &owners);

	if (rc)
		return rc;
	if (!owners.count) {
		rc = set_known(finding, 0, text_of("no user has a file"));
	} else {
		uint64_t tiny_files = owners.owners[0].tiny_files;

		label = report_owner_label(input->options, OWNER_USER, owners.owners[0].id, NULL);
		rc = label ? set_known(finding, (double)tiny_files,
				     text_of("%s has %s tiny files", label,
					     unit_format_count(tiny_files, count)))
			   : -ENOMEM;
	}
	owner_list_fini(&owners);
	return rc;
}

static int find_growth(const struct report_input *input, struct finding *finding)
{
	const struct growth *growth = input->growth;
	const struct growth_user *most = growth ? growth_most(growth, HISTORY_TINY_FILES) : NULL;
	double days = growth ? growth_days(growth) : 0;
	char count[UNIT_TEXT_BYTES];
	autofree char *label = NULL;
	double a_day;

	if (days < LEAST_GROWTH_DAYS)
		return 0;
	if (!most)
		return set_known(finding, 0, text_of("nobody gained tiny files"));
	a_day = growth_change(most, HISTORY_TINY_FILES) / days;
	label = report_owner_label(input->options, OWNER_USER, most->uid, NULL);
	if (!label)
		return -ENOMEM;
	return set_known(finding, round(a_day),
		text_of("%s gained %s tiny files a day", label,
			unit_format_count(count_of(a_day), count)));
}

static int find_age(const struct report_input *input, int64_t now, struct finding *finding)
{
	double age = (double)now - (double)input->scan->started_seconds;
	char seconds[UNIT_TEXT_BYTES];

	if (age >= -MOST_AHEAD_SECONDS)
		return set_known(finding, fmax(age, 0),
			text_of("scan %s old", unit_format_seconds(fmax(age, 0), seconds)));
	finding->words = text_of("the newest scan is dated %s ahead: a clock is or was wrong",
		unit_format_seconds(-age, seconds));
	if (finding->threshold->given)
		finding->state = CHECK_UNKNOWN;
	return finding->words ? 0 : -ENOMEM;
}

/* --- The line ------------------------------------------------------------------------------ */

/* " above 8 h 00", where a threshold is exceeded. */
static void put_excess(const struct finding *finding, FILE *out)
{
	const struct check_threshold *threshold = finding->threshold;
	double limit = finding->state == CHECK_CRITICAL ? threshold->critical : threshold->warning;
	char text[UNIT_TEXT_BYTES];

	if (!finding->known || finding->state == CHECK_OK)
		return;
	if (finding->type == VALUE_SECONDS)
		unit_format_seconds(limit, text);
	else
		unit_format_count(count_of(limit), text);
	fprintf(out, ", above %s", text);
}

/* In digits and a point: plugins know no exponents. */
static void put_number(double value, FILE *out)
{
	char text[UNIT_TEXT_BYTES];

	char *end = text + snprintf(text, sizeof(text), "%.3f", fmin(value, 0x1p64));

	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	fprintf(out, "%.*s", (int)(end - text), text);
}

static void put_performance(const struct finding *finding, FILE *out)
{
	const struct check_threshold *threshold = finding->threshold;

	fprintf(out, " %s=", finding->label);
	put_number(finding->value, out);
	fputs(finding->type == VALUE_SECONDS ? "s;" : ";", out);
	if (threshold->given && threshold->has_warning)
		put_number(threshold->warning, out);
	putc(';', out);
	if (threshold->given)
		put_number(threshold->critical, out);
	fputs(";0", out);
}

/* What is as bad as @state says, the words of all that is known where nothing is bad. */
static void put_words(const struct finding *findings, enum check_state state, FILE *out)
{
	const char *separator = "";

	for (int i = 0; i < FINDINGS; i++) {
		const struct finding *finding = &findings[i];
		autofree char *plain = finding->words ? check_plain(finding->words) : NULL;

		if (!plain || (state != CHECK_OK && finding->state == CHECK_OK))
			continue;
		fprintf(out, "%s%s", separator, plain);
		put_excess(finding, out);
		separator = "; ";
	}
}

/* The whole line; to be freed, NULL without memory. */
static char *line_of(
	const struct report_input *input, const struct finding *findings, enum check_state state)
{
	const struct scan_info *scan = input->scan;
	autofree char *place = report_place(scan), *plain = place ? check_plain(place) : NULL;
	char *line = NULL;
	size_t length;
	FILE *out = plain ? open_memstream(&line, &length) : NULL;

	if (!out)
		return NULL;
	fprintf(out, "XFSCENSUS %s - %s: ", check_state_name(state), plain);
	put_words(findings, state, out);
	fputs(" |", out);
	for (int i = 0; i < FINDINGS; i++) {
		if (findings[i].known)
			put_performance(&findings[i], out);
	}
	if (!fclose(out))
		return line;
	free(line);
	return NULL;
}

static void fill(struct document *document, const struct report_input *input,
	const struct finding *findings, enum check_state state)
{
	autofree char *line = line_of(input, findings, state);

	if (!line) {
		document->code = -ENOMEM;
		return;
	}
	document_before(document, "%s", line);
	document_field_text(document, "state", check_state_name(state));
	for (int i = 0; i < FINDINGS; i++) {
		const struct finding *finding = &findings[i];

		if (!finding->known)
			continue;
		if (finding->type == VALUE_COUNT)
			document_field_number(
				document, finding->key, VALUE_COUNT, count_of(finding->value));
		else
			document_field_real(document, finding->key, VALUE_SECONDS, finding->value);
	}
}

int report_check(const struct report_input *input, const struct check_limits *limits, int64_t now,
	struct document *document, enum check_state *state, struct err *err)
{
	struct finding findings[FINDINGS] = {
		[WINDOW] = {.label = "window",
			.key = "window_seconds",
			.type = VALUE_SECONDS,
			.threshold = &limits->window},
		[USER_TINY] = {.label = "user_tiny",
			.key = "user_tiny_files",
			.type = VALUE_COUNT,
			.threshold = &limits->user_tiny},
		[GROWTH] = {.label = "user_growth",
			.key = "user_tiny_files_a_day",
			.type = VALUE_COUNT,
			.threshold = &limits->growth},
		[AGE] = {.label = "age",
			.key = "age_seconds",
			.type = VALUE_SECONDS,
			.threshold = &limits->age},
	};

	report_begin(document, "check", input);
	document->csv_fields = true;
	document->whole_lines = true;
	if (find_window(input, &findings[WINDOW]) || find_user_tiny(input, &findings[USER_TINY]) ||
		find_growth(input, &findings[GROWTH]) || find_age(input, now, &findings[AGE]))
		document->code = -ENOMEM;
	*state = CHECK_OK;
	for (int i = 0; i < FINDINGS; i++) {
		if (is_worse(findings[i].state, *state))
			*state = findings[i].state;
	}
	fill(document, input, findings, *state);
	for (int i = 0; i < FINDINGS; i++)
		free(findings[i].words);
	return report_end(document, err);
}
