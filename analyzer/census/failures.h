/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What could not be read, as data: counted by kind, with a few examples of each.
 *
 * A failure never ends a scan; it makes the exit status 1 and is stored with the scan.
 */
#ifndef ANALYZER_CENSUS_FAILURES_H
#define ANALYZER_CENSUS_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#define FAILURE_EXAMPLES 5

enum failure_kind {
	FAILURE_OPEN_DIRECTORY, /* a directory could not be opened: what is below is missing */
	FAILURE_READ_DIRECTORY, /* a directory could be read in part only */
	FAILURE_STAT,           /* an entry was there, its inode could not be read */
	FAILURE_ATTRIBUTES,     /* extents, project id or attributes are unknown */
	FAILURE_HIDDEN,         /* another mount covers a place; what it hides is missing */
	FAILURE_INODE_CHUNK,    /* an inode chunk, or a part of one, could not be read */
	FAILURE_INODE,          /* an inode could be read but makes no sense */
	FAILURE_AG,             /* an allocation group's headers or inode B+tree are damaged */
	FAILURE_LOG,            /* the log could not be read or followed to its end */
	FAILURE_DIRECTORY,      /* a directory's place in the tree makes no sense */
	FAILURE_ENTRY,          /* a directory entry makes no sense */
	FAILURE_KINDS,
};

struct failure_example {
	int code;   /* negative errno, 0 if none applies */
	char *what; /* a path (bytes, escaped) or a place, in words */
};

struct failures {
	uint64_t count[FAILURE_KINDS];
	uint64_t inodes[FAILURE_KINDS]; /* inodes known to be missing because of them */
	struct failure_example examples[FAILURE_KINDS][FAILURE_EXAMPLES]; /* what == NULL: none */
};

void failures_init(struct failures *failures);
void failures_fini(struct failures *failures);

/*
 * Counts a failure that cost @inodes inodes (0 if nobody knows). @code is a negative errno or 0;
 * @what, escaped already, is copied. The examples kept are the smallest by strcmp(), so they do
 * not depend on the order. Without memory the failure is counted and the example left out.
 */
void failures_add(struct failures *failures, enum failure_kind kind, uint64_t inodes, int code,
	const char *what);

/* Adds all of @from, examples too. */
void failures_merge(struct failures *failures, const struct failures *from);

/* Failures of all kinds. */
uint64_t failures_total(const struct failures *failures);

/* The name of a kind as stored and in JSON: "open-directory". */
const char *failure_kind_name(enum failure_kind kind);

/* What a kind means, for people: "directories that could not be opened". */
const char *failure_kind_text(enum failure_kind kind);

#endif
