/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the files go that `quota --emit` writes. */
#ifndef CLI_QUOTA_EMIT_H
#define CLI_QUOTA_EMIT_H

#include "cli/options.h"
#include "reports/quota.h"

struct quota_emission {
	const struct report_input *input;
	const struct policy_evaluation *evaluation;
	const struct policy_usages *usages;
	const char *output; /* --output; NULL: standard output */
};

/* The script, to one place. Each returns 0 or a negative errno with a message. */
int quota_emit_script(const struct quota_emission *emission, struct err *err);

/* The restore file, or for each kind of owners KIND.restore in the folder that --output names. */
int quota_emit_restore(const struct quota_emission *emission, struct err *err);

/*
 * A text for each user over a limit, into the folder that --output names, which is made or must be
 * empty; @written: how many.
 */
int quota_emit_mail(const struct quota_emission *emission, size_t *written, struct err *err);

#endif
