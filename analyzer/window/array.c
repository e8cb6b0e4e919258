// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See array.h.
 *
 * Sequential reads are made in stretches spread over the filesystem, since a disk is faster at its
 * rim than at its hub; of each stretch the way to it is part, as it is of a large file. Random
 * reads begin at multiples of their size. The first reads of a pattern do not count: they use up
 * what a throttled device or a cloud's volume still gives on credit from before.
 */
#include "analyzer/window/array_private.h"

#include "analyzer/window/random.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define STRETCHES        4
#define DRAIN_READS      8
#define SEQUENTIAL_SHARE 0.3 /* of the time; random reads share the rest alike */
#define SECTOR_BYTES     512

static uint64_t device_bytes(int fd)
{
	struct stat stat;
	uint64_t bytes = 0;

	if (fstat(fd, &stat))
		return 0;
	if (S_ISBLK(stat.st_mode))
		return ioctl(fd, BLKGETSIZE64, &bytes) ? 0 : bytes;
	return S_ISREG(stat.st_mode) ? (uint64_t)stat.st_size : 0;
}

int array_open(struct array **result, const char *path, uint64_t limit_bytes, uint64_t seed)
{
	struct array *array = calloc(1, sizeof(*array));
	int rc = 0;

	if (!array)
		return -ENOMEM;
	*array = (struct array){
		.fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC),
		.random.state = seed,
		.buffer = aligned_alloc(ARRAY_ALIGN_BYTES, ARRAY_READ_MAX_BYTES),
	};
	if (array->fd < 0)
		rc = -errno;
	else if (!array->buffer)
		rc = -ENOMEM;
	else
		array->bytes = min_u64(device_bytes(array->fd), limit_bytes);
	if (!rc && array->bytes < ARRAY_READ_MAX_BYTES)
		rc = -EINVAL;
	if (!rc && array_read(array, 0, ARRAY_ALIGN_BYTES) < 0)
		rc = -EINVAL;
	if (rc) {
		array_close(array);
		return rc;
	}
	*result = array;
	return 0;
}

void array_close(struct array *array)
{
	if (!array)
		return;
	if (array->fd >= 0)
		close(array->fd);
	free(array->buffer);
	free(array);
}

double array_read(struct array *array, uint64_t offset, uint32_t bytes)
{
	int64_t start_ns = clock_monotonic_ns();

	if (pread(array->fd, array->buffer, bytes, (off_t)offset) != (ssize_t)bytes)
		return -1;
	return clock_seconds_since(start_ns);
}

/* A random place for a read of @bytes. */
static uint64_t random_place(struct array *array, uint32_t bytes)
{
	return bytes * random_below(&array->random, array->bytes / bytes);
}

void array_drain(struct array *array, struct pace *pace)
{
	double before = 0, fastest = INFINITY;
	unsigned reads = 0;

	if (!array)
		return;
	while (reads < DRAIN_READS) {
		double seconds = array_read(
			array, random_place(array, ARRAY_ALIGN_BYTES), ARRAY_ALIGN_BYTES);

		if (seconds < 0)
			return;
		reads++;
		fastest = fmin(fastest, seconds);
		if (reads > 1 && seconds < 2 * before && before < 2 * seconds)
			break;
		before = seconds;
	}
	pace->paused_seconds += reads * fastest;
}

/* --- What it delivers ------------------------------------------------------------------------- */

/* One more read that counts; false after an error, or if there should be none. */
static bool read_one(
	struct array *array, uint64_t offset, struct array_reading *reading, struct pace *pace)
{
	double seconds = array_read(array, offset, reading->read_bytes);

	if (seconds < 0)
		return false;
	reading->reads++;
	reading->seconds += seconds;
	return pace_go_on(pace);
}

static bool read_stretch(struct array *array, uint64_t offset, double until_seconds,
	struct array_reading *reading, struct pace *pace)
{
	do {
		if (offset + reading->read_bytes > array->bytes)
			return true;
		if (!read_one(array, offset, reading, pace))
			return false;
		offset += reading->read_bytes;
	} while (reading->seconds < until_seconds);
	return true;
}

/* Reads for a while so that no credit is left; the outcome belongs to nobody. */
static bool use_up_credit(
	struct array *array, double seconds, const struct array_reading *like, struct pace *pace)
{
	struct array_reading uncounted = {.read_bytes = like->read_bytes};

	while (uncounted.seconds < seconds)
		if (!read_one(array, random_place(array, like->read_bytes), &uncounted, pace))
			return false;
	return true;
}

static bool read_sequentially(
	struct array *array, double seconds, struct array_reading *reading, struct pace *pace)
{
	uint64_t apart = array->bytes / STRETCHES / ARRAY_READ_MAX_BYTES * ARRAY_READ_MAX_BYTES;

	for (unsigned i = 0; i < STRETCHES; i++)
		if (!read_stretch(array, i * apart, seconds * (i + 1) / STRETCHES, reading, pace))
			return false;
	return true;
}

static bool read_randomly(
	struct array *array, double seconds, struct array_reading *reading, struct pace *pace)
{
	do {
		if (!read_one(array, random_place(array, reading->read_bytes), reading, pace))
			return false;
	} while (reading->seconds < seconds);
	return true;
}

/* One read at a time. */
static bool measure_pattern(
	struct array *array, double seconds, struct array_reading *reading, struct pace *pace)
{
	double credit = seconds * ARRAY_CREDIT_SHARE;

	if (!use_up_credit(array, credit, reading, pace))
		return false;
	return reading->sequential ? read_sequentially(array, seconds - credit, reading, pace)
				   : read_randomly(array, seconds - credit, reading, pace);
}

static const struct array_reading patterns[] = {
	{.sequential = true, .read_bytes = MIB, .at_once = 1},
	{.read_bytes = 4 * KIB, .at_once = 1},
	{.read_bytes = 64 * KIB, .at_once = 1},
	{.read_bytes = MIB, .at_once = 1},
	{.read_bytes = 4 * KIB, .at_once = 2},
	{.read_bytes = MIB, .at_once = 2},
	{.read_bytes = 4 * KIB, .at_once = 8},
	{.read_bytes = MIB, .at_once = 8},
};
static_assert(ARRAY_LENGTH(patterns) <= CALIBRATION_MAX_READINGS, "room for all readings");

unsigned array_measure(struct array *array, double seconds, struct pace *pace,
	struct array_reading readings[CALIBRATION_MAX_READINGS])
{
	const double random_share = (1 - SEQUENTIAL_SHARE) / (ARRAY_LENGTH(patterns) - 1);
	unsigned count = 0;

	for (size_t i = 0; array && i < ARRAY_LENGTH(patterns); i++) {
		struct array_reading *reading = &readings[count];
		double share = seconds * (patterns[i].sequential ? SEQUENTIAL_SHARE : random_share);

		*reading = patterns[i];
		if (reading->at_once == 1) {
			if (!measure_pattern(array, share, reading, pace))
				return 0;
			count++;
		} else if (!pace->nice) {
			count += array_read_at_once(array, share, reading);
			if (!pace_go_on(pace))
				return 0;
		}
	}
	return count;
}

/* --- What others do --------------------------------------------------------------------------- */

static bool read_statistics(dev_t device, const char *file, struct array_traffic *traffic)
{
	unsigned long long read_sectors, written_sectors;
	char path[80];
	FILE *stream;
	bool got;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major(device), minor(device), file);
	stream = fopen(path, "re");
	if (!stream)
		return false;
	/* reads, merged, sectors, ms; the same of writes */
	got = fscanf(stream, "%*u %*u %llu %*u %*u %*u %llu", &read_sectors, &written_sectors) == 2;
	fclose(stream);
	if (got)
		*traffic = (struct array_traffic){sat_mul_u64(read_sectors, SECTOR_BYTES),
			sat_mul_u64(written_sectors, SECTOR_BYTES)};
	return got;
}

int array_traffic(dev_t device, struct array_traffic *traffic)
{
	char path[80];
	bool partition;

	snprintf(
		path, sizeof(path), "/sys/dev/block/%u:%u/partition", major(device), minor(device));
	partition = !access(path, F_OK);
	return read_statistics(device, partition ? "../stat" : "stat", traffic) ? 0 : -ENOENT;
}
