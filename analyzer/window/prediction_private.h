/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind prediction.h share. */
#ifndef ANALYZER_WINDOW_PREDICTION_PRIVATE_H
#define ANALYZER_WINDOW_PREDICTION_PRIVATE_H

#include "analyzer/window/prediction.h"

/* Phases, whole and verdict of a dump. */
struct dump_forecast {
	const struct dump_options *dump;
	struct dump_model model;
	struct dump_times times; /* of a single stream */
	double concurrency; /* by what all but the inode map is shorter with several; 1: none */
	double low_scale;   /* of all reading, the interval's ends */
	double high_scale;
	/* all streams and the sink considered, as told and at the ends of the interval */
	double seconds, phases[PREDICTION_PHASES];
	double low_seconds, phases_low[PREDICTION_PHASES];
	double high_seconds, phases_high[PREDICTION_PHASES];
	double overhead_bytes; /* of a media file besides its inodes */
	double dump_bytes;     /* of all */
	unsigned stream_count; /* 0: a single one */
	struct dump_stream streams[DUMP_STREAMS_MAX];
};

/*
 * Makes a forecast of a dump of @plan; both plan and costs must outlive it. Returns 0; -ENODATA,
 * -EINVAL or -ENOMEM as prediction_make().
 */
int dump_forecast_make(const struct prediction_request *request, const struct dump_options *dump,
	const struct dump_plan *plan, const struct dump_costs *costs,
	struct dump_forecast *forecast, struct err *err);

/*
 * What part of the time of one stream several take, the inode map left out: at the best, as told,
 * and at the worst. All 1 for a single stream.
 */
struct dump_concurrency {
	double best;
	double told;
	double worst;
};

struct dump_concurrency dump_concurrency_find(const struct dump_forecast *forecast);

/* Shares the seconds of @forecast out to users. Returns 0 or -ENOMEM. */
int prediction_share_out(
	const struct dump_forecast *forecast, uint64_t tiny_bytes, struct prediction *prediction);

/* Fills the variants that @request asks for, @as_is the first. Returns 0, -EINVAL or -ENOMEM. */
int prediction_make_variants(const struct prediction_request *request, const struct dump_plan *plan,
	const struct dump_forecast *as_is, struct prediction *prediction, struct err *err);

#endif
