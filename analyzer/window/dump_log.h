/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dumps that a log of xfsdump tells of: its standard output, or its standard error where the
 * dump itself goes to standard output, of any verbosity but "silent", with several dumps one after
 * the other, with other lines in between, and with other words before xfsdump's.
 */
#ifndef ANALYZER_WINDOW_DUMP_LOG_H
#define ANALYZER_WINDOW_DUMP_LOG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUMP_UUID_BYTES  37 /* of a UUID as text, the final NUL included */
#define DUMP_MAX_LEVEL   9
#define DUMP_UNKNOWN     UINT64_MAX /* what the log does not say */
#define DUMP_LINE_BYTES  16384      /* longer lines are read up to here */
#define DUMP_LOG_MAX     100000     /* dumps in a log */
#define DUMP_MAX_STREAMS 1024

/* How a dump ended, in xfsdump's own words where it has some. */
enum dump_status {
	DUMP_SUCCESS,
	DUMP_INCOMPLETE, /* done, but something could not be dumped */
	DUMP_INTERRUPT,  /* by a signal, a full disk, an end of media */
	DUMP_QUIT,       /* the media is no longer usable */
	DUMP_ERROR,
	DUMP_FAULT,
	DUMP_OTHER, /* a status that we do not know */
	DUMP_OPEN,  /* the log does not say: it ends, or the next dump begins */
	DUMP_STATUSES,
};

/* "SUCCESS", "INCOMPLETE", …, "OTHER", "OPEN". */
const char *dump_status_name(enum dump_status status);

/* What in a dump's lines could not be understood. */
enum dump_problem {
	DUMP_NO_DATE = 1 << 0,      /* its date is missing, or none of ctime(3)'s */
	DUMP_NO_BASE_DATE = 1 << 1, /* the date of the dump that it is based on is no date */
	DUMP_BAD_NUMBER = 1 << 2,   /* a number is out of range */
	DUMP_BAD_UUID = 1 << 3,     /* an id is no UUID */
	DUMP_CUT = 1 << 4,          /* it has no end */
	DUMP_NO_TIME = 1 << 5,      /* it succeeded without saying how long it took */
};

/* A dump, called a session by xfsdump. */
struct dump_session {
	uint64_t line;                    /* of the log, from 1, where it begins */
	char session_id[DUMP_UUID_BYTES]; /* "" if unknown, as for fs_id */
	char fs_id[DUMP_UUID_BYTES];      /* told from verbosity 3 on */
	char *host;                       /* owned; NULL if unknown, as for mount_point */
	char *mount_point;
	bool has_level; /* false: it failed before it knew what to dump */
	bool resumed;   /* the rest of an earlier dump */
	bool has_date;
	bool has_base;      /* incremental */
	bool has_base_date; /* else it is one of the problems */
	uint8_t level;
	uint8_t base_level;
	uint32_t streams;         /* at least 1 */
	uint32_t failed_streams;  /* that ended otherwise than OK */
	int64_t started_seconds;  /* since 1970-01-01 UTC */
	int64_t base_seconds;     /* when the dump that it is based on began */
	uint64_t seconds;         /* it took; or DUMP_UNKNOWN, as for all below */
	uint64_t estimated_bytes; /* xfsdump's estimate beforehand */
	uint64_t media_bytes;     /* of all media files but those of the inventory */
	uint64_t file_bytes;      /* all but directories */
	enum dump_status status;
	unsigned problems; /* enum dump_problem */
};

/* What is wrong with it, in words: clauses joined by "; ". Returns @out. */
const char *dump_problem_text(unsigned problems, char *out, size_t out_bytes);

struct dump_log {
	size_t count;
	struct dump_session *sessions; /* owned, in the order of the log */
	size_t room;                   /* for so many */
	uint64_t lines;
	/* private to dump_log.c */
	bool in_session;
	bool line_overflow; /* the rest of a long line is skipped */
	size_t line_length;
	char line[DUMP_LINE_BYTES];
};

void dump_log_init(struct dump_log *log);
void dump_log_fini(struct dump_log *log);

/*
 * Takes in a piece of a log, of any bytes; a line, and a dump, may go over several pieces. Returns
 * 0, -ENOMEM, or -E2BIG for more than DUMP_LOG_MAX dumps.
 */
int dump_log_add(struct dump_log *log, const char *bytes, size_t count);

/* Ends the log: what is not complete never will be. Returns as dump_log_add(). */
int dump_log_end(struct dump_log *log);

/*
 * Reads a log to its end from @fd; @name is for messages. Returns 0; with a message: -EISDIR,
 * -ENODATA for an empty log and one without any dump, -E2BIG, -ENOMEM, errors of read(2).
 */
int dump_log_read(struct dump_log *log, int fd, const char *name, struct err *err);

/* Frees what a session owns. */
void dump_session_fini(struct dump_session *session);

#endif
