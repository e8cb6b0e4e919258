// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus scans`: lists the scans or calibrations of the database, and prunes them. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output.h"
#include "reports/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scans_args {
	struct common_args common;
	const char *fs;
	const char *prune;
	bool calibrations;
};

static const struct option_spec options[] = {
	{.name = "fs",
		.type = OPTION_TEXT,
		.offset = offsetof(struct scans_args, fs),
		.value = "MOUNT|UUID",
		.help = "only those of that filesystem"},
	{.name = "calibrations",
		.type = OPTION_FLAG,
		.offset = offsetof(struct scans_args, calibrations),
		.help = "list the calibrations instead"},
	{.name = "prune",
		.type = OPTION_TEXT,
		.offset = offsetof(struct scans_args, prune),
		.value = "ID,…|keep:N|older:AGE|calibration:ID,…",
		.help = "delete these scans; all but the newest N of each filesystem; those older "
			"than AGE such as 90d, but never the newest of a filesystem; or these "
			"calibrations"},
	{0},
};

#define CALIBRATIONS "calibration:"

/* Reads "ID,…" into a list to be freed. */
static int parse_ids(const char *text, struct store_prune_rule *rule, int64_t **ids)
{
	autofree char *copy = strdup(text);
	char *rest = copy, *word;

	*ids = calloc(strlen(text) + 1, sizeof(**ids));
	if (!copy || !*ids)
		return -ENOMEM;
	while ((word = strsep(&rest, ","))) {
		uint64_t id;

		if (unit_parse_u64(word, &id) || id == 0 || id > INT64_MAX)
			return -EINVAL;
		(*ids)[rule->id_count++] = (int64_t)id;
	}
	rule->ids = *ids;
	return 0;
}

/* The time @seconds ago; the beginning of time for what lies before it. */
static int64_t time_before(double seconds)
{
	double time = ceil((double)clock_unix_seconds() - seconds);

	return time > (double)INT64_MIN ? (int64_t)time : INT64_MIN;
}

/* What --prune means; @ids to be freed also after an error. */
static int parse_rule(
	const char *text, struct store_prune_rule *rule, int64_t **ids, struct err *err)
{
	double seconds = 0;
	int rc;

	if (!strncmp(text, "keep:", 5)) {
		rule->kind = PRUNE_KEEP;
		rc = unit_parse_u64(text + 5, &rule->keep);
	} else if (!strncmp(text, "older:", 6)) {
		rule->kind = PRUNE_OLDER;
		rc = unit_parse_seconds(text + 6, &seconds);
		rule->started_seconds = time_before(seconds);
	} else if (!strncmp(text, CALIBRATIONS, strlen(CALIBRATIONS))) {
		rule->kind = PRUNE_CALIBRATIONS;
		rc = parse_ids(text + strlen(CALIBRATIONS), rule, ids);
	} else {
		rule->kind = PRUNE_IDS;
		rc = parse_ids(text, rule, ids);
	}
	if (rc == -ENOMEM)
		return err_set(err, rc, "out of memory");
	if (!rc && rule->kind == PRUNE_KEEP && !rule->keep)
		return err_set(err, -EINVAL,
			"--prune=keep:0 would delete every scan; keep one at least, or name those "
			"to delete by their numbers");
	return rc ? err_set(err, -EINVAL,
			    "--prune: \"%s\" is none of ID,… keep:N older:AGE calibration:ID,…",
			    text)
		  : 0;
}

/* What prune_store() does, and did. */
struct pruning {
	const struct store_prune_rule *rule;
	uint64_t deleted;
};

static int prune_store(struct store *store, void *context, struct err *err)
{
	struct pruning *pruning = context;

	return store_prune(store, pruning->rule, &pruning->deleted, err);
}

/* Once they are gone, a file that cannot be made smaller is no failure. */
static void shrink(struct store *store, const struct common_args *args)
{
	struct err err = {0};

	if (store_vacuum(store, &err))
		output_note(args, "they are deleted, but their space is not given back: %s",
			err.code == -ENOSPC ? "that needs as much free space as the database takes"
					    : err.message);
}

static int prune(struct store *store, const struct scans_args *args,
	const struct store_prune_rule *rule, struct err *err)
{
	struct pruning pruning = {.rule = rule};
	int rc = database_write(
		&args->common, store, DATABASE_PATIENCE_SECONDS, prune_store, &pruning, err);

	if (!rc && pruning.deleted)
		shrink(store, &args->common);
	if (!rc)
		output_note(&args->common, "%llu %s%s deleted", (unsigned long long)pruning.deleted,
			pruning.rule->kind == PRUNE_CALIBRATIONS ? "calibration" : "scan",
			unit_plural(pruning.deleted));
	return rc;
}

/* A filesystem of which nothing is left after pruning has an empty list. */
static int list_scans(struct store *store, const char *fs, bool pruned,
	struct store_scan_list *list, struct err *err)
{
	int rc = store_list_scans(store, fs, list, err);

	if (rc != -ENOENT || !pruned)
		return rc;
	err_clear(err);
	return 0;
}

static int show_calibrations(
	struct store *store, const struct scans_args *args, const char *fs, struct err *err)
{
	struct store_calibration_list list;
	struct document document;
	int rc = store_list_calibrations(store, fs, &list, err);

	if (rc == -ENOENT && args->prune) { /* as for scans */
		err_clear(err);
		rc = 0;
	}
	if (rc)
		return rc;
	rc = report_calibrations(list.calibrations, list.count, &document, err);
	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	store_calibration_list_fini(&list);
	return rc;
}

static int show(struct store *store, const struct scans_args *args, const char *fs, struct err *err)
{
	struct store_scan_list list;
	struct document document;
	int rc = list_scans(store, fs, args->prune, &list, err);

	if (rc)
		return rc;
	rc = report_scans(list.scans, list.totals, list.count, &document, err);
	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	store_scan_list_fini(&list);
	return rc;
}

static int prune_and_show(struct store *store, const struct scans_args *args,
	struct store_prune_rule *rule, struct err *err)
{
	autofree char *fs = database_fs(store, args->fs, err);
	int rc = args->fs && !fs ? err->code : 0;

	rule->fs = fs;
	if (!rc && args->prune)
		rc = prune(store, args, rule, err);
	if (rc)
		return rc;
	if (args->calibrations || (args->prune && rule->kind == PRUNE_CALIBRATIONS))
		return show_calibrations(store, args, fs, err);
	return show(store, args, fs, err);
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct scans_args *args = arguments;
	struct store_prune_rule rule = {0};
	autofree int64_t *ids = NULL;
	struct store *store;
	int rc = 0;

	(void)operands;
	if (args->prune)
		rc = parse_rule(args->prune, &rule, &ids, err);
	if (rc)
		return rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	if (database_open(&args->common, args->prune ? STORE_WRITE : STORE_READ, &store, err))
		return STATUS_FAILED;
	rc = prune_and_show(store, args, &rule, err);
	store_close(store);
	return rc ? STATUS_FAILED : STATUS_CLEAN;
}

const struct command command_scans = {
	.name = "scans",
	.summary = "list the stored scans or calibrations, or prune them",
	.operands = "",
	.options = options,
	.args_bytes = sizeof(struct scans_args),
	.run = run,
};
