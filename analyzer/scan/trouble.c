// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See trouble.h. The attributes of an open inode are in memory, so that a disk that cannot be read
 * does not keep anyone from them; only a filesystem that has shut down does.
 */
#include "analyzer/scan/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

bool trouble_has_shut_down(int fd)
{
	const int flags = AT_EMPTY_PATH | AT_STATX_SYNC_AS_STAT;
	struct statx stat;

	return statx(fd, "", flags, STATX_BASIC_STATS, &stat) && errno == EIO;
}

int trouble_shut_down(struct err *err, const char *path)
{
	return err_set(err, -EIO,
		"%s: the filesystem answers every call with an I/O error; it has probably shut "
		"down (see dmesg): unmount it, mount it again, repeat",
		path);
}

int trouble_no_threads(struct err *err)
{
	return err_set(err, -EAGAIN,
		"no thread could be started: too many processes or too little memory "
		"(see ulimit -u and ulimit -v)");
}
