/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports: each takes values and fills a document (document_init() is the report's, the
 * document the caller's). Each returns 0, -ENOMEM, or -EINVAL with a message for an option that
 * makes no sense there (an unknown column to sort by, bands out of order).
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "analyzer/census/census.h"
#include "analyzer/census/owner.h"
#include "analyzer/census/scan_info.h"
#include "analyzer/history/trend.h"
#include "analyzer/window/calibration.h"
#include "analyzer/window/learn.h"
#include "analyzer/window/prediction.h"
#include "base/err.h"
#include "reports/document.h"

#define REPORT_MAX_BANDS 64

struct report_options {
	const char *sort; /* key of a column; NULL: the report's own order */
	size_t top;       /* rows shown; 0: all */
	bool has_user;    /* only what belongs to `user` */
	uint32_t user;
	size_t band_edges;                /* bands of classes instead of classes; 0: none */
	uint64_t bands[REPORT_MAX_BANDS]; /* ascending edges, powers of two, exclusive above */
	const char *sudo_db; /* the database of who is not root, to be named under sudo; or NULL */
	const char *under_here; /* under as an absolute path, had it been said from here; or NULL */
	const char *under;      /* only that directory and what is below it; NULL: all */
	bool has_limit;         /* when the backup window passes limit_seconds */
	double limit_seconds;
	bool has_depth; /* only so many levels below where the report starts */
	uint64_t depth;
	double hot_share;         /* of the tiny files, what makes a tree hot; 0: HOT_TREE_SHARE */
	bool no_hints;            /* nothing on what to call next */
	bool all_rows;            /* text too: hot trees alike have rows of their own */
	owner_name_fn owner_name; /* NULL: numbers only */
	void *context;            /* handed to owner_name */
};

/* What a report can be made of. Members that a report does not need may be NULL. */
struct report_input {
	const struct scan_info *scan;
	const struct cube *cube;
	const struct ages *ages;
	const struct failures *failures;
	const struct directories *directories; /* not present: the scan did not look at them */
	const struct calibration *calibration; /* NULL: none yet */
	const struct prediction *prediction;   /* NULL: none yet */
	const struct trend *trend;             /* of the scans up to this one */
	const struct growth *growth;           /* between an older scan and this one */
	const struct dump_options *dump;       /* what was predicted; NULL: level 0, null sink */
	const struct dump_history *history;    /* of past dumps; NULL: none is known */
	const struct uncorrected *uncorrected; /* the prediction before it was corrected by them */
	const char *device_identity;           /* of the filesystem's device now; NULL: not known */
	const char *no_prediction; /* why not, where there is a calibration; else NULL */
	const struct report_options *options;
};

/* `scan`: what was just taken. Fields as in the JSON contract, failures as rows. */
int report_scan(const struct report_input *input, struct document *document, struct err *err);

/* `report`: the first screen. */
int report_summary(const struct report_input *input, struct document *document, struct err *err);

/* `report users|groups|projects`. */
int report_owners(const struct report_input *input, enum owner_kind kind, struct document *document,
	struct err *err);

/* Users by bands of sizes, for the page. */
int report_owner_bands(
	const struct report_input *input, struct document *document, struct err *err);

/* `report classes`. */
int report_classes(const struct report_input *input, struct document *document, struct err *err);

/* `report ages`. */
int report_ages(const struct report_input *input, struct document *document, struct err *err);

/*
 * `report dirs`: a row a directory, with what it holds itself and what its tree holds. -ENODATA
 * with a message if the scan did not look at directories.
 */
int report_dirs(const struct report_input *input, struct document *document, struct err *err);

/* `report tree`: the hot trees and how they hang together. Errors as in report_dirs(). */
int report_tree(const struct report_input *input, struct document *document, struct err *err);

/* `calibrate`: cost per file and per byte of each class. */
int report_calibration(
	const struct report_input *input, struct document *document, struct err *err);

/* `predict`. */
int report_prediction(const struct report_input *input, struct document *document, struct err *err);

/* The documents that the page consists of, the first is what it is about. */
#define REPORT_PAGE_MAX 16

struct report_page {
	size_t count;
	struct document documents[REPORT_PAGE_MAX];
};

/*
 * The whole story of a scan, for render_page(): what there is of summary, owners, window, trees,
 * history, ages and so on. Of the options, `user`, `limit_seconds` and `owner_name` count. To be
 * freed by report_page_fini(), also after an error.
 */
int report_page(const struct report_input *input, struct report_page *page, struct err *err);
void report_page_fini(struct report_page *page);

/* `report trend`: one row a scan, with a forecast. Needs input->trend. */
int report_trend(const struct report_input *input, struct document *document, struct err *err);

/* `report growth`: one row a user of whom something changed. Needs input->growth. */
int report_growth(const struct report_input *input, struct document *document, struct err *err);

/*
 * `report metrics`: what a monitoring system should know. Of the users it names as many as the
 * options want, the rest are one. Takes a trend where there is one.
 */
int report_metrics(const struct report_input *input, struct document *document, struct err *err);

/* `scans`: one row a scan. */
int report_scans(const struct scan_info *scans, const struct census_totals *totals, size_t count,
	struct document *document, struct err *err);

/* `scans --calibrations`: one row a calibration; of its parts, cells and sink are needed. */
int report_calibrations(const struct calibration *calibrations, size_t count,
	struct document *document, struct err *err);

/* A dump that a log told of. */
struct learned_dump {
	const struct dump_record *record;
	const char *log;    /* the log's name */
	bool is_stored;     /* else it could not be; @remark says why */
	bool is_known;      /* stored before */
	const char *remark; /* NULL: what its lesson says is all there is to say */
};

/* What past dumps say of a filesystem's next. */
struct learned_history {
	const char *mount_point; /* or another name of the filesystem */
	const char *fs_id;
	bool incremental;
	const char *sink;
	const struct correction *correction;
};

/* `learn`: one row a dump, and what is known after it. */
int report_learn(const struct learned_dump *dumps, size_t count,
	const struct learned_history *histories, size_t history_count, struct document *document,
	struct err *err);

#endif
