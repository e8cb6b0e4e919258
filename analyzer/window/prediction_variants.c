// SPDX-License-Identifier: GPL-2.0-or-later
/* What would it be if: each what-if by itself, then all of them together. */
#include "analyzer/window/prediction_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct variants {
	const struct prediction_request *request;
	const struct dump_plan *plan;
	const struct dump_costs *costs;
	struct prediction *prediction;
};

static double regular_files(const struct dump_model *model)
{
	double files = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		files += model->parts[i].inodes;
	return files;
}

static int add_variant(
	struct prediction *prediction, const char *label, const struct dump_forecast *forecast)
{
	struct prediction_variant *variant = &prediction->variants[prediction->variant_count];
	struct verdict verdict;

	*variant = (struct prediction_variant){.seconds = NAN, .label = strdup(label)};
	if (!variant->label)
		return -ENOMEM;
	prediction->variant_count++;
	if (!forecast)
		return 0;
	verdict_make(&forecast->model, &forecast->times, forecast->dump->sink, &verdict);
	variant->seconds = forecast->seconds;
	variant->low_seconds = forecast->low_seconds;
	variant->high_seconds = forecast->high_seconds;
	variant->dump_bytes = (uint64_t)llround(forecast->dump_bytes);
	variant->files = (uint64_t)llround(regular_files(&forecast->model));
	variant->cause = verdict.cause;
	variant->left_out_pack_bytes = (uint64_t)llround(forecast->model.plan->left_out_pack_bytes);
	return 0;
}

static void apply_to_options(const struct what_if *what_if, struct dump_options *dump)
{
	if (what_if->kind == WHAT_IF_SINK)
		dump->sink = what_if->sink;
	else if (what_if->kind == WHAT_IF_STREAMS)
		dump->streams = what_if->streams;
}

/* Predicts with @count what-ifs from @first on. What no sample tells is a variant without time. */
static int make_variant(const struct variants *variants, const char *label,
	const struct what_if *first, size_t count, struct err *err)
{
	struct dump_options dump = variants->request->dump;
	struct err why = {0};
	struct dump_plan plan;
	struct dump_forecast forecast;
	int rc = dump_plan_copy(variants->plan, &plan);

	if (rc)
		return rc;
	for (size_t i = 0; i < count && !rc; i++) {
		apply_to_options(&first[i], &dump);
		rc = what_if_apply(&first[i], &variants->request->dump, &plan);
	}
	if (!rc)
		rc = dump_forecast_make(
			variants->request, &dump, &plan, variants->costs, &forecast, &why);
	if (!rc || rc == -ENODATA)
		rc = add_variant(variants->prediction, label, rc ? NULL : &forecast);
	else if (why.message[0])
		err_set(err, rc, "%s: %s", label, why.message);
	dump_plan_fini(&plan);
	return rc;
}

int prediction_make_variants(const struct prediction_request *request, const struct dump_plan *plan,
	const struct dump_forecast *as_is, struct prediction *prediction, struct err *err)
{
	const struct variants variants = {request, plan, as_is->model.costs, prediction};
	const struct what_if *what_ifs = request->what_ifs;
	size_t count = request->what_if_count;
	int rc;

	if (!count)
		return 0;
	prediction->variants = calloc(count + 2, sizeof(*prediction->variants));
	if (!prediction->variants)
		return -ENOMEM;
	rc = add_variant(prediction, "as is", as_is);
	for (size_t i = 0; i < count && !rc; i++)
		rc = make_variant(&variants, what_ifs[i].label, &what_ifs[i], 1, err);
	if (!rc && count > 1)
		rc = make_variant(&variants, "all together", what_ifs, count, err);
	return rc;
}
