/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports as text, and what must hold of it whatever they say. */
#ifndef TESTS_UNIT_REPORT_CHECKS_H
#define TESTS_UNIT_REPORT_CHECKS_H

#include "reports/render.h"
#include "tests/unit/report_fixture.h"

typedef int (*report_fn)(
	const struct report_input *input, struct document *document, struct err *err);

/* The report on @fixture as text; to be freed. */
char *report_text(report_fn make, const struct fixture *fixture, struct render_options options);

/* That @text, of the report @name, is JSON as it should be; strict CSV; printable. */
void check_report_json(const char *name, const char *text);
void check_report_csv(const char *name, const char *text);
void check_report_printable(const char *name, const char *text);

#endif
