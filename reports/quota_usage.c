// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of `quota` that has the kernel's own accounting beside the census. */
#include "reports/quota_text.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OWNER, KIND, ID, NAME, INODES, QUOTA_INODES, ALLOCATED, QUOTA_ALLOCATED, DIFFERENCE };

static const struct column columns[] = {
	[OWNER] = OWNER_COLUMN("OWNER"),
	[KIND] = {"kind", "KIND", VALUE_TEXT, COLUMN_DATA_ONLY, "user, group or project"},
	[ID] = {"id", "ID", VALUE_ID, COLUMN_DATA_ONLY, "user, group or project id"},
	[NAME] = NAME_COLUMN,
	[INODES] = {"inodes", "INODES", VALUE_COUNT, 0, "of all kinds, by the scan"},
	[QUOTA_INODES] = {"quota_inodes", "BY QUOTA", VALUE_COUNT, 0,
		"of all kinds, by quota accounting"},
	[ALLOCATED] = {"allocated_bytes", "ALLOCATED", VALUE_BYTES, 0, "by the scan"},
	[QUOTA_ALLOCATED] = {"quota_allocated_bytes", "BY QUOTA", VALUE_BYTES, 0,
		"by quota accounting"},
	[DIFFERENCE] = {"difference", "WHY THEY DIFFER", VALUE_TEXT, 0, "the likeliest cause"},
};

static void add_row(struct document *document, struct table *table,
	const struct report_input *input, const struct policy_owner *owner,
	const struct policy_usage *usage)
{
	const struct policy_usage_scan scan = {
		.whole_filesystem = input->scan->whole_filesystem,
		.errors = input->scan->errors,
	};
	autofree char *name = NULL;
	autofree char *label = report_owner_label(input->options, owner->kind, owner->id, &name);
	struct value *row = table_row(document, table);

	if (!row)
		return;
	value_set_text(document, &row[OWNER], label);
	value_set_text(document, &row[KIND], policy_kind_name(owner->kind));
	value_set_number(&row[ID], owner->id);
	value_set_text(document, &row[NAME], name);
	value_set_number(&row[INODES], owner->inodes);
	value_set_number(&row[ALLOCATED], owner->allocated_bytes);
	if (usage->known) {
		value_set_number(&row[QUOTA_INODES], usage->inodes);
		value_set_number(&row[QUOTA_ALLOCATED], usage->allocated_bytes);
	}
	value_set_text(document, &row[DIFFERENCE],
		policy_usage_explain(usage, owner->inodes, owner->allocated_bytes, &scan));
}

/* "user and group" */
static void list_kinds(const bool kinds[OWNER_KINDS], char out[LABEL_BYTES])
{
	out[0] = '\0';
	for (int kind = 0; kind < OWNER_KINDS; kind++) {
		size_t used = strlen(out);

		if (kinds[kind])
			snprintf(out + used, LABEL_BYTES - used, "%s%s", used ? " and " : "",
				policy_kind_name(kind));
	}
}

/* Which accounting is on, or why that is not known. Returns whether there is something to show. */
static bool add_state(struct document *document, const struct policy_usages *usages)
{
	char accounted[LABEL_BYTES], enforced[LABEL_BYTES];

	if (!usages || !usages->present) {
		document_field_text(document, "quota_accounting", NULL);
		document_field_bytes(
			document, "quota_unknown", usages && usages->why ? usages->why : NULL);
		if (usages && usages->why)
			document_after(
				document, "Quota as the kernel accounts for it: %s.", usages->why);
		return false;
	}
	list_kinds(usages->accounted, accounted);
	list_kinds(usages->enforced, enforced);
	document_field_text(document, "quota_accounting", accounted[0] ? accounted : "off");
	document_field_text(document, "quota_enforcement", enforced[0] ? enforced : "off");
	if (!accounted[0])
		document_after(document,
			"Quota accounting is off here, so there is no second opinion on what they "
			"have, and limits cannot be set; it is a mount option: uquota, gquota, "
			"pquota.");
	else
		document_after(document, "Quota accounting is on for %s quota, enforcement: %s.",
			accounted, enforced[0] ? enforced : "off");
	return accounted[0];
}

void quota_add_usage(struct document *document, const struct report_input *input,
	const struct quota_findings *findings)
{
	const struct policy_evaluation *evaluation = &findings->sides[0].evaluation;
	const struct policy_usages *usages = findings->usages;
	struct table *table;

	if (!add_state(document, usages))
		return;
	table = document_table(
		document, "usage", "Beside quota accounting:", columns, ARRAY_LENGTH(columns));
	for (size_t i = 0; i < evaluation->count && i < usages->count; i++) {
		const struct policy_verdict *verdict = &evaluation->verdicts[i];

		if (usages->accounted[verdict->owner.kind] &&
			(findings->everyone || verdict->state != STATE_OK))
			add_row(document, table, input, &verdict->owner, &usages->usages[i]);
	}
	if (table)
		table_fold(document, table, input->options->top);
}
