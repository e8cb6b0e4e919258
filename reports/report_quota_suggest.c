// SPDX-License-Identifier: GPL-2.0-or-later
/* `quota suggest`: the limit that brings the window back, and the curve that it lies on. */
#include "reports/quota_text.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>

enum { LIMIT_SHOWN, LIMIT, USERS, EXCESS_SHOWN, EXCESS, WINDOW, SAVED, NOTE, SUGGESTED };

static const struct column columns[] = {
	[LIMIT_SHOWN] = {"limit", "LIMIT", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_RIGHT,
		"for each user"},
	[LIMIT] = {"limit", "LIMIT", VALUE_COUNT, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"for each user, in the rule's unit"},
	[USERS] = {"users_hit", "USERS HIT", VALUE_COUNT, COLUMN_NO_SUM, "users over it"},
	[EXCESS_SHOWN] = {"excess", "TO GO", VALUE_TEXT, COLUMN_TEXT_ONLY | COLUMN_RIGHT,
		"what they have above it"},
	[EXCESS] = {"excess", "TO GO", VALUE_COUNT, COLUMN_DATA_ONLY | COLUMN_NO_SUM,
		"what they have above it, together"},
	[WINDOW] = {"window_seconds", "WINDOW", VALUE_SECONDS, COLUMN_NO_SUM,
		"backup window once they came within it"},
	[SAVED] = {"saved_seconds", "SAVED", VALUE_SECONDS, COLUMN_NO_SUM | COLUMN_OPTIONAL,
		"of the window as it is"},
	[NOTE] = {"note", "", VALUE_TEXT, COLUMN_TEXT_ONLY, "which one is suggested"},
	[SUGGESTED] = {"suggested", "SUGGESTED", VALUE_TEXT, COLUMN_DATA_ONLY, "yes or no"},
};

static const char *note_of(const struct policy_suggestion *suggestion, size_t at)
{
	if (at != suggestion->best_at)
		return "";
	if (!suggestion->reachable)
		return "as low as it gets";
	return suggestion->best.users ? "suggested" : "no limit needed";
}

static void add_point(struct document *document, struct table *table, enum policy_rule rule,
	bool exact, const struct policy_suggestion *suggestion, size_t at)
{
	const struct policy_point *point = &suggestion->points[at];
	struct value *row = table_row(document, table);
	char text[LABEL_BYTES];

	if (!row)
		return;
	value_set_text(document, &row[LIMIT_SHOWN], quota_amount(rule, point->limit, exact, text));
	value_set_number(&row[LIMIT], point->limit);
	value_set_number(&row[USERS], point->users);
	value_set_text(
		document, &row[EXCESS_SHOWN], quota_amount(rule, point->excess, exact, text));
	value_set_number(&row[EXCESS], point->excess);
	value_set_real(&row[WINDOW], point->seconds);
	value_set_real(&row[SAVED], suggestion->before_seconds - point->seconds);
	value_set_text(document, &row[NOTE], note_of(suggestion, at));
	value_set_text(document, &row[SUGGESTED],
		at == suggestion->best_at && suggestion->reachable ? "yes" : "no");
}

static void add_fields(struct document *document, enum policy_rule rule, double target_seconds,
	const struct policy_suggestion *suggestion)
{
	const struct policy_point *best = &suggestion->best;

	document_field_text(document, "rule", policy_rule_name(rule));
	document_field_real(document, "target_window_seconds", VALUE_SECONDS, target_seconds);
	document_field_text(document, "reachable", suggestion->reachable ? "yes" : "no");
	if (best->users)
		document_field_number(document, "limit", VALUE_COUNT, best->limit);
	else
		document_field_text(document, "limit", NULL);
	document_field_number(document, "users_hit", VALUE_COUNT, best->users);
	document_field_real(
		document, "window_seconds_before", VALUE_SECONDS, suggestion->before_seconds);
	document_field_real(document, "window_seconds_after", VALUE_SECONDS, best->seconds);
}

static void add_answer(struct document *document, enum policy_rule rule, double target_seconds,
	const struct policy_suggestion *suggestion)
{
	const struct policy_point *best = &suggestion->best;
	char target[UNIT_TEXT_BYTES], before[UNIT_TEXT_BYTES], after[UNIT_TEXT_BYTES];
	char limit[LABEL_BYTES], users[LABEL_BYTES];

	unit_format_seconds(target_seconds, target);
	unit_format_seconds(suggestion->before_seconds, before);
	unit_format_seconds(best->seconds, after);
	if (suggestion->reachable && !best->users) {
		document_before(document,
			"The backup window is %s, within %s already: no limit is needed for it.",
			before, target);
		return;
	}
	if (!suggestion->reachable) {
		document_before(document,
			"No limit on %s reaches a backup window of %s: it is %s, and the lowest "
			"that "
			"can be had is %s, at a limit of %s.",
			policy_rule_name(rule), target, before, after,
			quota_amount(rule, best->limit, false, limit));
		return;
	}
	document_before(document,
		"A limit of %s on %s hits %s and brings the backup window from %s to %s.",
		quota_amount(rule, best->limit, false, limit), policy_rule_name(rule),
		report_plural(best->users, "user", "users", users), before, after);
	document_after(document, "As a policy file:");
	document_after(document, "  [users]");
	document_after(document, "  %s.soft = %" PRIu64, policy_rule_name(rule), best->limit);
	if (rule == RULE_TINY_FILES)
		document_after(document,
			"XFS cannot enforce it, as it knows no tiny files; --rule=files suggests "
			"what it can.");
}

int report_quota_suggest(const struct report_input *input, enum policy_rule rule,
	double target_seconds, bool exact, const struct policy_suggestion *suggestion,
	struct document *document, struct err *err)
{
	struct table *table;
	int rc = quota_begin(document, "quota-suggest", input, err);

	if (rc)
		return rc;
	add_fields(document, rule, target_seconds, suggestion);
	add_answer(document, rule, target_seconds, suggestion);
	document_before(
		document, "Other limits, each the lowest that hits no more than so many users:");
	table = document_table(document, "rows", NULL, columns, ARRAY_LENGTH(columns));
	for (size_t i = 0; i < suggestion->count; i++)
		add_point(document, table, rule, exact, suggestion, i);
	return report_end(document, err);
}
