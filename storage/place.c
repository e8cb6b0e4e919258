// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See place.h. SQLite says "unable to open database file" for most of what can be wrong with a
 * path; looked at beforehand, it can be told in words. Nothing here opens a file that exists:
 * closing it again would drop the locks that SQLite holds on it in this process.
 */
#include "storage/place.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static int check_type(const char *path, const struct stat *st, struct err *err)
{
	if (S_ISDIR(st->st_mode))
		return err_set(err, -EISDIR,
			"%s is a directory: the database is a file, such as %s/xfscensus.db", path,
			path);
	if (!S_ISREG(st->st_mode))
		return err_set(err, -EINVAL, "%s is no regular file: name another with --db", path);
	return 0;
}

static int check_access(const char *path, int wanted, const char *verb, struct err *err)
{
	if (!faccessat(AT_FDCWD, path, wanted, AT_EACCESS))
		return 0;
	return err_set_errno(
		err, -errno, "%s cannot be %s; name another database with --db", path, verb);
}

int place_check_readable(const char *path, struct err *err)
{
	struct stat st;
	int rc;

	if (stat(path, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return err_set(err, -ENOENT,
				"no database at %s: run `xfscensus scan` first, or name another "
				"with --db",
				path);
		return err_set_errno(err, -errno, "%s", path);
	}
	rc = check_type(path, &st, err);
	return rc ? rc : check_access(path, R_OK, "read", err);
}

/* Makes a folder; one that is there is fine, even where none could be made. */
static int make_folder(const char *folder, struct err *err)
{
	int code = mkdir(folder, PLACE_FOLDER_MODE) ? -errno : 0;
	struct stat st;

	if (!code || code == -EEXIST || !stat(folder, &st))
		return 0;
	return err_set_errno(err, code, "cannot make the folder %s", folder);
}

/* Makes all folders above @path, the outermost first. */
static int make_folders(const char *path, struct err *err)
{
	autofree char *folder = strdup(path);
	int rc = 0;

	if (!folder)
		return err_set_errno(err, -ENOMEM, "%s", path);
	for (char *slash = strchr(folder + 1, '/'); slash && !rc; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		rc = make_folder(folder, err);
		*slash = '/';
	}
	return rc;
}

/* Makes the name of a new file last through a loss of power. */
static int sync_folder(const char *folder)
{
	autoclose int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

/* Makes an empty file unless there is one by now; a dangling link is followed. */
static int make_file(const char *path, const char *folder, struct err *err)
{
	int rc = make_folders(path, err);
	int fd;

	if (rc)
		return rc;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, PLACE_FILE_MODE);
	if (fd < 0)
		return err_set_errno(err, -errno, "cannot make the database %s", path);
	close(fd);
	rc = sync_folder(folder);
	return rc ? err_set_errno(err, rc, "cannot write the folder %s", folder) : 0;
}

static int check_writable(const char *path, const char *folder, struct err *err)
{
	int rc = check_access(path, R_OK | W_OK, "written", err);

	return rc ? rc : check_access(folder, W_OK | X_OK, "written beside the database", err);
}

int place_make_writable(const char *path, struct err *err)
{
	autofree char *copy = strdup(path);
	const char *folder;
	struct stat st;
	int rc = 0;

	if (!copy)
		return err_set_errno(err, -ENOMEM, "%s", path);
	folder = dirname(copy);
	if (stat(path, &st)) {
		if (errno != ENOENT || !*path)
			return err_set_errno(err, -errno, "cannot make the database %s", path);
		rc = make_file(path, folder, err);
		return rc ? rc : check_writable(path, folder, err);
	}
	rc = check_type(path, &st, err);
	return rc ? rc : check_writable(path, folder, err);
}
