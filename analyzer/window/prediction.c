// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See prediction.h; docs/dump-model.md has every term. The way: what the dump takes in
 * (dump_plan.h), what each step costs (dump_costs.h), how long that takes (dump_model.h), the
 * interval, streams and sink (dump_forecast.c), whom it is shared out to (prediction_users.c), what
 * holds it back (verdict.h), and the same again for each what-if (prediction_variants.c).
 */
#include "analyzer/window/prediction_private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *prediction_phase_name(enum prediction_phase phase)
{
	static const char *const names[PREDICTION_PHASES] = {
		[PHASE_INODE_MAP] = "inode-map",
		[PHASE_DIRECTORIES] = "directories",
		[PHASE_FILES] = "files",
		[PHASE_SINK] = "sink",
	};

	return names[phase];
}

static void take_seconds(const struct dump_forecast *forecast, struct prediction *prediction)
{
	double part = forecast->seconds / forecast->times.seconds;

	prediction->seconds = forecast->seconds;
	prediction->low_seconds = forecast->low_seconds;
	prediction->high_seconds = forecast->high_seconds;
	prediction->dump_bytes = (uint64_t)llround(forecast->dump_bytes);
	memcpy(prediction->phases, forecast->phases, sizeof(prediction->phases));
	memcpy(prediction->phases_low, forecast->phases_low, sizeof(prediction->phases_low));
	memcpy(prediction->phases_high, forecast->phases_high, sizeof(prediction->phases_high));
	verdict_make(
		&forecast->model, &forecast->times, forecast->dump->sink, &prediction->verdict);
	for (unsigned i = 0; i < VERDICT_CAUSES && forecast->times.seconds > 0; i++)
		prediction->verdict.seconds[i] *= part;
	snprintf(prediction->bottleneck, sizeof(prediction->bottleneck), "%s",
		verdict_cause_name(prediction->verdict.cause));
	prediction->stream_count = forecast->stream_count;
	memcpy(prediction->streams, forecast->streams, sizeof(prediction->streams));
}

static int take_classes(const struct dump_forecast *forecast, struct prediction *prediction)
{
	prediction->classes = calloc(SIZE_CLASSES, sizeof(*prediction->classes));
	if (!prediction->classes)
		return -ENOMEM;
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct model_part *part = &forecast->model.parts[i];
		uint64_t files = (uint64_t)llround(part->inodes);

		if (!files)
			continue;
		prediction->files += files;
		prediction->classes[prediction->class_count++] = (struct prediction_class){
			.size_class = (uint8_t)i,
			.files = files,
			.bytes = (uint64_t)llround(part->size_bytes),
			.seconds = forecast->concurrency * (part->seconds + part->data_seconds),
		};
	}
	return 0;
}

/* Everything about the dump as it is. */
static int predict(const struct prediction_request *request, const struct dump_plan *plan,
	const struct dump_forecast *forecast, struct prediction *prediction, struct err *err)
{
	int rc;

	take_seconds(forecast, prediction);
	prediction->xfsdump_estimate_bytes = (uint64_t)llround(dump_plan_xfsdump_estimate(
		plan, request->scan->inode_chunks, request->scan->unlinked));
	rc = take_classes(forecast, prediction);
	if (!rc)
		rc = prediction_share_out(forecast, request->scan->tiny_bytes, prediction);
	return rc ? rc : prediction_make_variants(request, plan, forecast, prediction, err);
}

int prediction_make(
	const struct prediction_request *request, struct prediction *prediction, struct err *err)
{
	struct dump_costs costs;
	struct dump_plan plan;
	struct dump_forecast forecast;
	int rc;

	memset(prediction, 0, sizeof(*prediction));
	dump_costs_make(request->calibration, &costs);
	rc = dump_plan_make(request, &plan, err);
	if (!rc) {
		rc = dump_forecast_make(request, &request->dump, &plan, &costs, &forecast, err);
		if (!rc)
			rc = predict(request, &plan, &forecast, prediction, err);
		dump_plan_fini(&plan);
	}
	if (!rc)
		return 0;
	prediction_fini(prediction);
	return err_set(err, rc, "out of memory");
}

int prediction_seconds(const struct cube *cube, const struct calibration *calibration,
	double *seconds, struct err *err)
{
	const struct prediction_request request = {.cube = cube, .calibration = calibration};
	struct dump_costs costs;
	struct dump_model model;
	struct dump_times times;
	struct dump_plan plan;
	int rc = dump_plan_make(&request, &plan, err);

	if (rc)
		return err_set(err, rc, "out of memory");
	dump_costs_make(calibration, &costs);
	dump_model_make(&plan, &costs, &model);
	rc = cost_check(calibration, model.loads, err);
	if (!rc) {
		dump_model_times(&model, 1, NULL, &times);
		*seconds = times.seconds;
	}
	dump_plan_fini(&plan);
	return rc;
}

void prediction_fini(struct prediction *prediction)
{
	for (size_t i = 0; i < prediction->variant_count; i++)
		free(prediction->variants[i].label);
	free(prediction->classes);
	free(prediction->users);
	free(prediction->variants);
	memset(prediction, 0, sizeof(*prediction));
}
