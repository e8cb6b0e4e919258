/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What past dumps say of the next: how far predictions were off, and the correction that follows.
 *
 * A lesson is a dump that was complete, and a prediction of the same dump. Its error is predicted
 * ÷ actual − 1: +3 % is a prediction that was too long. The correction is a factor for predicted
 * times, learned from the newest lessons of the same filesystem and kind (level 0, or any other).
 */
#ifndef ANALYZER_WINDOW_LEARN_H
#define ANALYZER_WINDOW_LEARN_H

#include "analyzer/census/scan_info.h"
#include "analyzer/window/dump_log.h"
#include "analyzer/window/prediction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A dump as it is stored: what its log says, and what had been predicted of it. */
struct dump_record {
	int64_t dump_id;             /* in the database; 0 until stored */
	char fs_id[FS_ID_BYTES];     /* the filesystem that was dumped */
	struct dump_session session; /* owned; the line means nothing once stored */
	char *sink; /* owned: what the prediction took it to go to, as --sink says it */
	bool has_prediction;
	int64_t scan_id; /* of the prediction; 0 if that scan is no longer stored */
	int64_t calibration_id;
	double predicted_seconds; /* before any correction */
	double predicted_low_seconds;
	double predicted_high_seconds;
	uint64_t predicted_bytes; /* of the media files */
};

void dump_record_fini(struct dump_record *record);

/* Whether a dump teaches, or why not. */
enum lesson {
	LESSON_LEARNED,
	LESSON_UNCLEAR,     /* the log was not understood: session.problems */
	LESSON_FAILED,      /* it did not succeed: session.status */
	LESSON_RESUMED,     /* it is the rest of another */
	LESSON_UNPREDICTED, /* no prediction of it */
	LESSON_SHORT,       /* below LEARN_MIN_SECONDS, and xfsdump counts whole seconds */
	LESSON_OTHER_DUMP,  /* its size is not what was predicted: part of it only, or changed */
	LESSONS,
};

/* Below this a second more or less, which xfsdump does not tell, is more than 10 %. */
#define LEARN_MIN_SECONDS 10

/* A dump this many times as large as predicted, or as small, is another one than was predicted. */
#define LEARN_MAX_SIZE_RATIO 1.5

/* The word for it: "learned", "unclear", "failed", …; for data. */
const char *lesson_name(enum lesson lesson);

/* What @record is good for. */
enum lesson lesson_of(const struct dump_record *record);

/* predicted ÷ actual − 1, of a dump with a prediction and a time above 0. */
double lesson_error(const struct dump_record *record);

/* The newest lessons that count, and of which past errors are shown. */
#define LEARN_LESSONS 20
#define LEARN_SHOWN   5

/* No correction is by more than this factor, either way. */
#define LEARN_MAX_FACTOR 4.0

/* What there is to correct by. */
struct correction {
	unsigned lessons; /* 0: nothing is known, and nothing is corrected */
	double factor;    /* for predicted seconds: about actual ÷ predicted */
	double spread;    /* standard deviation of the lessons' logarithms from it */
	unsigned shown;   /* newest lessons that the three below are of */
	double median_error;
	double lowest_error;
	double highest_error;
};

/*
 * Learns from @ratios, actual ÷ predicted of lessons, the newest first, each above 0 and finite;
 * the first LEARN_LESSONS of @count count. docs/dump-model.md says how.
 */
void learn(const double *ratios, size_t count, struct correction *correction);

/* Lessons for predictions of a kind, the newest first, and what follows from them. */
struct dump_history {
	size_t count;
	struct dump_record *records; /* owned; each is a lesson */
	struct correction correction;
};

/* Learns from the records, which are there already. */
void dump_history_learn(struct dump_history *history);
void dump_history_fini(struct dump_history *history);

/* What a prediction was before it was corrected. */
struct uncorrected {
	double seconds;
	double low_seconds;
	double high_seconds;
};

/*
 * Corrects a prediction: all of its seconds by the factor, so that phases, classes and users still
 * add up, and the interval widened by the spread. Does nothing without lessons.
 */
void learn_correct(struct prediction *prediction, const struct correction *correction);

#endif
