/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden files: texts that are compared byte by byte with files below tests/golden/reports. After a
 * change that is meant, XFSCENSUS_GOLDEN=write makes them anew: read the diff.
 */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

/* Fails the test unless @text is what the file NAME.SUFFIX holds. */
void golden_check(const char *name, const char *suffix, const char *text);

#endif
