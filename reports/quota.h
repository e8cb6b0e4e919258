/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `quota`: what a policy finds, as a document; and what follows from it, as files for others: a
 * script for the shell, limits for xfs_quota's restore, a text to each user. Nothing is ever set
 * or sent from here.
 */
#ifndef REPORTS_QUOTA_H
#define REPORTS_QUOTA_H

#include "analyzer/policy/evaluation.h"
#include "analyzer/policy/suggest.h"
#include "analyzer/policy/usage.h"
#include "reports/report.h"

#include <stdio.h>

/* What one policy finds. */
struct quota_side {
	struct policy_evaluation evaluation;
	bool has_after;
	double after_seconds; /* the backup window once all came within the policy */
	const char *no_after; /* else, if a window is known at all, why not; or NULL */
};

struct quota_findings {
	size_t count; /* of policies, at least one */
	const struct quota_side *sides;
	bool has_before;
	double before_seconds;              /* the backup window as it is */
	const char *no_window;              /* else why not */
	bool everyone;                      /* rows for those who are within, too */
	bool exact;                         /* text: numbers in full */
	const struct policy_usages *usages; /* of the first policy's owners */
};

/*
 * Who is over which limit, by how much, and what it would bring. Returns as the reports of
 * report.h do.
 */
int report_quota(const struct report_input *input, const struct quota_findings *findings,
	struct document *document, struct err *err);

/* `quota suggest`: a limit, and what else could be had. */
int report_quota_suggest(const struct report_input *input, enum policy_rule rule,
	double target_seconds, bool exact, const struct policy_suggestion *suggestion,
	struct document *document, struct err *err);

/*
 * Writes a script for sh(1) that sets what XFS can enforce of the policy for the owners of the
 * scan, by number. It only shows what it would do unless told to act. Returns 0; -ENODATA with a
 * message if there is nothing to enforce, or no mount point; -ENOMEM. Errors of writing stay in
 * @out.
 */
int quota_write_script(const struct report_input *input, const struct policy_evaluation *evaluation,
	FILE *out, struct err *err);

/* Which kinds of owners a restore file would have something for. */
void quota_restore_kinds(const struct policy_evaluation *evaluation, bool kinds[OWNER_KINDS]);

/*
 * Writes the limits of one kind of owners for `xfs_quota -x -c 'restore -f FILE'`, which sets all
 * limits of an owner: those that the policy says nothing of are as in @usages, if known, else
 * none. Returns as quota_write_script(); -ENODATA also for a device that such a file cannot name;
 * an error in @usages with a message, as limits would be lost.
 */
int quota_write_restore(const struct report_input *input,
	const struct policy_evaluation *evaluation, const struct policy_usages *usages,
	enum owner_kind kind, FILE *out, struct err *err);

/* Whether there is a text to write to the owner: a user over a limit. */
static inline bool quota_wants_mail(const struct policy_verdict *verdict)
{
	return verdict->owner.kind == OWNER_USER && verdict->state != STATE_OK;
}

/*
 * The name of the file for the text to a user, to be freed: NAME.txt where the name is harmless in
 * a file name, else, or if @by_number, uid-N.txt. NULL without memory.
 */
char *quota_mail_file(const struct report_options *options, uint32_t uid, bool by_number);

/*
 * Writes a plain text to a user over a limit: what there is, where, what to do, by when: grace
 * begins at @now_seconds. Lines have 76 columns at most, but for names. Returns 0 or -ENOMEM.
 */
int quota_write_mail(const struct report_input *input, const struct policy *policy,
	const struct policy_verdict *verdict, int64_t now_seconds, FILE *out);

#endif
