/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xfsdump says that a dump can be known by, in the languages it speaks: English, German and
 * Polish. Dates are the same in all of them: ctime(3) knows no locale.
 */
#ifndef ANALYZER_WINDOW_DUMP_PHRASE_H
#define ANALYZER_WINDOW_DUMP_PHRASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dump_phrase {
	PHRASE_NONE,
	PHRASE_VERSION,      /* version, dump format: the first words of a dump */
	PHRASE_UUID,         /* mount point, UUID of the filesystem; from verbosity 3 on */
	PHRASE_LEVEL,        /* level, host, mount point */
	PHRASE_INCREMENTAL,  /* the same, level and date of the base */
	PHRASE_RESUMED,      /* level, host, mount point, date of what is resumed */
	PHRASE_RESUMED_INCR, /* the same, level and date of the base */
	PHRASE_DATE,         /* date */
	PHRASE_SESSION,      /* id of the session */
	PHRASE_ESTIMATE,     /* bytes */
	PHRASE_MEDIA_FILE,   /* bytes */
	PHRASE_FILES,        /* bytes of all but directories */
	PHRASE_COMPLETE,     /* seconds */
	PHRASE_INTERRUPTED,  /* seconds */
	PHRASE_STREAM,       /* stream, where it went and how it ended, the same in words */
	PHRASE_STATUS,       /* how it ended: the last words of a dump */
};

#define DUMP_PHRASE_PARTS 5

/* A part of a line; not terminated. */
struct dump_part {
	const char *text;
	size_t length;
};

struct dump_words {
	enum dump_phrase phrase;
	struct dump_part parts[DUMP_PHRASE_PARTS]; /* in the order told above */
	bool has_drive;                            /* said by one of several streams */
	struct dump_part drive;                    /* its number */
};

/*
 * Makes sense of a line, whatever stands before xfsdump's name (a host, a date, a daemon), with the
 * name's own suffixes (-N, -V, -W). PHRASE_NONE for all that is not of the above. The parts point
 * into @line.
 */
void dump_phrase_read(const char *line, struct dump_words *words);

/* A part's digits as a number. Returns 0, -EINVAL if it is none, -ERANGE above 2^64 - 1. */
int dump_part_number(const struct dump_part *part, uint64_t *number);

/*
 * A part's date as ctime(3) writes it ("Mon Nov 30 02:10:00 2026"), which is local time: it is read
 * in the time zone of this process (TZ). An hour that a change of clocks repeats is taken as mktime
 * takes it. Returns 0 with seconds since 1970 UTC, or -EINVAL.
 */
int dump_part_date(const struct dump_part *part, int64_t *seconds);

#endif
