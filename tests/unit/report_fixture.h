/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small filesystems made by hand, with everything a report can be made of. */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include "reports/report.h"

#define FIXTURE_TODAY 20787 /* 2026-11-30 */

struct fixture {
	const char *name;
	struct scan_info scan;
	struct cube cube;
	struct ages ages;
	struct failures failures;
	struct calibration calibration;
	struct prediction prediction;
	struct dump_options dump; /* what was predicted */
	struct report_options options;
	struct report_input input;
	unsigned lookups; /* calls of the name function */
};

/* The filesystems, by name: "array" (the origin of the program), "one", "empty", "odd", "huge". */
extern const char *const fixture_names[];
extern const size_t fixture_count;

void fixture_init(struct fixture *fixture, const char *name);
void fixture_fini(struct fixture *fixture);

/* Adds @inodes of @bytes each, to cube and ages, @days before the scan. */
void fixture_add(struct fixture *fixture, uint32_t uid, enum inode_kind kind, uint64_t inodes,
	uint64_t bytes, int64_t days);

#endif
