/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two halves of reading a policy file share: sections, and keys with their values. */
#ifndef ANALYZER_POLICY_POLICY_READ_H
#define ANALYZER_POLICY_POLICY_READ_H

#include "analyzer/policy/policy.h"
#include "base/ini_file.h"

enum policy_part { PART_NONE, PART_POLICY, PART_EXEMPT, PART_LIMITS };

/* On which line each limit of a section stands; 0: nowhere. */
struct policy_lines {
	unsigned soft[POLICY_RULES];
	unsigned hard[POLICY_RULES];
};

struct policy_reader {
	struct policy *policy;        /* what is filled */
	const struct ini_setting *at; /* what is being read */
	struct err *err;
	unsigned seen; /* bits of what may be there once */

	enum policy_part part;        /* what the section is about */
	enum owner_kind kind;         /* PART_LIMITS: of whom */
	struct policy_limits *limits; /* PART_LIMITS */
	struct policy_lines *lines;   /* PART_LIMITS */

	struct policy_lines kind_lines[OWNER_KINDS];
	struct policy_lines *override_lines; /* owned, one for each override */
};

/*
 * Makes sense of a name, number or pattern; the match's text is the caller's if it succeeds. 0 or a
 * negative errno with a message.
 */
int policy_read_match(struct policy_reader *reader, enum owner_kind kind, const char *text,
	struct policy_match *match);

/* Takes the key at reader->at. Returns 0 or a negative errno with a message. */
int policy_read_key(struct policy_reader *reader);

#endif
