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
#include "analyzer/history/history.h"
#include "analyzer/window/calibration.h"
#include "analyzer/window/learn.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum store_mode {
	STORE_READ,  /* must exist; nothing is changed, not even by a migration */
	STORE_WRITE, /* made if missing, its folders too; migrated forward */
};

/*
 * Opens @path, for one thread at a time. A new file has the mode 0640 less the umask, a new folder
 * 0755. Opened for reading, everything is seen as it was at one moment, whatever others write
 * meanwhile; readers need no write access to file or folder, and a read-only filesystem will do.
 *
 * Errors, each with a message: -ENOENT no database there, or an empty one; -EISDIR a directory;
 * -EINVAL no regular file; -EACCES, -EROFS; -EBUSY locked by another process for longer than a few
 * seconds, or written while it was read; -EUCLEAN not a database, another program's, or damaged;
 * -EPROTO its schema is newer than this program; -ESTALE older, and it is opened for reading;
 * -ENOSPC, also where a quota is used up; -ENOMEM; others of the system. All functions below may
 * fail with these too; those that write also with -ESTALE: the file was removed or replaced since
 * it was opened, and nothing was stored.
 */
int store_open(struct store **store, const char *path, enum store_mode mode, struct err *err);
void store_close(struct store *store);

/* A line that the user should see though nothing failed, or NULL. Lives as long as the store. */
const char *store_note(const struct store *store);

/* How long saving, pruning and vacuuming wait for others who have it locked; 5 s at first. */
int store_set_patience(struct store *store, double seconds, struct err *err);

/* The newest schema version that this program knows. */
int store_schema_version(void);

/*
 * Stores a scan in one transaction and sets info->scan_id; an id is never used twice. Its
 * filesystem is found by fs_id, or made; what has changed of it (mount point, device) is brought up
 * to date. Faster if census_sort() was called before. -EINVAL for what cannot be stored: no fs_id,
 * a tiny edge that is neither 0 nor a power of two, a duration that is negative or no number.
 */
int store_save_scan(
	struct store *store, struct scan_info *info, const struct census *census, struct err *err);

/*
 * Which scan is meant: by id; else the newest of fs; else the newest of all. The newest is the one
 * stored last, whatever the clock said. Scans of a whole filesystem go before those of a tree
 * alone, so that one look at a tree does not stand in for the filesystem afterwards.
 */
struct store_selector {
	int64_t scan_id; /* 0: not by id */
	/* An fs_id, or a mount point or device it was ever scanned at; else a tree; NULL: any. */
	const char *fs;
	bool whole_filesystem; /* without an id: leave out scans of a tree alone */
};

/* Loads what is known of a scan. -ENOENT with a message if there is none such. */
int store_load_scan(struct store *store, const struct store_selector *selector,
	struct scan_info *info, struct err *err);

/*
 * Loads the cube, the ages (with their day and resolution), or the failures of a scan into an
 * initialised, empty object, to be freed by the caller also after an error. -ENOENT with a message
 * if there is no such scan.
 */
int store_load_cube(struct store *store, int64_t scan_id, struct cube *cube, struct err *err);
int store_load_ages(struct store *store, int64_t scan_id, struct ages *ages, struct err *err);
int store_load_failures(
	struct store *store, int64_t scan_id, struct failures *failures, struct err *err);

/*
 * Loads what a scan noted for predicting dumps into an initialised, empty object, to be freed by
 * the caller also after an error. Where the scan is by an older version, facts->present is false.
 * -ENOENT with a message if there is no such scan; -EUCLEAN if what is stored makes no sense.
 */
int store_load_dump(
	struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err);

/*
 * Loads the directories of a scan into an initialised, empty object, to be freed by the caller also
 * after an error. Where the scan did not look at them, directories->present is false. -ENOENT with
 * a message if there is no such scan; -EUCLEAN if the rows are no tree.
 */
int store_load_directories(
	struct store *store, int64_t scan_id, struct directories *directories, struct err *err);

/* Scans, the oldest first, with their totals. */
struct store_scan_list {
	size_t count;
	struct scan_info *scans;      /* owned */
	struct census_totals *totals; /* owned, one for each scan, at its tiny edge */
};

/*
 * Lists the scans of one filesystem (@fs as in the selector; of several that match, the one stored
 * last) or of all (NULL). -ENOENT with a message and an empty list if no filesystem matches; none
 * at all is an empty list.
 */
int store_list_scans(
	struct store *store, const char *fs, struct store_scan_list *list, struct err *err);
void store_scan_list_fini(struct store_scan_list *list);

/*
 * Loads the scans of the filesystem of scan @scan_id up to that (of the same tree, if it is of a
 * tree alone) in order of time: what each found in all, or of the user @uid (NULL: all) alone.
 * Totals and windows are left 0. @history is empty before, and to be freed by the caller also after
 * an error. -ENOENT with a message if there is no such scan.
 */
int store_load_history(struct store *store, int64_t scan_id, const uint32_t *uid,
	struct history *history, struct err *err);

/*
 * That @fs (as in the selector) names a filesystem of which there is a scan or a calibration.
 * -ENOENT with a message.
 */
int store_check_filesystem(struct store *store, const char *fs, struct err *err);

/* Which scans, or calibrations, to delete. */
struct store_prune_rule {
	enum {
		PRUNE_IDS,          /* those with these ids */
		PRUNE_KEEP,         /* all but the newest of each filesystem */
		PRUNE_OLDER,        /* the old ones, but never the newest of a filesystem */
		PRUNE_CALIBRATIONS, /* no scans: the calibrations with these ids */
	} kind;
	const char *fs;          /* of one filesystem, as in the selector; NULL: of all */
	const int64_t *ids;      /* PRUNE_IDS, PRUNE_CALIBRATIONS; one may be there twice */
	size_t id_count;         /* likewise */
	uint64_t keep;           /* PRUNE_KEEP: how many */
	int64_t started_seconds; /* PRUNE_OLDER: those started before this time */
};

/*
 * Deletes scans or calibrations and all that belongs to them, and filesystems of which neither
 * scan, calibration nor dump is left, in one transaction. Sets *@deleted to their number.
  -ENOENT with a
 * message, and nothing is deleted, if one of the ids is not there or not of @fs, or @fs is unknown.
 */
int store_prune(struct store *store, const struct store_prune_rule *rule, uint64_t *deleted,
	struct err *err);

/* Gives the space of deleted scans back. Needs as much free space meanwhile as the file has. */
int store_vacuum(struct store *store, struct err *err);

/* Stores a calibration in one transaction and sets its calibration_id. */
int store_save_calibration(struct store *store, struct calibration *calibration, struct err *err);

/*
 * Loads the newest calibration of the filesystem with @fs_id that sampled a file, else the newest,
 * to be freed by the caller.
 * -ENOENT without a message if there is none.
 */
int store_load_calibration(
	struct store *store, const char *fs_id, struct calibration *calibration, struct err *err);

/*
 * The same, but the newest that was taken by @by_seconds; if all are later, the first of them.
 */
int store_load_calibration_by(struct store *store, const char *fs_id, int64_t by_seconds,
	struct calibration *calibration, struct err *err);

/*
 * Loads calibration @id, likewise. -ENOENT with a message if it is not there, or not of the
 * filesystem with @fs_id.
 */
int store_load_calibration_of(struct store *store, const char *fs_id, int64_t id,
	struct calibration *calibration, struct err *err);

/* Calibrations without their passes and readings, the oldest first. */
struct store_calibration_list {
	size_t count;
	struct calibration *calibrations; /* owned */
};

/* Lists the calibrations of one filesystem (@fs as in the selector) or of all, as scans are. */
int store_list_calibrations(
	struct store *store, const char *fs, struct store_calibration_list *list, struct err *err);
void store_calibration_list_fini(struct store_calibration_list *list);

/*
 * The newest scan of the whole filesystem @fs_id that began by @by_seconds; if all are later, the
 * first of them. -ENOENT without a message if there is none.
 */
int store_find_scan_by(struct store *store, const char *fs_id, int64_t by_seconds, int64_t *scan_id,
	struct err *err);

/* The fs_id of the filesystem that @fs names, as in the selector. -ENOENT with a message. */
int store_find_fs_id(struct store *store, const char *fs, char fs_id[FS_ID_BYTES], struct err *err);

/* What became of a dump that was to be stored. */
enum store_outcome {
	STORE_NEW,
	STORE_REPLACED, /* it had no end, or no prediction, or one to another sink */
	STORE_KNOWN,    /* the record is now what had been stored */
};

/*
 * Stores past dumps, each of a known filesystem (fs_id) and with a level and a session id or a
 * date, in one transaction, and sets their ids. A dump is known by its session id or, without one,
 * by date and level. @outcomes has a place for each record. -ENOENT with a message if a filesystem
 * is not known; -EINVAL for a record that cannot be known again.
 */
int store_save_dumps(struct store *store, struct dump_record *const *records, size_t count,
	enum store_outcome *outcomes, struct err *err);

/*
 * Loads what there is to learn for predictions of filesystem @fs_id, of level 0 or (@incremental)
 * of others, to @sink (as --sink says it), and learns. To be freed by dump_history_fini().
 */
int store_load_lessons(struct store *store, const char *fs_id, bool incremental, const char *sink,
	struct dump_history *history, struct err *err);

/*
 * When the newest dump of @fs_id with a level below @level began, of those that xfsdump takes for a
 * base: it leaves out what was interrupted. -ENOENT without a message if none is known.
 */
int store_find_base(struct store *store, const char *fs_id, unsigned level, int64_t *base_seconds,
	struct err *err);

#endif
