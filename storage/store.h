/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The database of scans and calibrations: one file, every filesystem, every scan.
 *
 * A save is one transaction: killed at any moment, the file holds what was there before, whole,
 * and nothing of the new. Numbers above 2^63 - 1 are stored as 2^63 - 1. docs/schema.md describes
 * the views, which are public; tables may change with a migration.
 */
#ifndef STORAGE_STORE_H
#define STORAGE_STORE_H

#include "analyzer/census/census.h"
#include "analyzer/census/scan_info.h"
#include "analyzer/window/calibration.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct store;

enum store_mode {
	STORE_READ,  /* must exist; nothing is changed, not even by a migration */
	STORE_WRITE, /* made if missing, its folder too; migrated forward */
};

/*
 * Opens @path. Errors, each with a message: -ENOENT, -EISDIR, -EACCES, -EBUSY (locked by another
 * process for longer than a few seconds), -EUCLEAN (not a database, or damaged), -EPROTO (its
 * schema is newer than this program), -ENOSPC, -EROFS, -ENOMEM.
 */
int store_open(struct store **store, const char *path, enum store_mode mode, struct err *err);
void store_close(struct store *store);

/* The newest schema version that this program knows. */
int store_schema_version(void);

/*
 * Stores a scan in one transaction and sets info->scan_id. Its filesystem is found by fs_id, or
 * made; what has changed of it (mount point, device) is brought up to date.
 */
int store_save_scan(
	struct store *store, struct scan_info *info, const struct census *census, struct err *err);

/* Which scan or calibration is meant: by id; else the newest of fs; else the newest of all. */
struct store_selector {
	int64_t scan_id; /* 0: not by id */
	const char *fs;  /* fs_id, mount point or device; NULL: any */
};

/* Loads what is known of a scan. -ENOENT with a message if there is none such. */
int store_load_scan(struct store *store, const struct store_selector *selector,
	struct scan_info *info, struct err *err);

/* Loads the cube, the ages, or the failures of a scan into an initialised, empty object. */
int store_load_cube(struct store *store, int64_t scan_id, struct cube *cube, struct err *err);
int store_load_ages(struct store *store, int64_t scan_id, struct ages *ages, struct err *err);
int store_load_failures(
	struct store *store, int64_t scan_id, struct failures *failures, struct err *err);

/* All scans, oldest first, of one filesystem (@fs as in the selector) or of all (NULL). */
struct store_scan_list {
	size_t count;
	struct scan_info *scans;      /* owned */
	struct census_totals *totals; /* owned, one for each scan, at its tiny edge */
};

int store_list_scans(
	struct store *store, const char *fs, struct store_scan_list *list, struct err *err);
void store_scan_list_fini(struct store_scan_list *list);

/* Deletes a scan and all that belongs to it. -ENOENT with a message if there is none such. */
int store_delete_scan(struct store *store, int64_t scan_id, struct err *err);

/* Gives the space of deleted scans back to the filesystem. */
int store_vacuum(struct store *store, struct err *err);

/* Stores a calibration in one transaction and sets its calibration_id. */
int store_save_calibration(struct store *store, struct calibration *calibration, struct err *err);

/* Loads the newest calibration of the filesystem with @fs_id. -ENOENT without a message if none. */
int store_load_calibration(
	struct store *store, const char *fs_id, struct calibration *calibration, struct err *err);

#endif
