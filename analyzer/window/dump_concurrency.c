// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By how much several streams are faster than one; see prediction_private.h and docs/dump-model.md.
 *
 * At the best, array and sinks serve each stream as if it were alone, so that the longest decides.
 * At the worst, the array serves one read at a time, and only waiting for the sinks, of which each
 * stream has its own, is done at once. In between lies what the array was seen to deliver to
 * several readers: the streams share that alike, until the shortest ends, then the others, and so
 * on.
 */
#include "analyzer/window/prediction_private.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BIG_CLASS   21   /* files from 1 MiB on are read in sequence */
#define SPEED_ERROR 0.15 /* of what several readers get: measured for a moment, by random reads */

/* --- What several readers get ----------------------------------------------------------------- */

static const struct array_reading *find_reading(
	const struct calibration *calibration, uint32_t read_bytes, unsigned at_once)
{
	for (unsigned i = 0; i < calibration->reading_count; i++) {
		const struct array_reading *reading = &calibration->readings[i];

		if (!reading->sequential && reading->read_bytes == read_bytes &&
			reading->at_once == at_once && reading->reads && reading->seconds > 0)
			return reading;
	}
	return NULL;
}

/* How many times as much @at_once readers get as one does: from 1 to @at_once. 0: not measured. */
static double measured_speed(
	const struct calibration *calibration, uint32_t read_bytes, unsigned at_once)
{
	const struct array_reading *one = find_reading(calibration, read_bytes, 1);
	const struct array_reading *many = find_reading(calibration, read_bytes, at_once);

	if (!one || !many)
		return 0;
	return fmin(at_once,
		fmax(1, (double)many->reads / many->seconds * one->seconds / (double)one->reads));
}

/* The same for any number of @readers: on a line between what was measured. */
static double speed_of_reads(
	const struct calibration *calibration, uint32_t read_bytes, unsigned readers)
{
	double before = 1;
	unsigned before_readers = 1;

	for (unsigned i = 2; i <= DUMP_STREAMS_MAX; i++) {
		double speed = measured_speed(calibration, read_bytes, i);

		if (!(speed > 0))
			continue;
		speed = fmax(before, speed);
		if (readers <= i)
			return before +
			       (speed - before) * (readers - before_readers) / (i - before_readers);
		before = speed;
		before_readers = i;
	}
	return before_readers > 1 ? before : 0;
}

/* What takes the time of a dump by one stream, as parts of it. */
struct shares {
	double random;     /* reads anywhere: of metadata, and data of small files */
	double sequential; /* data of big files */
	double own;        /* computing and waiting for the sink: each stream does that by itself */
};

static struct shares find_shares(const struct dump_forecast *forecast)
{
	const struct dump_times *times = &forecast->times;
	double one = times->seconds - times->phases[PHASE_INODE_MAP];
	double wait = times->phases[PHASE_SINK], cpu = forecast->model.costs->cpu_share, big = 0;

	for (unsigned i = BIG_CLASS; i < SIZE_CLASSES; i++)
		big += forecast->model.parts[i].data_seconds;
	big = fmin(big, one - wait);
	return (struct shares){
		.random = (one - wait - big) / one * (1 - cpu),
		.sequential = big / one * (1 - cpu),
		.own = wait / one + (one - wait) / one * cpu,
	};
}

/* How many times as fast as one stream @streams are, all together; 0: not known. */
static double speed_of_streams(const struct calibration *calibration, const struct shares *shares,
	unsigned streams, double scale)
{
	double random = speed_of_reads(calibration, 4 * KIB, streams);
	double sequential = speed_of_reads(calibration, MIB, streams);

	if (!(random > 0) || !(sequential > 0))
		return 0;
	random = fmin(streams, fmax(1, random * scale));
	sequential = fmin(streams, fmax(1, sequential * scale));
	return 1 /
	       (shares->random / random + shares->sequential / sequential + shares->own / streams);
}

/* --- How long they take ----------------------------------------------------------------------- */

static int by_seconds(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Until the last stream ends, if they share what the array delivers; 0: not known. */
static double shared_seconds(
	const struct dump_forecast *forecast, const struct shares *shares, double scale)
{
	const unsigned count = forecast->stream_count;
	double left[DUMP_STREAMS_MAX], done = 0, seconds = 0;

	for (unsigned i = 0; i < count; i++)
		left[i] = forecast->streams[i].seconds;
	qsort(left, count, sizeof(*left), by_seconds);
	for (unsigned i = 0; i < count; i++) {
		unsigned running = count - i;
		double speed = speed_of_streams(
			forecast->model.costs->calibration, shares, running, scale);

		if (!(speed > 0))
			return 0;
		seconds += (left[i] - done) * running / speed;
		done = left[i];
	}
	return seconds;
}

static double clamp(double value, double low, double high)
{
	return fmin(fmax(value, low), high);
}

struct dump_concurrency dump_concurrency_find(const struct dump_forecast *forecast)
{
	const struct dump_times *times = &forecast->times;
	double one = times->seconds - times->phases[PHASE_INODE_MAP];
	double reading = one - times->phases[PHASE_SINK], longest = 0, seconds;
	struct dump_concurrency result = {1, 1, 1};
	struct shares shares;

	for (unsigned i = 0; i < forecast->stream_count; i++)
		longest = fmax(longest, forecast->streams[i].seconds);
	if (!forecast->stream_count || one <= 0)
		return result;
	result.best = fmin(1, longest / one);
	result.worst = fmin(1, fmax(longest, reading) / one);
	result.told = sqrt(result.best * result.worst);
	shares = find_shares(forecast);
	seconds = shared_seconds(forecast, &shares, 1);
	if (!(seconds > 0))
		return result;
	result.told = clamp(seconds / one, result.best, result.worst);
	seconds = shared_seconds(forecast, &shares, 1 + SPEED_ERROR);
	result.best = clamp(seconds / one, result.best, result.told);
	seconds = shared_seconds(forecast, &shares, 1 / (1 + SPEED_ERROR));
	result.worst = clamp(seconds / one, result.told, result.worst);
	return result;
}
