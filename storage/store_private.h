/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind store.h share. */
#ifndef STORAGE_STORE_PRIVATE_H
#define STORAGE_STORE_PRIVATE_H

#include "storage/sql.h"
#include "storage/store.h"

struct store {
	struct sql *sql;
	const char *note; /* see store_note(); a literal */
};

/* What is known of a filesystem; NULL where nothing is. */
struct store_filesystem {
	const char *fs_id;
	const char *fs_type;
	const char *mount_point;
	const char *device;
};

/* Finds the filesystem by its fs_id or makes it, and notes what is newly known. */
int store_put_filesystem(struct store *store, const struct store_filesystem *filesystem,
	int64_t *filesystem_id, struct err *err);

/* The filesystem that @fs names, as in the selector. -ENOENT with a message. */
int store_find_filesystem(
	struct store *store, const char *fs, int64_t *filesystem_id, struct err *err);

/* That the scan is there. -ENOENT with a message. */
int store_check_scan(struct store *store, int64_t scan_id, struct err *err);

/* What the database calls the passes and the patterns of readings. */
extern const char *const store_pass_names[CALIBRATION_PASSES];
#define STORE_SEQUENTIAL "sequential"
#define STORE_RANDOM     "random"

/* How the entries of a table of the census become rows. */
struct store_table {
	const char *name; /* and columns, scan_id first, for sql_prepare_insert() */
	int columns;
	void (*bind_row)(struct sql_query *query, const void *entries, size_t index);
};

/* The five columns of cube_sums, in the order of its members. */
void store_bind_sums(struct sql_query *query, const struct cube_sums *sums);
struct cube_sums store_take_sums(struct sql_query *query);

/* Stores @count entries of a scan, many a statement. */
int store_save_rows(struct store *store, int64_t scan_id, const struct store_table *table,
	const void *entries, size_t count, struct err *err);

/* Stores the directories of a scan, if it has any; to be called in a transaction. */
int store_save_directories(struct store *store, int64_t scan_id,
	const struct directories *directories, struct err *err);

/* Stores what the cube of a scan adds up to for its history; to be called in a transaction. */
int store_save_classes(
	struct store *store, int64_t scan_id, const struct cube *cube, struct err *err);

/* Stores what a scan notes for predicting dumps; to be called in a transaction. */
int store_save_dump(
	struct store *store, int64_t scan_id, const struct census *census, struct err *err);

/* Stores, and loads, what of it is for the size of dumps; as above and store_load_dump(). */
int store_save_dump_size(
	struct store *store, int64_t scan_id, const struct census *census, struct err *err);
int store_load_dump_size(
	struct store *store, int64_t scan_id, struct dump_facts *facts, struct err *err);

/* Stores the tables of a scan; to be called in a transaction. */
int store_save_cells(
	struct store *store, int64_t scan_id, const struct census *census, struct err *err);

#endif
