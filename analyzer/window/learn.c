// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See learn.h.
 *
 * Times are compared as logarithms: half and double are as far off. The bias is where the sum of
 * two pulls is zero. Lessons pull by their distance from it, in units of a scale, but none by more
 * than HUBER units (a Huber estimator), so that an odd night counts as little as one that is
 * hardly off. Zero, which is what the model claims of itself, pulls as one lesson does, in units of
 * PRIOR_SCALE: one lesson goes half the way at most, n go n/(n + 1) of it. The scale is what
 * lessons differ from each other, but not below the prior's: noisy nights are believed later.
 *
 * All pulls grow with the distance, so their sum has one zero, between the extremes; halving finds
 * it to the last bit that matters.
 */
#include "analyzer/window/learn.h"

#include "base/cleanup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIOR_SCALE  0.1    /* logarithm: the model is off by 10 % or so */
#define HUBER        1.345  /* 95 % as good as a mean where nothing is odd */
#define NORMAL_SCALE 1.4826 /* median absolute deviation to standard deviation, if normal */
#define SPREAD_LIMIT 3.0    /* scales beyond which a lesson is odd, not spread */
#define FEW          3      /* with fewer lessons nobody can say which is the odd one */
#define FEW_LIMIT    0.7    /* then the spread is from half to double at most */
#define NORMAL_95    1.959964
#define HALVINGS     60

void dump_record_fini(struct dump_record *record)
{
	dump_session_fini(&record->session);
	free(record->sink);
	memset(record, 0, sizeof(*record));
}

/* --- Lessons ---------------------------------------------------------------------------------- */

const char *lesson_name(enum lesson lesson)
{
	static const char *const names[LESSONS] = {
		[LESSON_LEARNED] = "learned",
		[LESSON_UNCLEAR] = "unclear",
		[LESSON_FAILED] = "failed",
		[LESSON_RESUMED] = "resumed",
		[LESSON_UNPREDICTED] = "unpredicted",
		[LESSON_SHORT] = "short",
		[LESSON_OTHER_DUMP] = "other-dump",
	};

	return names[lesson];
}

/* Whether the dump was of the size that was predicted, as far as that is known. */
static bool same_size(const struct dump_record *record)
{
	double predicted = (double)record->predicted_bytes;
	double actual = (double)record->session.media_bytes;

	return record->session.media_bytes == DUMP_UNKNOWN ||
	       (actual <= predicted * LEARN_MAX_SIZE_RATIO &&
		       predicted <= actual * LEARN_MAX_SIZE_RATIO);
}

enum lesson lesson_of(const struct dump_record *record)
{
	const struct dump_session *session = &record->session;

	if (session->status != DUMP_SUCCESS && session->status != DUMP_OPEN)
		return LESSON_FAILED;
	if (session->problems || session->status == DUMP_OPEN)
		return LESSON_UNCLEAR;
	if (session->resumed)
		return LESSON_RESUMED;
	if (!record->has_prediction || !(record->predicted_seconds > 0))
		return LESSON_UNPREDICTED;
	if (session->seconds < LEARN_MIN_SECONDS)
		return LESSON_SHORT;
	return same_size(record) ? LESSON_LEARNED : LESSON_OTHER_DUMP;
}

double lesson_error(const struct dump_record *record)
{
	return record->predicted_seconds / (double)record->session.seconds - 1;
}

/* --- Learning --------------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sorts @values. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), ascending);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* How far lessons are from each other, whatever a few odd ones say. */
static double scale_of(const double *logs, size_t count)
{
	double sorted[LEARN_LESSONS], middle;

	memcpy(sorted, logs, count * sizeof(*logs));
	middle = median(sorted, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(logs[i] - middle);
	return fmax(PRIOR_SCALE, NORMAL_SCALE * median(sorted, count));
}

/* The pull upwards on a bias of @bias. */
static double pull(const double *logs, size_t count, double scale, double bias)
{
	double sum = -bias / (PRIOR_SCALE * PRIOR_SCALE);

	for (size_t i = 0; i < count; i++)
		sum += fmax(-HUBER, fmin(HUBER, (logs[i] - bias) / scale)) / scale;
	return sum;
}

static double find_bias(const double *logs, size_t count, double scale)
{
	double low = -log(LEARN_MAX_FACTOR), high = log(LEARN_MAX_FACTOR);

	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (pull(logs, count, scale, middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static double spread_of(const double *logs, size_t count, double scale, double bias)
{
	double squares = 0;

	for (size_t i = 0; i < count; i++) {
		double off = fabs(logs[i] - bias);

		off = fmin(off, count < FEW ? FEW_LIMIT : SPREAD_LIMIT * scale);
		squares += off * off;
	}
	return sqrt(squares / (double)count);
}

/* The errors of the newest, which are 1 ÷ ratio − 1. */
static void sum_up(const double *ratios, size_t count, struct correction *correction)
{
	double errors[LEARN_SHOWN];

	correction->shown = (unsigned)(count < LEARN_SHOWN ? count : LEARN_SHOWN);
	for (unsigned i = 0; i < correction->shown; i++)
		errors[i] = 1 / ratios[i] - 1;
	correction->median_error = median(errors, correction->shown);
	correction->lowest_error = errors[0];
	correction->highest_error = errors[correction->shown - 1];
}

void learn(const double *ratios, size_t count, struct correction *correction)
{
	double logs[LEARN_LESSONS], scale, bias;

	*correction = (struct correction){.factor = 1};
	if (!count)
		return;
	if (count > LEARN_LESSONS)
		count = LEARN_LESSONS;
	for (size_t i = 0; i < count; i++)
		logs[i] = log(ratios[i]);
	scale = scale_of(logs, count);
	bias = find_bias(logs, count, scale);
	correction->lessons = (unsigned)count;
	correction->factor = exp(bias);
	correction->spread = spread_of(logs, count, scale, bias);
	sum_up(ratios, count, correction);
}

void dump_history_learn(struct dump_history *history)
{
	double ratios[LEARN_LESSONS];
	size_t count = history->count < LEARN_LESSONS ? history->count : LEARN_LESSONS;

	for (size_t i = 0; i < count; i++)
		ratios[i] = (double)history->records[i].session.seconds /
			    history->records[i].predicted_seconds;
	learn(ratios, count, &history->correction);
}

void dump_history_fini(struct dump_history *history)
{
	for (size_t i = 0; i < history->count; i++)
		dump_record_fini(&history->records[i]);
	free(history->records);
	*history = (struct dump_history){0};
}

/* --- Correcting ------------------------------------------------------------------------------- */

/* How many times as long the high end is, the spread included, where it was @ratio times. */
static double wider(double ratio, const struct correction *correction)
{
	return exp(hypot(log(fmax(1, ratio)), NORMAL_95 * correction->spread));
}

static void scale_phases(double phases[PREDICTION_PHASES], double from, double to)
{
	for (int i = 0; i < PREDICTION_PHASES && from > 0; i++)
		phases[i] *= to / from;
}

static void scale_parts(struct prediction *prediction, double factor)
{
	for (int i = 0; i < VERDICT_CAUSES; i++)
		prediction->verdict.seconds[i] *= factor;
	prediction->verdict.dump_bytes_per_second /= factor;
	for (size_t i = 0; i < prediction->class_count; i++)
		prediction->classes[i].seconds *= factor;
	for (size_t i = 0; i < prediction->user_count; i++) {
		prediction->users[i].seconds *= factor;
		prediction->users[i].tiny_seconds *= factor;
	}
	for (unsigned i = 0; i < prediction->stream_count; i++)
		prediction->streams[i].seconds *= factor;
}

/* One of unknown time stays so. */
static void scale_variant(struct prediction_variant *variant, const struct correction *correction)
{
	double width;

	if (!(variant->seconds > 0))
		return;
	width = wider(variant->high_seconds / variant->seconds, correction);
	variant->seconds *= correction->factor;
	variant->high_seconds = variant->seconds * width;
	variant->low_seconds = variant->seconds / width;
}

void learn_correct(struct prediction *prediction, const struct correction *correction)
{
	double factor = correction->factor, width;
	double seconds = prediction->seconds;
	double low = prediction->low_seconds, high = prediction->high_seconds;

	if (!correction->lessons || !(prediction->seconds > 0))
		return;
	width = wider(prediction->high_seconds / prediction->seconds, correction);
	prediction->seconds *= factor;
	prediction->high_seconds = prediction->seconds * width;
	prediction->low_seconds = prediction->seconds / width;
	scale_phases(prediction->phases, seconds, prediction->seconds);
	scale_phases(prediction->phases_low, low, prediction->low_seconds);
	scale_phases(prediction->phases_high, high, prediction->high_seconds);
	scale_parts(prediction, factor);
	for (size_t i = 0; i < prediction->variant_count; i++)
		scale_variant(&prediction->variants[i], correction);
}
