// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus report [REPORT]`: what a stored scan has to say. */
#include "base/units.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "reports/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct report_args {
	struct common_args common;
	struct selection_args selection;
	const char *user;
	const char *sort;
	const char *bands;
	const char *under;
	uint64_t depth; /* OPTION_NOT_GIVEN */
	uint64_t top;   /* OPTION_NOT_GIVEN */
};

static const struct option_spec options[] = {
	SELECTION_OPTIONS(struct report_args, selection),
	{.name = "user",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, user),
		.value = "USER",
		.help = "only what belongs to that user, by name or number"},
	{.name = "sort",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, sort),
		.value = "COLUMN",
		.help = "order by that column, named as in JSON, biggest first"},
	{.name = "top",
		.type = OPTION_COUNT,
		.offset = offsetof(struct report_args, top),
		.value = "N",
		.max = 1000000000,
		.help = "show the first N rows, 0 for all; by default all, but 20 owners or "
			"directories in text"},
	{.name = "under",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, under),
		.value = "PATH",
		.help = "dirs and tree: only that directory and what is below it"},
	{.name = "depth",
		.type = OPTION_COUNT,
		.offset = offsetof(struct report_args, depth),
		.value = "N",
		.max = 1000000000,
		.help = "dirs: only N levels below the start; tree: all directories of N levels"},
	{.name = "bands",
		.type = OPTION_TEXT,
		.offset = offsetof(struct report_args, bands),
		.value = "SIZES",
		.help = "classes: fold them into bands with these upper edges, powers of two, such "
			"as 4K,1M,1G"},
	{0},
};

/* Rows shown in text of reports with many, unless --top says otherwise: a screenful. */
#define ROWS_ON_A_SCREEN 20

static void defaults(void *args)
{
	((struct report_args *)args)->top = OPTION_NOT_GIVEN;
	((struct report_args *)args)->depth = OPTION_NOT_GIVEN;
}

/* What a report needs besides the cube, and how it is made. */
struct report_kind {
	const char *name;
	bool many_rows;
	bool ages;
	bool failures;
	bool directories;
	int (*make)(const struct report_input *input, struct document *document, struct err *err);
};

static int make_users(const struct report_input *input, struct document *document, struct err *err)
{
	return report_owners(input, OWNER_USER, document, err);
}

static int make_groups(const struct report_input *input, struct document *document, struct err *err)
{
	return report_owners(input, OWNER_GROUP, document, err);
}

static int make_projects(
	const struct report_input *input, struct document *document, struct err *err)
{
	return report_owners(input, OWNER_PROJECT, document, err);
}

static const struct report_kind kinds[] = {
	{.name = "summary", .failures = true, .directories = true, .make = report_summary},
	{.name = "users", .many_rows = true, .make = make_users},
	{.name = "groups", .many_rows = true, .make = make_groups},
	{.name = "projects", .many_rows = true, .make = make_projects},
	{.name = "classes", .make = report_classes},
	{.name = "dirs", .many_rows = true, .directories = true, .make = report_dirs},
	{.name = "tree", .directories = true, .make = report_tree},
	{.name = "ages", .ages = true, .make = report_ages},
};

/* The summary in HTML is the whole story. */
static const struct report_kind whole_story = {
	.name = "summary", .ages = true, .failures = true, .directories = true};

static const struct report_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	return NULL;
}

/* "4K,1M" as edges. That they ascend and are powers of two is for the report to say. */
static int parse_bands(const char *text, struct report_options *report_options, struct err *err)
{
	char *copy = strdup(text), *rest = copy, *edge;
	int rc = copy ? 0 : err_set(err, -ENOMEM, "out of memory");

	while (!rc && (edge = strsep(&rest, ","))) {
		if (report_options->band_edges == REPORT_MAX_BANDS)
			rc = err_set(err, -EINVAL, "--bands: more than %d edges", REPORT_MAX_BANDS);
		else if (unit_parse_bytes(
				 edge, &report_options->bands[report_options->band_edges++]))
			rc = err_set(
				err, -EINVAL, "--bands: \"%s\" is not a size such as 4K", edge);
	}
	free(copy);
	return rc;
}

static size_t rows_to_show(const struct report_args *args, const struct report_kind *kind)
{
	if (args->top != OPTION_NOT_GIVEN)
		return args->top;
	return kind->many_rows && args->common.format == FORMAT_TEXT ? ROWS_ON_A_SCREEN : 0;
}

static int parse_options(const struct report_args *args, const struct report_kind *kind,
	struct report_options *report_options, struct err *err)
{
	int rc = 0;

	*report_options = (struct report_options){
		.sort = args->sort,
		.top = rows_to_show(args, kind),
		.under = args->under,
		.has_depth = args->depth != OPTION_NOT_GIVEN,
		.depth = args->depth,
		.owner_name = names_lookup,
	};
	if (args->bands)
		rc = parse_bands(args->bands, report_options, err);
	if (!rc && args->user) {
		report_options->has_user = true;
		rc = names_parse_user(args->user, &report_options->user, err);
	}
	return rc;
}

/* Everything that a report can be made of. */
struct material {
	struct selection selection;
	struct ages ages;
	struct failures failures;
	struct directories directories;
};

static void material_fini(struct material *material)
{
	directories_fini(&material->directories);
	failures_fini(&material->failures);
	ages_fini(&material->ages);
	selection_fini(&material->selection);
}

/* Loads what @kind needs. On error nothing is left to release. */
static int material_load(struct material *material, const struct report_kind *kind,
	const struct selection_args *which, struct store *store, struct err *err)
{
	int rc = selection_load(store, which, &material->selection, err);
	int64_t id = material->selection.scan.scan_id;

	if (rc)
		return rc;
	ages_init(&material->ages, 0);
	failures_init(&material->failures);
	directories_init(&material->directories);
	if (kind->ages)
		rc = store_load_ages(store, id, &material->ages, err);
	if (!rc && kind->failures)
		rc = store_load_failures(store, id, &material->failures, err);
	if (!rc && kind->directories)
		rc = store_load_directories(store, id, &material->directories, err);
	if (rc)
		material_fini(material);
	return rc;
}

static int write_document(const struct report_args *args, const struct report_kind *kind,
	const struct report_input *input, struct err *err)
{
	struct document document;
	int rc = kind->make(input, &document, err);

	if (!rc)
		rc = output_document(&args->common, &document, err) ? -EIO : 0;
	document_fini(&document);
	return rc;
}

static int write_page(
	const struct report_args *args, const struct report_input *input, struct err *err)
{
	const struct document *documents[REPORT_PAGE_MAX];
	struct report_page page;
	int rc = report_page(input, &page, err);

	for (size_t i = 0; i < page.count; i++)
		documents[i] = &page.documents[i];
	if (!rc)
		rc = output_page(&args->common, documents, page.count, err) ? -EIO : 0;
	report_page_fini(&page);
	return rc;
}

static enum exit_status write_report(const struct report_args *args, const struct report_kind *kind,
	const struct report_options *report_options, const struct material *material,
	struct err *err)
{
	const struct selection *selection = &material->selection;
	const struct report_input input = {
		.scan = &selection->scan,
		.cube = &selection->cube,
		.ages = &material->ages,
		.failures = &material->failures,
		.directories = &material->directories,
		.calibration = selection->has_calibration ? &selection->calibration : NULL,
		.prediction = selection->has_prediction ? &selection->prediction : NULL,
		.no_prediction =
			selection->no_prediction.code ? selection->no_prediction.message : NULL,
		.options = report_options,
	};
	int rc = kind->make ? write_document(args, kind, &input, err)
			    : write_page(args, &input, err);

	return !rc ? STATUS_CLEAN : rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct report_args *args = arguments;
	const struct report_kind *kind = find_kind(operands[0] ? operands[0] : "summary");
	struct report_options report_options;
	enum exit_status status;
	struct material material;
	struct store *store;
	int rc;

	if (!kind)
		return command_usage_error(err,
			"there is no report \"%s\"; there are summary, users, "
			"groups, projects, classes, dirs, tree, ages",
			operands[0]);
	if ((args->under || args->depth != OPTION_NOT_GIVEN) && strcmp(kind->name, "dirs") != 0 &&
		strcmp(kind->name, "tree") != 0)
		return command_usage_error(
			err, "--under and --depth are for the reports \"dirs\" and \"tree\" only");
	if (args->bands && strcmp(kind->name, "classes") != 0)
		return command_usage_error(err, "--bands is for the report \"classes\" only");
	if (args->common.format == FORMAT_HTML && kind->make == report_summary)
		kind = &whole_story;
	if (parse_options(args, kind, &report_options, err))
		return err->code == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	if (args->selection.scan && args->selection.fs)
		return command_usage_error(err, "--scan and --fs: name one of them, not both");
	if (database_open(&args->common, STORE_READ, &store, err))
		return STATUS_FAILED;
	rc = material_load(&material, kind, &args->selection, store, err);
	store_close(store);
	if (rc)
		return STATUS_FAILED;
	status = write_report(args, kind, &report_options, &material, err);
	material_fini(&material);
	return status;
}

const struct command command_report = {
	.name = "report",
	.summary = "show what a scan found: who owns the files, how big they are, where they lie",
	.operands = "[summary|users|groups|projects|classes|dirs|tree|ages]",
	.max_operands = 1,
	.options = options,
	.args_bytes = sizeof(struct report_args),
	.defaults = defaults,
	.run = run,
};
