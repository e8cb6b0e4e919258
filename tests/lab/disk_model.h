/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a hard disk takes: seek, rotation, transfer and read-ahead of one spindle.
 *
 * Time is the caller's: seconds on any clock that does not go back. Places are bytes from the outer
 * edge. The model is deterministic; what is random in life comes from when requests arrive.
 */
#ifndef TESTS_LAB_DISK_MODEL_H
#define TESTS_LAB_DISK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct disk_parameters {
	uint64_t size_bytes;
	double rpm;
	double track_seek_seconds;   /* to the next track */
	double average_seek_seconds; /* mean over all pairs of places */
	double full_seek_seconds;    /* from edge to edge */
	double outer_bps;            /* transfer rate in bytes a second at place 0 */
	double inner_bps;            /* and at the end; linear between */
	uint64_t read_ahead_bytes;   /* what the disk reads on into its buffer after a request */
};

/* A disk and where its head is. Made by disk_model_init(), otherwise private. */
struct disk_model {
	struct disk_parameters parameters;
	double turn_seconds;
	double seek_root, seek_linear; /* seek(d) = track + root √d + linear d, d in strokes */
	double anchor_seconds;         /* when the head passes place `anchor` */
	uint64_t anchor;
	uint64_t end; /* of the last request */
	bool reading; /* the disk reads on from there into its buffer */
};

/* Why a disk of these parameters cannot be, or NULL if it can. */
const char *disk_model_init(struct disk_model *disk, const struct disk_parameters *parameters);

/*
 * Serves @bytes at @place, which lie on the disk, from @now on, not before the end of the request
 * before. Returns when that is done. The write cache is off: a write waits for its sector.
 */
double disk_model_serve(
	struct disk_model *disk, double now, uint64_t place, uint64_t bytes, bool write);

/* Seconds that the arm needs over @distance bytes, without rotation. */
double disk_model_seek_seconds(const struct disk_model *disk, uint64_t distance);

#endif
