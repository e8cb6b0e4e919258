/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a database lies: what can be said of the path before SQL begins. */
#ifndef STORAGE_PLACE_H
#define STORAGE_PLACE_H

#include "base/err.h"

/* The mode of a new database, less the umask: it tells who owns what, not for everybody. */
#define PLACE_FILE_MODE 0640

/* The mode of new folders above it, less the umask. */
#define PLACE_FOLDER_MODE 0755

/* That @path is a file which can be read. -ENOENT, -EISDIR, -EACCES, -EINVAL or of the system. */
int place_check_readable(const char *path, struct err *err);

/* That @path is a file which can be written; made, empty, with the folders above it if missing. */
int place_make_writable(const char *path, struct err *err);

#endif
