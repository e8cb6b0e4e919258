// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus scans`: lists the scans of the database, and prunes them. */
#include "base/clock.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output.h"
#include "reports/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct scans_args {
	struct common_args common;
	const char *fs;
	const char *prune;
};

static const struct option_spec options[] = {
	{.name = "fs",
		.type = OPTION_TEXT,
		.offset = offsetof(struct scans_args, fs),
		.value = "MOUNT|UUID",
		.help = "only scans of that filesystem"},
	{.name = "prune",
		.type = OPTION_TEXT,
		.offset = offsetof(struct scans_args, prune),
		.value = "ID,…|keep:N|older:AGE",
		.help = "delete these scans; all but the newest N of each filesystem; or those "
			"older "
			"than AGE such as 90d, but never the newest of a filesystem"},
	{0},
};

/* Which scans --prune means. */
struct prune_rule {
	enum { PRUNE_IDS, PRUNE_KEEP, PRUNE_OLDER } kind;
	const char *ids;      /* PRUNE_IDS: numbers and commas */
	uint64_t keep;        /* PRUNE_KEEP */
	double older_seconds; /* PRUNE_OLDER */
};

static int parse_rule(const char *text, struct prune_rule *rule, struct err *err)
{
	int rc = 0;

	*rule = (struct prune_rule){.kind = PRUNE_IDS, .ids = text};
	if (!strncmp(text, "keep:", 5)) {
		rule->kind = PRUNE_KEEP;
		rc = unit_parse_u64(text + 5, &rule->keep);
	} else if (!strncmp(text, "older:", 6)) {
		rule->kind = PRUNE_OLDER;
		rc = unit_parse_seconds(text + 6, &rule->older_seconds);
	} else if (text[strspn(text, "0123456789,")]) {
		rc = -EINVAL;
	}
	if (rc)
		err_set(err, -EINVAL, "--prune: \"%s\" is none of ID,… keep:N older:AGE", text);
	return rc;
}

/* How many scans of the same filesystem are newer than scan @index. */
static uint64_t newer_than(const struct store_scan_list *list, size_t index)
{
	uint64_t newer = 0;

	for (size_t i = index + 1; i < list->count; i++)
		newer += !strcmp(list->scans[i].fs_id, list->scans[index].fs_id);
	return newer;
}

static bool matches(const struct prune_rule *rule, const struct store_scan_list *list, size_t index)
{
	int64_t now = clock_unix_seconds();

	if (rule->kind == PRUNE_KEEP)
		return newer_than(list, index) >= rule->keep;
	return newer_than(list, index) > 0 &&
	       (double)(now - list->scans[index].started_seconds) > rule->older_seconds;
}

/* Does @act to each scan of the list "ID,…". */
static int for_each_id(struct store *store, const char *ids,
	int (*act)(struct store *store, int64_t id, struct err *err), struct err *err)
{
	char *copy = strdup(ids), *rest = copy, *word;
	int rc = copy ? 0 : err_set(err, -ENOMEM, "out of memory");

	while (!rc && (word = strsep(&rest, ","))) {
		uint64_t id;

		if (unit_parse_u64(word, &id) || id > INT64_MAX)
			rc = err_set(err, -EINVAL, "--prune: \"%s\" is not a scan id", word);
		else
			rc = act(store, (int64_t)id, err);
	}
	free(copy);
	return rc;
}

static int must_exist(struct store *store, int64_t id, struct err *err)
{
	const struct store_selector selector = {.scan_id = id};
	struct scan_info info;
	int rc = store_load_scan(store, &selector, &info, err);

	if (!rc)
		scan_info_fini(&info);
	return rc;
}

/* One wrong id deletes nothing. */
static int prune_ids(struct store *store, const char *ids, struct err *err)
{
	int rc = for_each_id(store, ids, must_exist, err);

	return rc ? rc : for_each_id(store, ids, store_delete_scan, err);
}

static int prune(struct store *store, const struct scans_args *args, const struct prune_rule *rule,
	struct err *err)
{
	struct store_scan_list list;
	int rc;

	if (rule->kind == PRUNE_IDS)
		return prune_ids(store, rule->ids, err);
	rc = store_list_scans(store, args->fs, &list, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < list.count && !rc; i++) {
		if (matches(rule, &list, i))
			rc = store_delete_scan(store, list.scans[i].scan_id, err);
	}
	store_scan_list_fini(&list);
	return rc;
}

static int show(struct store *store, const struct scans_args *args, struct err *err)
{
	struct store_scan_list list;
	struct document document;
	int rc = store_list_scans(store, args->fs, &list, err);

	if (rc)
		return rc;
	rc = report_scans(list.scans, list.totals, list.count, &document, err);
	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	store_scan_list_fini(&list);
	return rc;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct scans_args *args = arguments;
	struct prune_rule rule;
	struct store *store;
	int rc = 0;

	(void)operands;
	if (args->prune && parse_rule(args->prune, &rule, err))
		return STATUS_USAGE;
	if (database_open(&args->common, args->prune ? STORE_WRITE : STORE_READ, &store, err))
		return STATUS_FAILED;
	if (args->prune) {
		rc = prune(store, args, &rule, err);
		if (!rc)
			rc = store_vacuum(store, err);
	}
	if (!rc)
		rc = show(store, args, err);
	store_close(store);
	return rc == -EINVAL ? STATUS_USAGE : rc ? STATUS_FAILED : STATUS_CLEAN;
}

const struct command command_scans = {
	.name = "scans",
	.summary = "list the stored scans, or prune them",
	.operands = "",
	.options = options,
	.args_bytes = sizeof(struct scans_args),
	.run = run,
};
