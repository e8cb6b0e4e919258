// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See disk_model.h. All follows from the time address of a place: how long the head would take to
 * read everything from the outer edge up to it. The disk's angle there is that time modulo a turn,
 * so a stretch read without a pause ends at the angle where the next one starts (tracks are skewed
 * by the time of changing them). To come to a place is to seek, then wait until its angle passes.
 *
 * After a read the disk reads on into its buffer up to read_ahead_bytes. A read that starts there
 * waits for the head to get to its end, or for nothing if it has; a gap costs its transfer. When
 * the buffer is full the head has stopped, and going on from there costs the rest of a turn.
 *
 * The seek curve goes through the three times given. For places drawn evenly the mean of √d is
 * 8/15 and that of d 1/3, which gives two equations for its two factors.
 */
#include "tests/lab/disk_model.h"

#include <math.h>
#include <stddef.h>

#define MEAN_ROOT   (8.0 / 15)
#define MEAN_LINEAR (1.0 / 3)

static double time_address(const struct disk_model *disk, uint64_t place)
{
	const struct disk_parameters *p = &disk->parameters;
	double size = (double)p->size_bytes, loss = p->outer_bps - p->inner_bps;

	if (loss < p->outer_bps * 1e-9)
		return (double)place / p->outer_bps;
	return -size / loss * log1p(-loss / p->outer_bps * ((double)place / size));
}

/* When the head passes @place, at or after the anchor, if it reads on. */
static double passes(const struct disk_model *disk, uint64_t place)
{
	return disk->anchor_seconds + time_address(disk, place) - time_address(disk, disk->anchor);
}

/* The first time not before @now at which the angle of @place is under the head. */
static double next_passage(const struct disk_model *disk, double now, uint64_t place)
{
	double turn = disk->turn_seconds;
	double wait = fmod(time_address(disk, place) - now, turn);

	return now + (wait < 0 ? wait + turn : wait);
}

const char *disk_model_init(struct disk_model *disk, const struct disk_parameters *parameters)
{
	const struct disk_parameters *p = parameters;
	double average = p->average_seek_seconds - p->track_seek_seconds;
	double full = p->full_seek_seconds - p->track_seek_seconds;

	if (!p->size_bytes)
		return "the disk is empty";
	if (!(p->rpm > 0) || !(p->inner_bps > 0) || !(p->outer_bps >= p->inner_bps))
		return "rpm and rates are above 0, the outer rate not below the inner";
	*disk = (struct disk_model){.parameters = *p, .turn_seconds = 60 / p->rpm};
	disk->seek_root = (average - full * MEAN_LINEAR) / (MEAN_ROOT - MEAN_LINEAR);
	disk->seek_linear = full - disk->seek_root;
	if (!(p->track_seek_seconds >= 0) || disk->seek_root < 0 ||
		disk->seek_root / 2 + disk->seek_linear < 0)
		return "no seek curve that never falls has these times";
	return NULL;
}

double disk_model_seek_seconds(const struct disk_model *disk, uint64_t distance)
{
	double strokes = (double)distance / (double)disk->parameters.size_bytes;

	if (!distance)
		return 0;
	return disk->parameters.track_seek_seconds + disk->seek_root * sqrt(strokes) +
	       disk->seek_linear * strokes;
}

/* Where the buffer is full. */
static uint64_t buffer_end(const struct disk_model *disk)
{
	uint64_t end = disk->end + disk->parameters.read_ahead_bytes;

	return end < disk->parameters.size_bytes ? end : disk->parameters.size_bytes;
}

/* The place lies in the buffer or will soon: the head goes on. */
static double read_on(struct disk_model *disk, double now, uint64_t end)
{
	uint64_t stop = buffer_end(disk);
	double stopped = passes(disk, stop), ready;

	if (now > stopped) {
		disk->anchor = stop;
		disk->anchor_seconds = next_passage(disk, now, stop);
	}
	if (now > stopped && end <= stop)
		return now;
	ready = passes(disk, end);
	return ready > now ? ready : now;
}

static double go_and_transfer(struct disk_model *disk, double now, uint64_t place, uint64_t end)
{
	uint64_t distance = place > disk->end ? place - disk->end : disk->end - place;
	double arrival = now + disk_model_seek_seconds(disk, distance);

	disk->anchor = place;
	disk->anchor_seconds = next_passage(disk, arrival, place);
	return passes(disk, end);
}

double disk_model_serve(
	struct disk_model *disk, double now, uint64_t place, uint64_t bytes, bool write)
{
	uint64_t end = place + bytes;
	double done;

	if (disk->reading && !write && place >= disk->end && place <= buffer_end(disk))
		done = read_on(disk, now, end);
	else
		done = go_and_transfer(disk, now, place, end);
	disk->end = end;
	disk->reading = !write;
	return done;
}
