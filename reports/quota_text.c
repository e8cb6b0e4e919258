// SPDX-License-Identifier: GPL-2.0-or-later
/* See quota_text.h. */
#include "reports/quota_text.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int quota_begin(struct document *document, const char *name, const struct report_input *input,
	struct err *err)
{
	struct census_totals totals;
	int rc = report_total(input, &totals);

	report_begin(document, name, input);
	if (rc)
		return err_set(err, rc, "out of memory");
	report_scan_line(document, input->scan, totals.inodes);
	return 0;
}

const char *quota_amount(enum policy_rule rule, uint64_t amount, bool exact, char out[LABEL_BYTES])
{
	char text[UNIT_TEXT_BYTES];

	if (rule == RULE_TINY_PERCENT)
		snprintf(out, LABEL_BYTES, "%" PRIu64 " %%", amount);
	else if (exact)
		snprintf(out, LABEL_BYTES, "%" PRIu64, amount);
	else if (policy_rule_is_bytes(rule))
		snprintf(out, LABEL_BYTES, "%s", unit_format_bytes(amount, text));
	else
		snprintf(out, LABEL_BYTES, "%s", unit_format_count(amount, text));
	return out;
}

char *quota_shell_quote(const char *text)
{
	static const char quote[] = "'\\''";
	char *quoted = malloc(strlen(text) * strlen(quote) + 3), *at = quoted;

	if (!quoted)
		return NULL;
	*at++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			at = stpcpy(at, quote);
		else
			*at++ = *text;
	}
	*at++ = '\'';
	*at = '\0';
	return quoted;
}

int quota_nothing_to_enforce(const struct policy_evaluation *evaluation, struct err *err)
{
	return err_set(err, -ENODATA,
		"policy %s gives no owner of the scan a limit that XFS could enforce: those are "
		"inodes, files, files_per_tb, bytes and allocated_bytes",
		evaluation->policy->name);
}

int quota_check_xfs(const struct scan_info *scan, struct err *err)
{
	if (!strcmp(scan->fs_type, "xfs"))
		return 0;
	return err_set(err, -ENODATA,
		"scan %" PRId64 " is of %s, and xfs_quota sets limits on XFS only", scan->scan_id,
		scan->fs_type);
}
