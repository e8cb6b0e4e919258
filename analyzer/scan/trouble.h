/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Troubles of a scan as a whole, told in the same words by whoever meets them. */
#ifndef ANALYZER_SCAN_TROUBLE_H
#define ANALYZER_SCAN_TROUBLE_H

#include "base/err.h"

#include <stdbool.h>

/*
 * Whether the mounted filesystem that @fd is open on answers with I/O errors only: after a fatal
 * error XFS shuts itself down and from then on refuses even what it has in memory.
 */
bool trouble_has_shut_down(int fd);

/* Says so of the filesystem at @path. Returns -EIO. */
int trouble_shut_down(struct err *err, const char *path);

/* Says that not even one thread could be started. Returns -EAGAIN. */
int trouble_no_threads(struct err *err);

#endif
