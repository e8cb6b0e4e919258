// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See quota_emit.h. Texts to users say what they own and where, so they and a folder for them are
 * for their owner alone, and none is written where there are others: who sends all that the folder
 * holds must not send what was true a month ago.
 */
#include "cli/quota_emit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	return output_private(path, write_restore, &restore, err);
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
	int rc = quota_write_mail(mail->emission->input, mail->emission->evaluation->policy,
		mail->verdict, clock_unix_seconds(), out);

	return rc ? err_set(err, rc, "out of memory") : 0;
}

/* Where the text to a user goes; to be freed. */
static char *mail_path(const struct quota_emission *emission, uint32_t uid, bool by_number)
{
	autofree char *file = quota_mail_file(emission->input->options, uid, by_number);
	char *path;

	if (!file || asprintf(&path, "%s/%s", emission->output, file) < 0)
		return NULL;
	return path;
}

static int mail_one(const struct quota_emission *emission, const struct policy_verdict *verdict,
	struct err *err)
{
	struct mail mail = {emission, verdict};
	autofree char *path = mail_path(emission, verdict->owner.id, false);

	/* the folder was empty: somebody else has the same name */
	if (path && !access(path, F_OK)) {
		free(path);
		path = mail_path(emission, verdict->owner.id, true);
	}
	if (!path)
		return err_set(err, -ENOMEM, "out of memory");
	return output_private(path, write_mail, &mail, err);
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* The folder for the texts: made, or empty. */
static int make_folder(const char *path, struct err *err)
{
	struct dirent *entry;
	DIR *folder;
	bool empty;

	if (!mkdir(path, 0700))
		return 0;
	folder = errno == EEXIST ? opendir(path) : NULL;
	if (!folder)
		return err_set_errno(err, -errno, "cannot make the folder %s", path);
	while ((entry = readdir(folder)) && is_dots(entry->d_name))
		;
	empty = !entry;
	closedir(folder);
	return empty ? 0
		     : err_set(err, -ENOTEMPTY,
			       "%s is not empty: texts of another day would be sent again; name a "
			       "new folder by --output",
			       path);
}

int quota_emit_mail(const struct quota_emission *emission, size_t *written, struct err *err)
{
	const struct policy_evaluation *evaluation = emission->evaluation;
	int rc = make_folder(emission->output, err);

	*written = 0;
	for (size_t i = 0; i < evaluation->count && !rc; i++) {
		if (!quota_wants_mail(&evaluation->verdicts[i]))
			continue;
		rc = mail_one(emission, &evaluation->verdicts[i], err);
		*written += !rc;
	}
	return rc;
}
