/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the quota reports and files share; only they include it. */
#ifndef REPORTS_QUOTA_TEXT_H
#define REPORTS_QUOTA_TEXT_H

#include "reports/common.h"
#include "reports/quota.h"

/* report_begin(), and in text the line on the scan. Returns 0, or -ENOMEM with a message. */
int quota_begin(struct document *document, const char *name, const struct report_input *input,
	struct err *err);

/* "13.1 M", "31 GiB", "54 %", or all digits if @exact. Returns @out. */
const char *quota_amount(enum policy_rule rule, uint64_t amount, bool exact, char out[LABEL_BYTES]);

/* The table of what the kernel accounts for beside the census, or a line that says why not. */
void quota_add_usage(struct document *document, const struct report_input *input,
	const struct quota_findings *findings);

/* @text in single quotes for sh(1), to be freed; NULL without memory. */
char *quota_shell_quote(const char *text);

/* Records that XFS can enforce nothing of the policy, and returns -ENODATA. */
int quota_nothing_to_enforce(const struct policy_evaluation *evaluation, struct err *err);

/* That the scan is of XFS, whose quota xfs_quota sets. Returns 0 or -ENODATA with a message. */
int quota_check_xfs(const struct scan_info *scan, struct err *err);

#endif
