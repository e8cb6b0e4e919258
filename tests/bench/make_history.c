// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_history DATABASE SCANS USERS [NOW]: a database with a history whose truth is known.
 *
 * Nightly scans of /srv/history up to NOW (seconds since 1970; by default the present) with USERS
 * users of six cells each, and a calibration. Users have about the same in each scan, but uid 2000
 * gains 10 000 files of 1 to 2 KiB a day.
 */
#include "base/clock.h"
#include "storage/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_UID     2000
#define CULPRIT_A_DAY 10000
#define CELLS_A_USER  6

static const char fs_id[] = "11111111-2222-3333-4444-555555555555";

static void add(struct census *census, uint32_t uid, enum inode_kind kind, uint8_t size_class,
	uint64_t inodes)
{
	const struct cube_key key = {
		.uid = uid, .gid = 100, .kind = (uint8_t)kind, .size_class = size_class};
	uint64_t bytes = size_class ? 3ULL << size_class >> 2 : 0;
	const struct cube_sums sums = {inodes, inodes * bytes, inodes * (bytes / 4096 + 1) * 4096,
		inodes, inodes * (bytes + 600)};

	if (cube_add(&census->cube, &key, &sums))
		abort();
}

/* What there is on night @night: a hash of user and night makes the small comings and goings. */
static void fill(struct census *census, uint64_t night, uint64_t users)
{
	static const uint8_t classes[CELLS_A_USER - 1] = {0, 9, 12, 17, 24};

	for (uint32_t user = 0; user < users; user++) {
		for (unsigned i = 0; i < CELLS_A_USER - 1; i++) {
			uint64_t mixed = (user * 31 + i) * 2654435761ULL;
			uint64_t wobble = (mixed ^ night * 40503) % 7;

			add(census, FIRST_UID + user, KIND_REGULAR, classes[i],
				1 + (mixed >> 16) % (20000 >> 2 * i) + wobble);
		}
		add(census, FIRST_UID + user, KIND_DIRECTORY, 13, 50 + user % 90);
	}
	add(census, FIRST_UID, KIND_REGULAR, 11, 1000000 + night * CULPRIT_A_DAY);
}

static int save_night(struct store *store, int64_t started, uint64_t night, uint64_t users)
{
	struct scan_info info = {.fs_type = "xfs",
		.mount_point = strdup("/srv/history"),
		.device = strdup("/dev/null"),
		.path = strdup("/srv/history"),
		.block_bytes = 4096,
		.capacity_bytes = 1ULL << 44,
		.whole_filesystem = true,
		.engine = "device",
		.started_seconds = started,
		.seconds = 58,
		.jobs = 2,
		.tiny_bytes = 4096};
	struct census census;
	struct err err = {0};
	int rc;

	memcpy(info.fs_id, fs_id, sizeof(fs_id));
	census_init(&census, 4096, clock_day_of(started));
	fill(&census, night, users);
	census_sort(&census);
	rc = store_save_scan(store, &info, &census, &err);
	if (rc)
		fprintf(stderr, "make_history: %s\n", err.message);
	census_fini(&census);
	scan_info_fini(&info);
	return rc;
}

/* A millisecond a file and 100 MB/s, seen in runs of all the classes there are. */
static int save_calibration(struct store *store, int64_t started)
{
	static const unsigned classes[] = {0, 9, 11, 12, 17, 24};
	struct calibration calibration = {.device = strdup("/dev/null"),
		.path = strdup("/srv/history"),
		.started_seconds = started,
		.seconds = 60,
		.budget_seconds = 60,
		.inodes = 1000000,
		.runs = 20,
		.runs_in_all = 1000,
		.passes = {
			[PASS_INODE_MAP] = {PASS_INODE_MAP, 1000000, 0, 0, 5, 0},
			[PASS_DIRECTORIES] = {PASS_DIRECTORIES, 10000, 400000, 0, 2, 0},
			[PASS_INODES] = {PASS_INODES, 1000000, 0, 0, 2, 0},
		}};
	struct err err = {0};
	int rc = 0;

	memcpy(calibration.fs_id, fs_id, sizeof(fs_id));
	for (uint32_t run = 0; run < calibration.runs && !rc; run++) {
		for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]) && !rc; i++) {
			struct calibration_cell *cell =
				calibration_add_cell(&calibration, run, classes[i]);
			uint64_t bytes = classes[i] ? 3ULL << classes[i] >> 2 : 0;

			if (!cell) {
				rc = -1;
				break;
			}
			cell->files = 30;
			cell->bytes = 30 * bytes;
			cell->stream_bytes = 30 * (bytes + 600);
			cell->file_seconds = 0.03;
			cell->data_seconds = (double)cell->stream_bytes / 1e8;
		}
	}
	if (!rc)
		rc = store_save_calibration(store, &calibration, &err);
	if (rc)
		fprintf(stderr, "make_history: %s\n", err.message);
	calibration_fini(&calibration);
	return rc;
}

int main(int argc, char **argv)
{
	uint64_t scans = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t users = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	int64_t now = argc > 4 ? strtoll(argv[4], NULL, 10) : clock_unix_seconds();
	struct store *store;
	struct err err = {0};
	int rc = 0;

	if (argc < 4 || argc > 5 || !scans || !users) {
		fprintf(stderr, "usage: make_history DATABASE SCANS USERS [NOW]\n");
		return 64;
	}
	if (store_open(&store, argv[1], STORE_WRITE, &err)) {
		fprintf(stderr, "make_history: %s\n", err.message);
		return 2;
	}
	for (uint64_t night = 0; night < scans && !rc; night++)
		rc = save_night(
			store, now - (int64_t)(scans - 1 - night) * SECONDS_PER_DAY, night, users);
	if (!rc)
		rc = save_calibration(store, now);
	store_close(store);
	return rc ? 2 : 0;
}
