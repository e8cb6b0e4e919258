/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owned locals that release themselves: `autofree char *path`, `autoclose int fd = -1`. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define autofree  __attribute__((cleanup(cleanup_free)))
#define autoclose __attribute__((cleanup(cleanup_close)))

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
