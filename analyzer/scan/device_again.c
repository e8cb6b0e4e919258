// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/scan/device_again.h"

#include "base/cleanup.h"

#include <errno.h>
#include <time.h>

/* A cluster is written in well under the sum of these pauses, 2^0 + … + 2^4 ms. */
#define TRIES_LIVE     6
#define TRIES_QUIET    1
#define FIRST_PAUSE_NS 1000000L

const void *device_piece_in(const struct device_piece *piece, const struct device_read *read,
	const void *data, ssize_t got)
{
	uint64_t at = piece->offset - read->offset;

	return got > 0 && at + piece->bytes <= (uint64_t)got ? (const char *)data + at : NULL;
}

static void pause_before(unsigned attempt)
{
	const struct timespec pause = {.tv_nsec = FIRST_PAUSE_NS << attempt};

	nanosleep(&pause, NULL);
}

/* Reads the piece and checks it, once. */
static int read_and_check(const struct device_scan *scan, const struct device_piece *piece,
	void *buffer, struct err *err)
{
	int rc = device_source_read(scan->source, piece->offset, piece->bytes, buffer);

	err_clear(err);
	if (rc == -ENODATA && piece->offset + piece->bytes <= scan->source->size_bytes)
		return err_set(err, rc, "the device was cut short before it while it was read");
	if (rc == -ENODATA)
		return err_set(err, rc, "the device ends at byte %llu, before it",
			(unsigned long long)scan->source->size_bytes);
	if (rc)
		return err_set_errno(err, rc, "reading %u bytes at %llu", piece->bytes,
			(unsigned long long)piece->offset);
	return piece->check(buffer, piece->context, err);
}

int device_check(const struct device_scan *scan, const struct device_piece *piece, const void *data,
	struct err *err)
{
	unsigned tries = scan->live ? TRIES_LIVE : TRIES_QUIET;
	autofree void *buffer = NULL;
	int rc = -EIO;

	if (data) {
		rc = piece->check(data, piece->context, err);
		if (rc >= 0)
			return rc;
	}
	buffer = malloc(piece->bytes);
	if (!buffer) {
		err_clear(err);
		return err_set(err, -ENOMEM, "out of memory");
	}
	for (unsigned i = 0; i < tries && rc < 0; i++) {
		if (scan->live && i)
			pause_before(i - 1);
		rc = read_and_check(scan, piece, buffer, err);
	}
	return rc;
}
