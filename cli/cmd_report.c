// SPDX-License-Identifier: GPL-2.0-or-later
/* `xfscensus report [REPORT]`: what a stored scan has to say. */
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/past.h"
#include "cli/report_args.h"
#include "cli/selection.h"
#include "reports/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows shown in text of reports with many, unless --top says otherwise: a screenful. */
#define ROWS_ON_A_SCREEN 20

/* Users that metrics tell apart unless --top says otherwise: each is a series for ever. */
#define USERS_IN_METRICS 20

/* How far back growth looks unless told otherwise. */
#define GROWTH_DAYS 30

/* What a report needs besides the cube, and how it is made. */
struct report_kind {
	const char *name;
	bool many_rows;
	bool ages;
	bool failures;
	bool directories;
	bool trend;
	bool growth;
	bool bands; /* takes --bands */
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
	{.name = "classes", .bands = true, .make = report_classes},
	{.name = "dirs", .many_rows = true, .directories = true, .make = report_dirs},
	{.name = "tree", .directories = true, .make = report_tree},
	{.name = "ages", .ages = true, .make = report_ages},
	{.name = "trend", .many_rows = true, .trend = true, .bands = true, .make = report_trend},
	{.name = "growth", .many_rows = true, .growth = true, .make = report_growth},
	{.name = "metrics", .trend = true, .bands = true, .make = report_metrics},
};

/* The summary in HTML is the whole story; what there is no older scan for is left out of it. */
static const struct report_kind whole_story = {.name = "summary",
	.ages = true,
	.failures = true,
	.directories = true,
	.trend = true,
	.growth = true};

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
	if (kind->make == report_metrics)
		return USERS_IN_METRICS;
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
		.has_limit = args->limit >= 0,
		.limit_seconds = args->limit,
		.has_depth = args->depth != OPTION_NOT_GIVEN,
		.depth = args->depth,
		.hot_share = args->share,
		.all_rows = args->all,
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
	struct trend trend;
	struct growth growth;
};

static void material_fini(struct material *material)
{
	growth_fini(&material->growth);
	trend_fini(&material->trend);
	directories_fini(&material->directories);
	failures_fini(&material->failures);
	ages_fini(&material->ages);
	selection_fini(&material->selection);
}

/* The scan that growth is told since. */
static int find_older(const struct report_args *args, const struct history *history,
	const struct selection *selection, int64_t *scan_id, struct err *err)
{
	int64_t newest = selection->scan.started_seconds, since;

	if (args->since) {
		if (clock_parse_time(args->since, clock_unix_seconds(), &since))
			return err_set(err, -EINVAL,
				"--since: \"%.100s\" is neither a date such as 2026-10-31 nor a "
				"time ago such as 30d",
				args->since);
		return past_find_since(history, selection, since, scan_id, err);
	}
	if (!args->from)
		return past_find_near(history, selection,
			sat_add_i64(newest, -GROWTH_DAYS * SECONDS_PER_DAY), scan_id, err);
	*scan_id = (int64_t)args->from;
	for (size_t i = 0; i < history->count; i++) {
		if (history->scans[i].scan_id == *scan_id && *scan_id != selection->scan.scan_id)
			return 0;
	}
	return err_set(err, -EINVAL,
		"--from: scan %lld is none of those of the same filesystem before scan %lld; "
		"xfscensus scans lists them",
		(long long)*scan_id, (long long)selection->scan.scan_id);
}

static int load_growth(struct material *material, const struct report_kind *kind,
	const struct report_args *args, struct store *store, struct err *err)
{
	const struct selection *selection = &material->selection;
	struct history history = {0};
	int64_t scan_id;
	int rc = store_load_history(store, selection->scan.scan_id, NULL, &history, err);

	if (!rc)
		rc = find_older(args, &history, selection, &scan_id, err);
	if (!rc)
		rc = past_load_growth(store, selection, scan_id, &material->growth, err);
	history_fini(&history);
	if (rc == -ENODATA && !kind->make) {
		err_clear(err);
		return 0;
	}
	return rc;
}

static int load_trend(struct material *material, const struct report_options *report_options,
	struct store *store, struct err *err)
{
	const uint32_t *uid = report_options->has_user ? &report_options->user : NULL;

	return past_load_trend(store, &material->selection, uid, &material->trend, err);
}

/* Loads what @kind needs. On error nothing is left to release. */
static int material_load(struct material *material, const struct report_kind *kind,
	const struct report_args *args, const struct report_options *report_options,
	struct store *store, struct err *err)
{
	int rc = selection_load(store, &args->selection, &material->selection, err);
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
	if (!rc && kind->trend)
		rc = load_trend(material, report_options, store, err);
	if (!rc && kind->growth)
		rc = load_growth(material, kind, args, store, err);
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
		.history = &selection->history,
		.uncorrected = selection->has_prediction ? &selection->uncorrected : NULL,
		.trend = kind->trend ? &material->trend : NULL,
		.growth = kind->growth ? &material->growth : NULL,
		.no_prediction =
			selection->no_prediction.code ? selection->no_prediction.message : NULL,
		.options = report_options,
	};
	int rc = kind->make ? write_document(args, kind, &input, err)
			    : write_page(args, &input, err);

	return !rc ? STATUS_CLEAN : rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
}

/* What belongs to some reports only. */
static enum exit_status check_usage(
	const struct report_args *args, const struct report_kind *kind, struct err *err)
{
	if ((args->under || args->depth != OPTION_NOT_GIVEN) && strcmp(kind->name, "dirs") != 0 &&
		strcmp(kind->name, "tree") != 0)
		return command_usage_error(
			err, "--under and --depth are for the reports \"dirs\" and \"tree\" only");
	if ((args->share >= 0 || args->all) && kind->make != report_tree)
		return command_usage_error(
			err, "--share and --all are for the report \"tree\" only");
	if (args->bands && !kind->bands)
		return command_usage_error(err,
			"--bands is for the reports \"classes\", \"trend\" and \"metrics\" only");
	if (args->limit >= 0 && ((kind->make && kind->make != report_trend) || args->user))
		return command_usage_error(
			err, "--limit is for the report \"trend\" and the page, of all users only");
	if ((args->since || args->from || args->to) && !kind->growth)
		return command_usage_error(err,
			"--since, --from and --to are for the report \"growth\" and the page only");
	if (args->since && args->from)
		return command_usage_error(err, "--since and --from: name one of them, not both");
	if (args->common.format == FORMAT_OPENMETRICS && kind->make != report_metrics)
		return command_usage_error(
			err, "--format=openmetrics is for the report \"metrics\" only");
	if (!!args->selection.scan + !!args->selection.fs + !!args->to > 1)
		return command_usage_error(err, "%s: name one of them, not both",
			!args->to              ? "--scan and --fs"
			: args->selection.scan ? "--scan and --to"
					       : "--fs and --to");
	return STATUS_CLEAN;
}

/* The report that @name means; without a name, the one that suits the format. */
static const struct report_kind *choose_kind(
	const struct report_args *args, const char *name, struct err *err)
{
	const struct report_kind *kind;

	if (!name)
		name = args->common.format == FORMAT_OPENMETRICS ? "metrics" : "summary";
	kind = find_kind(name);
	if (!kind)
		command_usage_error(err,
			"there is no report \"%s\"; there are summary, users, groups, projects, "
			"classes, dirs, tree, ages, trend, growth, metrics",
			name);
	else if (args->common.format == FORMAT_HTML && kind->make == report_summary)
		kind = &whole_story;
	return kind;
}

static enum exit_status make_report(struct report_args *args, const struct report_kind *kind,
	const struct report_options *report_options, struct err *err)
{
	struct material material = {0};
	enum exit_status status;
	struct store *store;
	int rc;

	if (args->to)
		args->selection.scan = args->to;
	if (database_open(&args->common, STORE_READ, &store, err))
		return STATUS_FAILED;
	rc = material_load(&material, kind, args, report_options, store, err);
	store_close(store);
	if (rc)
		return rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	status = write_report(args, kind, report_options, &material, err);
	material_fini(&material);
	return status;
}

/* What the path @under means from here, without links if it is there; to be freed; or NULL. */
static char *path_from_here(const char *under)
{
	autofree char *here = getcwd(NULL, 0);
	char *path = realpath(under, NULL);

	if (!path && *under != '/' && here && asprintf(&path, "%s/%s", here, under) < 0)
		path = NULL;
	return path;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	struct report_args *args = arguments;
	autofree char *here = args->under ? path_from_here(args->under) : NULL;
	autofree char *db = geteuid() ? database_path(&args->common, err) : NULL;
	const struct report_kind *kind = choose_kind(args, operands[0], err);
	struct report_options report_options;

	if (!kind || check_usage(args, kind, err))
		return STATUS_USAGE;
	if (parse_options(args, kind, &report_options, err))
		return err->code == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	report_options.under_here = here;
	report_options.sudo_db = db;
	return make_report(args, kind, &report_options, err);
}

const struct command command_report = {
	.name = "report",
	.summary = "show what a scan found: who owns the files, how big they are, where they lie",
	.operands = "[summary|users|groups|projects|classes|dirs|tree|ages|trend|growth|metrics]",
	.max_operands = 1,
	.options = report_args_options,
	.args_bytes = sizeof(struct report_args),
	.defaults = report_args_defaults,
	.run = run,
};
