/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two halves of reading a policy file share: lines and sections, keys and values. */
#ifndef ANALYZER_POLICY_POLICY_READ_H
#define ANALYZER_POLICY_POLICY_READ_H

#include "analyzer/policy/policy.h"

enum policy_part { PART_NONE, PART_POLICY, PART_EXEMPT, PART_LIMITS };

/* On which line each limit of a section stands; 0: nowhere. */
struct policy_lines {
	unsigned soft[POLICY_RULES];
	unsigned hard[POLICY_RULES];
};

struct policy_reader {
	struct policy *policy; /* what is filled */
	const char *file;      /* for messages */
	const char *at;        /* the next line */
	const char *end;
	unsigned line;    /* that was read last, from 1 on */
	struct err *err;  /* not NULL: the first error */
	bool new_section; /* a section began that no key was taken of yet */
	unsigned seen;    /* bits of the sections that may be there once */
	char section[64];

	enum policy_part part;        /* what the section is about */
	enum owner_kind kind;         /* PART_LIMITS: of whom */
	struct policy_limits *limits; /* PART_LIMITS */
	struct policy_lines *lines;   /* PART_LIMITS */

	struct policy_lines kind_lines[OWNER_KINDS];
	struct policy_lines *override_lines; /* owned, one for each override */
};

/* Records "FILE:LINE: [SECTION] KEY: WHAT" and returns @code. */
int policy_read_error(struct policy_reader *reader, int code, const char *key, const char *what);

/* Makes sense of a name, number or pattern. The match's text is the caller's. 0 or -ENOMEM. */
int policy_read_match(struct policy_reader *reader, enum owner_kind kind, const char *text,
	struct policy_match *match);

/* Takes a key of the section that is being read. Returns 0 or a negative errno with a message. */
int policy_read_key(struct policy_reader *reader, const char *key, const char *value);

#endif
