// SPDX-License-Identifier: GPL-2.0-or-later
/* See atomic_file.h. The new file lies in the same folder, so that rename(2) is atomic. */
#include "cli/atomic_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_NAME ".xfscensus.XXXXXX"

static mode_t current_umask(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return mask;
}

/* The path of a temporary file in the folder of @path, to be freed. */
static char *name_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	char *name;

	return asprintf(&name, "%.*s%s", folder, path, TEMPORARY_NAME) < 0 ? NULL : name;
}

/* Gives @fd the owner and the mode of the file that it will replace; the owner is a wish. */
static int take_after(int fd, const char *path)
{
	struct stat old;
	bool replaces = !stat(path, &old);

	if (replaces && fchown(fd, old.st_uid, old.st_gid) && errno != EPERM)
		return -errno;
	return fchmod(fd, replaces ? old.st_mode & 07777 : 0666 & ~current_umask()) ? -errno : 0;
}

static void forget(struct atomic_file *file)
{
	free(file->path);
	free(file->beside);
	*file = (struct atomic_file){0};
}

/* Opens the temporary file, 0600 if @private. On error nothing of it is left. */
static int open_beside(struct atomic_file *file, bool private)
{
	int fd = mkstemp(file->beside);
	int rc = fd < 0 ? -errno : private ? 0 : take_after(fd, file->path);

	if (fd < 0)
		return rc;
	if (!rc) {
		file->stream = fdopen(fd, "w");
		rc = file->stream ? 0 : -errno;
	}
	if (rc) {
		close(fd);
		unlink(file->beside);
	}
	return rc;
}

/* @path is owned from here on; NULL is out of memory. */
static int open_file(struct atomic_file *file, char *path, bool private)
{
	int rc;

	*file = (struct atomic_file){.path = path};
	if (path)
		file->beside = name_beside(path);
	rc = file->beside ? open_beside(file, private) : -ENOMEM;
	if (rc)
		forget(file);
	return rc;
}

int atomic_file_open(struct atomic_file *file, const char *path)
{
	char *real = realpath(path, NULL);

	*file = (struct atomic_file){0};
	if (!real && errno != ENOENT)
		return -errno;
	return open_file(file, real ? real : strdup(path), false);
}

int atomic_file_open_private(struct atomic_file *file, const char *path)
{
	return open_file(file, strdup(path), true);
}

int atomic_file_close(struct atomic_file *file, int code)
{
	if (!code && (fflush(file->stream) || fsync(fileno(file->stream))))
		code = -errno;
	if (fclose(file->stream) && !code)
		code = -errno;
	if (!code && rename(file->beside, file->path))
		code = -errno;
	if (code)
		unlink(file->beside);
	forget(file);
	return code;
}
