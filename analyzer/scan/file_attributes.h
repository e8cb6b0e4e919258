/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What XFS knows of an inode besides stat(2), asked for one file at a time: project id, extents,
 * flags. Works without privileges.
 */
#ifndef ANALYZER_SCAN_FILE_ATTRIBUTES_H
#define ANALYZER_SCAN_FILE_ATTRIBUTES_H

#include <stdint.h>

/* The bit of file_attributes.xflags that says: has an attribute fork, empty or not. */
#define FILE_HAS_ATTR_FORK 0x80000000U

enum file_attributes_way {
	ATTRIBUTES_BY_NAME, /* file_getattr(2), Linux 6.17: any kind of file, nothing is opened */
	ATTRIBUTES_BY_OPEN, /* FS_IOC_FSGETXATTR: regular files and directories that open */
	ATTRIBUTES_NONE,    /* the filesystem has none */
};

struct file_attributes {
	uint32_t xflags; /* FS_XFLAG_* */
	uint32_t extents;
	uint32_t projid;
};

/* Which way works for the filesystem that directory @fd is on. */
enum file_attributes_way file_attributes_probe(int fd);

/*
 * Asks about @name in directory @fd, links not followed; "" is @fd itself. @mode is what stat told
 * of it: pipes and devices are never opened. Returns 0 or a negative errno: -EOPNOTSUPP if this
 * way cannot tell for such a file, -EACCES if it may not be opened, -ENOENT if it is gone.
 */
int file_attributes_get(enum file_attributes_way way, int fd, const char *name, uint16_t mode,
	struct file_attributes *attributes);

#endif
