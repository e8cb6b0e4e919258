/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `quota` works on: a scan with all that goes with it, and policies held against it. */
#ifndef CLI_QUOTA_MATERIAL_H
#define CLI_QUOTA_MATERIAL_H

#include "analyzer/policy/policy.h"
#include "analyzer/policy/within.h"
#include "cli/options.h"
#include "cli/selection.h"
#include "reports/quota.h"

struct quota_material {
	struct selection selection;
	struct ages ages;
	struct directories directories;
	struct policy_material policy; /* the same, as policies want it */
	struct policy_window_basis basis;
	struct err no_window; /* code not 0: why there is no backup window */
};

/* Loads the scan that @args name. On error, with a message, there is nothing to free. */
int quota_material_load(struct quota_material *material, const struct common_args *common,
	const struct selection_args *args, struct err *err);
void quota_material_fini(struct quota_material *material);

/*
 * Reads the policies that @names name, each a file, or a preset by its name alone; without any,
 * the built-in one. @policies has room for OPTION_TEXTS_MAX. Returns how many there are, or a
 * negative errno with a message and nothing to free.
 */
int quota_policies_load(const struct option_texts *names, struct policy *policies, struct err *err);

/*
 * Asks the kernel what it accounts for the owners of @evaluation; that it cannot be had is said in
 * @usages, whose texts are in @why. Returns 0 or -ENOMEM with a message. To be freed.
 */
int quota_usages_ask(const struct scan_info *scan, const struct policy_evaluation *evaluation,
	struct policy_usages *usages, struct err *why, struct err *err);
void quota_usages_fini(struct policy_usages *usages);

#endif
