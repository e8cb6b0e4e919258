// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a dump takes, and the interval around it; see prediction.h and docs/dump-model.md.
 *
 * The interval is one of reading times: the sampling error of the files and, added as independent
 * errors, allowances for what no sample tells: that two dumps of the same filesystem differ, the
 * more so if the speed of the array drifted while it was sampled, classes priced by few files or by
 * their neighbours, passes known from a part of them, and what a level above 0 takes. Its ends are
 * carried through the sink and the streams: a dump that waits for its sink is as long, however fast
 * the array is.
 */
#include "analyzer/window/prediction_private.h"

#include "analyzer/census/dump_stream.h"
#include "analyzer/window/estimate.h"

#include <errno.h>
#include <math.h>

#define REPLICATES         1000
#define BOOTSTRAP_SEED     0x626f6f7473747261ULL
#define REPEAT_ERROR       0.04 /* of all: a dump against the same dump again, and the replay */
#define PARTIAL_PASS_ERROR 0.15 /* of a pass seen in part */
#define SINK_ERROR         0.1  /* of the rate of a sink that was measured */

/* --- The interval of reading ------------------------------------------------------------------ */

/* The error of the metadata passes: of those measured in part, a share. */
static double pass_error(const struct dump_model *model, const struct dump_times *times)
{
	const struct calibration_pass *passes = model->costs->calibration->passes;
	double error = 0;

	if ((double)passes[PASS_INODE_MAP].units < 0.98 * model->present)
		error += PARTIAL_PASS_ERROR * times->phases[PHASE_INODE_MAP];
	if ((double)passes[PASS_DIRECTORIES].units < 0.98 * model->present_directories)
		error += PARTIAL_PASS_ERROR * times->phases[PHASE_DIRECTORIES];
	return error;
}

/* What the doubt about what is in the dump may cost. */
static double plan_error(const struct dump_model *model)
{
	const struct dump_plan *plan = model->plan;
	double error = plan->doubt_directories * model->costs->again_seconds;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct class_load load = {(uint64_t)llround(plan->doubt[i].inodes),
			(uint64_t)llround(plan->doubt[i].stream_bytes)};
		struct load_seconds seconds = cost_of_load(&model->costs->table, i, &load);

		error += load_seconds_all(&seconds);
	}
	return error;
}

/* Half of the interval of all reading, in seconds. */
static int half_interval(
	const struct dump_model *model, const struct dump_times *times, double *half)
{
	double reading = times->seconds - times->phases[PHASE_SINK];
	double sampling, passes, repeat, drift, plan;
	struct estimate estimate;
	int rc = estimate_files(
		model->costs->calibration, model->loads, REPLICATES, BOOTSTRAP_SEED, &estimate);

	if (rc)
		return rc;
	sampling = estimate_half_width(&estimate);
	passes = pass_error(model, times);
	plan = plan_error(model);
	repeat = 2 * REPEAT_ERROR * reading;
	drift = 2 * estimate.drift * estimate.seconds;
	*half = sqrt(sampling * sampling + estimate.error_seconds * estimate.error_seconds +
		     passes * passes + plan * plan + repeat * repeat + drift * drift);
	return 0;
}

/* As many times less as the high one is more: a time is never below zero. */
static int find_scales(struct dump_forecast *forecast)
{
	double reading = forecast->times.seconds - forecast->times.phases[PHASE_SINK], half;
	int rc = half_interval(&forecast->model, &forecast->times, &half);

	if (rc)
		return rc;
	forecast->high_scale = reading > 0 ? 1 + half / reading : 1;
	forecast->low_scale = 1 / forecast->high_scale;
	return 0;
}

/* --- Streams and the sink --------------------------------------------------------------------- */

/* What one end of the interval stands for. */
struct end {
	double scale;       /* of all reading */
	double sink_scale;  /* by what the sink is slower than measured */
	double concurrency; /* of the streams */
};

/* The phases there; returns their sum. */
static double seconds_at(
	const struct dump_forecast *forecast, struct end end, double phases[PREDICTION_PHASES])
{
	const struct sink *sink = forecast->dump->sink;
	struct sink scaled = {0};
	struct dump_times times;
	double seconds = 0;

	if (sink) {
		scaled = *sink;
		scaled.bytes_per_second /= end.sink_scale;
	}
	dump_model_times(&forecast->model, end.scale, sink ? &scaled : NULL, &times);
	for (unsigned i = 0; i < PREDICTION_PHASES; i++) {
		phases[i] = times.phases[i] * (i == PHASE_INODE_MAP ? 1 : end.concurrency);
		seconds += phases[i];
	}
	return seconds;
}

static void split(const struct prediction_request *request, struct dump_forecast *forecast)
{
	unsigned streams = forecast->dump->streams;

	forecast->dump_bytes = dump_model_media_bytes(&forecast->model) + forecast->overhead_bytes;
	if (streams < 2)
		return;
	forecast->stream_count = streams;
	forecast->dump_bytes += (streams - 1) * forecast->overhead_bytes;
	dump_streams_split(&forecast->model, &forecast->times, &request->facts->ranges,
		forecast->overhead_bytes, streams, forecast->streams);
}

static void find_seconds(struct dump_forecast *forecast)
{
	const struct sink *sink = forecast->dump->sink;
	bool is_measured = sink && (sink->kind == SINK_FILE || sink->kind == SINK_PIPE);
	double sink_scale = is_measured ? 1 + SINK_ERROR : 1;
	struct dump_concurrency concurrency = dump_concurrency_find(forecast);

	forecast->concurrency = concurrency.told;
	forecast->seconds =
		seconds_at(forecast, (struct end){1, 1, concurrency.told}, forecast->phases);
	forecast->low_seconds = seconds_at(forecast,
		(struct end){forecast->low_scale, 1 / sink_scale, concurrency.best},
		forecast->phases_low);
	forecast->high_seconds = seconds_at(forecast,
		(struct end){forecast->high_scale, sink_scale, concurrency.worst},
		forecast->phases_high);
}

static int check_sink(const struct sink *sink, struct err *err)
{
	if (!sink || sink->bytes_per_second > 0)
		return 0;
	return err_set(err, -EINVAL, "sink %s has not been measured", sink->spec);
}

int dump_forecast_make(const struct prediction_request *request, const struct dump_options *dump,
	const struct dump_plan *plan, const struct dump_costs *costs,
	struct dump_forecast *forecast, struct err *err)
{
	int rc = check_sink(dump->sink, err);

	if (rc)
		return rc;
	*forecast = (struct dump_forecast){
		.dump = dump,
		.overhead_bytes = (double)dump_stream_overhead_bytes(request->scan->inode_chunks),
	};
	dump_model_make(plan, costs, &forecast->model);
	rc = cost_check(costs->calibration, forecast->model.loads, err);
	if (rc)
		return rc;
	dump_model_times(&forecast->model, 1, dump->sink, &forecast->times);
	rc = find_scales(forecast);
	if (rc)
		return err_set(
			err, rc, rc == -ENOMEM ? "out of memory" : "the calibration is damaged");
	split(request, forecast);
	find_seconds(forecast);
	return 0;
}
