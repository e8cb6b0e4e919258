// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See quota_emit.h. Texts to users say what they own and where, so a folder for them is made for
 * its owner alone.
 */
#include "cli/quota_emit.h"

#include "base/cleanup.h"
#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static int write_script(FILE *out, void *context, struct err *err)
{
	const struct quota_emission *emission = context;

	return quota_write_script(emission->input, emission->evaluation, out, err);
}

int quota_emit_script(const struct quota_emission *emission, struct err *err)
{
	struct quota_emission copy = *emission;

	return output_written(emission->output, write_script, &copy, err);
}

/* --- Restore files ---------------------------------------------------------------------------- */

struct restore {
	const struct quota_emission *emission;
	enum owner_kind kind;
};

static int write_restore(FILE *out, void *context, struct err *err)
{
	const struct restore *restore = context;
	const struct quota_emission *emission = restore->emission;

	return quota_write_restore(
		emission->input, emission->evaluation, emission->usages, restore->kind, out, err);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int restore_into(
	const struct quota_emission *emission, enum owner_kind kind, struct err *err)
{
	struct restore restore = {emission, kind};
	autofree char *path = NULL;

	if (asprintf(&path, "%s/%s.restore", emission->output, policy_kind_name(kind)) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return output_written(path, write_restore, &restore, err);
}

int quota_emit_restore(const struct quota_emission *emission, struct err *err)
{
	struct restore restore = {emission, OWNER_USER};
	bool kinds[OWNER_KINDS];
	int rc = 0, count = 0;

	quota_restore_kinds(emission->evaluation, kinds);
	for (int kind = 0; kind < OWNER_KINDS; kind++) {
		count += kinds[kind];
		if (kinds[kind])
			restore.kind = kind;
	}
	if (!is_folder(emission->output)) {
		if (count > 1)
			return err_set(err, -EINVAL,
				"the policy has limits for several kinds of owners, and a restore "
				"file holds one: name a folder by --output");
		return output_written(emission->output, write_restore, &restore, err);
	}
	for (int kind = 0; kind < OWNER_KINDS && !rc; kind++)
		if (kinds[kind] || (!count && kind == OWNER_USER))
			rc = restore_into(emission, kind, err);
	return rc;
}

/* --- Mail ------------------------------------------------------------------------------------- */

struct mail {
	const struct quota_emission *emission;
	const struct policy_verdict *verdict;
};

static int write_mail(FILE *out, void *context, struct err *err)
{
	const struct mail *mail = context;
	int rc = quota_write_mail(
		mail->emission->input, mail->emission->evaluation->policy, mail->verdict, out);

	return rc ? err_set(err, rc, "out of memory") : 0;
}

static int mail_one(const struct quota_emission *emission, const struct policy_verdict *verdict,
	struct err *err)
{
	struct mail mail = {emission, verdict};
	autofree char *file = quota_mail_file(emission->input->options, verdict->owner.id);
	autofree char *path = NULL;

	if (!file || asprintf(&path, "%s/%s", emission->output, file) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return output_written(path, write_mail, &mail, err);
}

int quota_emit_mail(const struct quota_emission *emission, size_t *written, struct err *err)
{
	const struct policy_evaluation *evaluation = emission->evaluation;
	int rc = 0;

	*written = 0;
	if (!is_folder(emission->output) && mkdir(emission->output, 0700))
		return err_set_errno(err, -errno, "cannot make the folder %s", emission->output);
	for (size_t i = 0; i < evaluation->count && !rc; i++) {
		if (!quota_wants_mail(&evaluation->verdicts[i]))
			continue;
		rc = mail_one(emission, &evaluation->verdicts[i], err);
		*written += !rc;
	}
	return rc;
}
