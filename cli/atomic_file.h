/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is replaced whole or not at all. */
#ifndef CLI_ATOMIC_FILE_H
#define CLI_ATOMIC_FILE_H

#include <stdio.h>

struct atomic_file {
	FILE *stream; /* to write to */
	char *path;   /* what is replaced in the end: the file itself where a link was named */
	char *beside; /* where it is written meanwhile, in the same folder */
};

/*
 * Begins to replace @path, which need not exist. The new file has mode and owner of the old one, as
 * far as we may give them, else the mode that the umask leaves. Returns 0 or a negative errno,
 * -ELOOP among them for a link to itself, which stays.
 */
int atomic_file_open(struct atomic_file *file, const char *path);

/*
 * The same for a file that is for its owner alone, in a folder where others may have put something
 * of that name: a link is replaced, and nothing is taken over from what was there.
 */
int atomic_file_open_private(struct atomic_file *file, const char *path);

/* With @code 0 puts the new file in place, else drops it. Returns @code or a negative errno. */
int atomic_file_close(struct atomic_file *file, int code);

#endif
