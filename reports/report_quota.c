// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `quota`: a row for each owner and rule. People see who is over, worst first; data has everybody.
 * Numbers are counts or bytes by rule, so text has columns of its own for them.
 */
#include "reports/common.h"
#include "reports/quota.h"
#include "reports/quota_text.h"

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	POLICY,
	OWNER,
	KIND,
	ID,
	NAME,
	RULE,
	VALUE_SHOWN,
	LIMIT_SHOWN,
	OVER_SHOWN,
	VALUE,
	LIMIT,
	EXCESS,
	STATE,
	SOFT,
	HARD
};

static const struct column columns[] = {
	[POLICY] = {"policy", "POLICY", VALUE_TEXT, COLUMN_DATA_ONLY, "whose limit it is"},
	[OWNER] = OWNER_COLUMN("OWNER"),
	[KIND] = {"kind", "KIND", VALUE_TEXT, COLUMN_DATA_ONLY, "user, group or project"},
	[ID] = {"id", "ID", VALUE_ID, COLUMN_DATA_ONLY, "user, group or project id"},
	[NAME] = NAME_COLUMN,
	[RULE] = {"rule", "RULE", VALUE_TEXT, 0, "what is limited, its unit included"},
	[VALUE_SHOWN] = {"value", "HAS", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_RIGHT,
		"what the owner has"},
	[LIMIT_SHOWN] = {"limit", "LIMIT", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_RIGHT,
		"the limit"},
	[OVER_SHOWN] = {"over", "TO GO", VALUE_TEXT,
		COLUMN_TEXT_ONLY | COLUMN_RIGHT | COLUMN_OPTIONAL, "down to the soft limit"},
	[VALUE] = {"value", "HAS", VALUE_COUNT, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"what the owner has, in the rule's unit"},
	[LIMIT] = {"limit", "LIMIT", VALUE_COUNT, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"the limit that it is above; if none, the nearest"},
	[EXCESS] = {"excess", "TO GO", VALUE_COUNT, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"down to the soft limit, or the hard one if there is no soft one"},
	[STATE] = {"state", "STATE", VALUE_TEXT, 0, "ok, or which limit it is above"},
	[SOFT] = {"soft", "SOFT", VALUE_COUNT, COLUMN_DATA_ONLY | COLUMN_NO_SUM, "soft limit"},
	[HARD] = {"hard", "HARD", VALUE_COUNT, COLUMN_DATA_ONLY | COLUMN_NO_SUM, "hard limit"},
};

enum { SIDE_POLICY, SIDE_SOURCE, SIDE_OK, SIDE_SOFT, SIDE_HARD, SIDE_EXEMPT, SIDE_AFTER };

static const struct column side_columns[] = {
	[SIDE_POLICY] = {"policy", "POLICY", VALUE_TEXT, COLUMN_STRETCH, "name of the policy"},
	[SIDE_SOURCE] = {"source", "SOURCE", VALUE_TEXT, COLUMN_DATA_ONLY, "who published it"},
	[SIDE_OK] = {"owners_ok", "WITHIN", VALUE_COUNT, 0, "owners within all limits"},
	[SIDE_SOFT] = {"owners_soft", "OVER SOFT", VALUE_COUNT, 0,
		"owners over a soft limit, and no hard one"},
	[SIDE_HARD] = {"owners_hard", "OVER HARD", VALUE_COUNT, 0, "owners over a hard limit"},
	[SIDE_EXEMPT] = {"owners_exempt", "EXEMPT", VALUE_COUNT, COLUMN_OPTIONAL,
		"owners that no limit holds for"},
	[SIDE_AFTER] = {"window_seconds_after", "WINDOW AFTER", VALUE_SECONDS, COLUMN_NO_SUM,
		"backup window once all came within the limits"},
};

/* --- Rows ------------------------------------------------------------------------------------- */

struct row {
	const struct policy_verdict *verdict;
	struct policy_finding finding;
};

/* How many times the limit; what is above a limit of 0 is infinitely above. */
static double times_limit(const struct policy_finding *finding)
{
	return (double)finding->value / (double)finding->limit;
}

static int worst_first(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	double above = times_limit(&a->finding) - times_limit(&b->finding);

	if (a->finding.state != b->finding.state)
		return a->finding.state < b->finding.state ? 1 : -1;
	if (a->finding.state != STATE_OK && (above > 0 || above < 0))
		return above < 0 ? 1 : -1;
	/* verdicts lie in order of kind and id */
	if (a->verdict != b->verdict)
		return a->verdict > b->verdict ? 1 : -1;
	return (int)a->finding.rule - (int)b->finding.rule;
}

static size_t collect_rows(
	const struct policy_evaluation *evaluation, bool everyone, struct row *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < evaluation->count; i++) {
		for (int rule = 0; rule < POLICY_RULES; rule++) {
			struct row *row = &rows[count];

			row->verdict = &evaluation->verdicts[i];
			if (policy_finding_of(row->verdict, rule, &row->finding) &&
				(everyone || row->finding.state != STATE_OK))
				count++;
		}
	}
	qsort(rows, count, sizeof(*rows), worst_first);
	return count;
}

static void set_limit(struct value *value, uint64_t limit)
{
	if (limit < POLICY_NONE)
		value_set_number(value, limit);
}

/* Who an owner is; looked up once, however many rows it has. */
struct label {
	char *label;
	char *name;
};

static void set_owner(struct document *document, const struct report_options *options,
	const struct policy_owner *owner, struct label *label, struct value *row)
{
	if (!label->label)
		label->label = report_owner_label(options, owner->kind, owner->id, &label->name);
	if (!label->label) {
		document->code = -ENOMEM;
		return;
	}
	value_set_text(document, &row[OWNER], label->label);
	value_set_text(document, &row[NAME], label->name);
	value_set_text(document, &row[KIND], policy_kind_name(owner->kind));
	value_set_number(&row[ID], owner->id);
}

static void add_row(struct document *document, struct table *table,
	const struct report_options *options, const char *policy, bool exact,
	const struct row *from, struct label *label)
{
	const struct policy_finding *finding = &from->finding;
	struct value *row = table_row(document, table);
	char text[LABEL_BYTES];

	if (!row)
		return;
	value_set_bytes(document, &row[POLICY], policy);
	set_owner(document, options, &from->verdict->owner, label, row);
	value_set_text(document, &row[RULE], policy_rule_name(finding->rule));
	value_set_text(document, &row[VALUE_SHOWN],
		quota_amount(finding->rule, finding->value, exact, text));
	value_set_text(document, &row[LIMIT_SHOWN],
		quota_amount(finding->rule, finding->limit, exact, text));
	if (policy_excess(finding))
		value_set_text(document, &row[OVER_SHOWN],
			quota_amount(finding->rule, policy_excess(finding), exact, text));
	value_set_number(&row[VALUE], finding->value);
	value_set_number(&row[LIMIT], finding->limit);
	value_set_number(&row[EXCESS], policy_excess(finding));
	value_set_text(document, &row[STATE], policy_state_name(finding->state));
	set_limit(&row[SOFT], finding->soft);
	set_limit(&row[HARD], finding->hard);
}

static void add_rows(struct document *document, struct table *table,
	const struct report_options *options, const struct quota_findings *findings,
	const struct quota_side *side)
{
	const struct policy_evaluation *evaluation = &side->evaluation;
	autofree struct row *rows = calloc(evaluation->count * POLICY_RULES + 1, sizeof(*rows));
	autofree struct label *labels = calloc(evaluation->count + 1, sizeof(*labels));
	size_t count = rows && labels ? collect_rows(evaluation, findings->everyone, rows) : 0;

	if (!rows || !labels)
		document->code = -ENOMEM;
	for (size_t i = 0; i < count; i++)
		add_row(document, table, options, evaluation->policy->name, findings->exact,
			&rows[i], &labels[rows[i].verdict - evaluation->verdicts]);
	for (size_t i = 0; labels && i < evaluation->count; i++) {
		free(labels[i].label);
		free(labels[i].name);
	}
}

/* --- Policies --------------------------------------------------------------------------------- */

static size_t owners_in(const struct policy_evaluation *evaluation, enum policy_state state)
{
	size_t count = 0;

	for (int kind = 0; kind < OWNER_KINDS; kind++)
		count += evaluation->owners[kind][state];
	return count;
}

static size_t owners_exempt(const struct policy_evaluation *evaluation)
{
	size_t count = 0;

	for (int kind = 0; kind < OWNER_KINDS; kind++)
		count += evaluation->exempt[kind];
	return count;
}

static void add_sides(struct document *document, const struct quota_findings *findings)
{
	struct table *table = document_table(
		document, "policies", NULL, side_columns, ARRAY_LENGTH(side_columns));

	if (table && findings->count == 1)
		table->flags = TABLE_DATA_ONLY;
	for (size_t i = 0; i < findings->count; i++) {
		const struct quota_side *side = &findings->sides[i];
		const struct policy_evaluation *evaluation = &side->evaluation;
		struct value *row = table_row(document, table);

		if (!row)
			return;
		value_set_bytes(document, &row[SIDE_POLICY], evaluation->policy->name);
		value_set_bytes(document, &row[SIDE_SOURCE], evaluation->policy->source);
		value_set_number(&row[SIDE_OK], owners_in(evaluation, STATE_OK));
		value_set_number(&row[SIDE_SOFT], owners_in(evaluation, STATE_SOFT));
		value_set_number(&row[SIDE_HARD], owners_in(evaluation, STATE_HARD));
		value_set_number(&row[SIDE_EXEMPT], owners_exempt(evaluation));
		if (side->has_after)
			value_set_real(&row[SIDE_AFTER], side->after_seconds);
	}
}

/* "Policy zib: 2 of 212 owners are over a limit, 1 of them over a hard one; 14 are exempt." */
static void add_policy_line(struct document *document, const struct policy_evaluation *evaluation)
{
	const struct policy *policy = evaluation->policy;
	autofree char *name = bytes_escape(policy->name, strlen(policy->name));
	size_t hard = owners_in(evaluation, STATE_HARD);
	size_t over = owners_in(evaluation, STATE_SOFT) + hard;
	size_t exempt = owners_exempt(evaluation);
	char all[LABEL_BYTES], hard_ones[LABEL_BYTES] = "";

	if (hard)
		snprintf(hard_ones, sizeof(hard_ones), ", %zu of them over a hard one", hard);
	document_before(document, "Policy %s: %zu of %s %s over a limit%s; %zu %s exempt.",
		name ? name : "?", over,
		report_plural(over + owners_in(evaluation, STATE_OK), "owner", "owners", all),
		over == 1 ? "is" : "are", hard_ones, exempt, exempt == 1 ? "is" : "are");
}

/* Whose files are taken to go, in the order of enum going, as within.h has it. */
enum going { GO_PACKED, GO_BY_SIZE, GO_OLD, GOINGS };

static enum going going_by(enum policy_rule rule)
{
	switch (rule) {
	case RULE_BYTES:
	case RULE_ALLOCATED_BYTES:
		return GO_BY_SIZE;
	case RULE_OLD_FILES:
	case RULE_OLD_BYTES:
		return GO_OLD;
	default:
		return GO_PACKED;
	}
}

/* "their tiny files first, packed into archives; of all sizes in proportion"; "" if none has to. */
static void what_goes(const struct policy_evaluation *evaluation, char out[2 * LABEL_BYTES])
{
	static const char *const words[GOINGS] = {
		[GO_PACKED] = "their tiny files first, packed into archives",
		[GO_BY_SIZE] = "files of all sizes in proportion",
		[GO_OLD] = "old files",
	};
	bool goes[GOINGS] = {false};

	for (size_t i = 0; i < evaluation->count; i++) {
		for (int rule = 0; rule < POLICY_RULES; rule++) {
			struct policy_finding finding;

			if (policy_finding_of(&evaluation->verdicts[i], rule, &finding) &&
				finding.state != STATE_OK)
				goes[going_by(rule)] = true;
		}
	}
	out[0] = '\0';
	for (int going = 0; going < GOINGS; going++) {
		size_t used = strlen(out);

		if (goes[going])
			snprintf(out + used, 2 * LABEL_BYTES - used, "%s%s", used ? "; " : "",
				words[going]);
	}
}

/* "Backup window: 18 h 14; 1 h 40 if all came within their limits, their tiny files first, …" */
static void add_window_line(
	struct document *document, const char *before, const struct quota_side *side)
{
	char after[UNIT_TEXT_BYTES], going[2 * LABEL_BYTES];

	what_goes(&side->evaluation, going);
	if (!*going)
		document_before(
			document, "Backup window: %s; all are within their limits.", before);
	else
		document_before(document,
			"Backup window: %s; %s if all came within their limits, %s.", before,
			unit_format_seconds(side->after_seconds, after), going);
}

static void add_window_lines(struct document *document, const struct quota_findings *findings)
{
	char before[UNIT_TEXT_BYTES];

	if (!findings->has_before) {
		document_before(document, "No backup window: %s.", findings->no_window);
		return;
	}
	unit_format_seconds(findings->before_seconds, before);
	for (size_t i = 0; i < findings->count; i++) {
		const struct quota_side *side = &findings->sides[i];

		if (side->has_after && findings->count == 1)
			add_window_line(document, before, side);
		else if (!side->has_after)
			document_before(document,
				"Backup window: %s; what it would be is not known: %s.", before,
				side->no_after ? side->no_after : "?");
	}
	if (findings->count > 1)
		document_before(document, "Backup window as it is: %s.", before);
}

static void add_window_fields(struct document *document, const struct quota_findings *findings)
{
	const struct quota_side *side = &findings->sides[0];

	if (findings->has_before)
		document_field_real(
			document, "window_seconds_before", VALUE_SECONDS, findings->before_seconds);
	else
		document_field_text(document, "window_seconds_before", NULL);
	if (findings->count == 1 && side->has_after)
		document_field_real(
			document, "window_seconds_after", VALUE_SECONDS, side->after_seconds);
	else
		document_field_text(document, "window_seconds_after", NULL);
	document_field_bytes(document, "window_unknown",
		findings->has_before ? side->no_after : findings->no_window);
}

static void add_next_line(struct document *document, const struct quota_findings *findings)
{
	if (findings->count > 1)
		return;
	document_after(document,
		"Next: xfscensus quota --emit=script|restore · --emit=mail --output=FOLDER · "
		"xfscensus quota suggest --window=8h");
}

int report_quota(const struct report_input *input, const struct quota_findings *findings,
	struct document *document, struct err *err)
{
	struct table *table;
	int rc = quota_begin(document, "quota", input, err);

	if (rc)
		return rc;
	add_window_fields(document, findings);
	if (findings->count == 1)
		add_policy_line(document, &findings->sides[0].evaluation);
	add_window_lines(document, findings);
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	if (table && findings->count > 1)
		table->flags = TABLE_DATA_ONLY;
	for (size_t i = 0; i < findings->count; i++)
		add_rows(document, table, input->options, findings, &findings->sides[i]);
	rc = report_arrange(document, table, input->options, err);
	if (rc)
		return rc;
	add_sides(document, findings);
	quota_add_usage(document, input, findings);
	add_next_line(document, findings);
	return report_end(document, err);
}
