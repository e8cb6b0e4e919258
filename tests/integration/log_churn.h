/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of all kinds to a tree of files, the same for the same seed. */
#ifndef TESTS_INTEGRATION_LOG_CHURN_H
#define TESTS_INTEGRATION_LOG_CHURN_H

/*
 * Makes a directory with @creates files and links in directory @path, then does @changes deletes,
 * renames, chmods, chowns, truncations, appends and time stamps to files there, of earlier calls
 * too. Ends the program on an error other than a full filesystem or a name that exists.
 */
void log_churn(const char *path, unsigned seed, unsigned creates, unsigned changes);

#endif
