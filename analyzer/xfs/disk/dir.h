/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories on the disk: names in the inode itself, or in directory blocks.
 *
 * A directory block is 2^dir_block_log bytes. Those with names lie in the first 32 GiB of the
 * directory's address space; what lies above, hashes and free space, repeats what they say.
 *
 * A reader is opened, which checks the form as a whole; then entries come one by one, each checked
 * by itself: one that cannot be is told and the next ones still come.
 */
#ifndef ANALYZER_XFS_DISK_DIR_H
#define ANALYZER_XFS_DISK_DIR_H

#include "analyzer/xfs/disk/fork.h"

#define DISK_DIR_SPACE_BYTES (1ULL << 35) /* of names */
#define DISK_DIR_BLOCK_MAX   65536

struct disk_dir_entry {
	uint64_t directory; /* inode that holds the entry */
	uint64_t ino;       /* inode that it leads to */
	const char *name;   /* bytes, no NUL after them; valid as long as the buffer */
	uint8_t name_bytes; /* 1-255 */
	bool is_parent;     /* this is "..": `ino` is what the directory thinks it lies in */
	uint16_t type;      /* S_IFREG, S_IFDIR, …; 0 if the filesystem does not say */
};

/* A directory block and what is known of it before it is read. */
struct disk_dir_block {
	uint64_t ino;    /* whose */
	uint64_t offset; /* byte in the directory's address space */
	uint64_t place;  /* byte on the device of its first filesystem block */
};

/* Fields are private. */
struct disk_dir_reader {
	const struct disk_super *super;
	const uint8_t *start; /* of inode fork or block */
	const uint8_t *at;
	const uint8_t *end;
	uint64_t ino;
	uint64_t parent; /* of a local directory */
	uint8_t ino_bytes;
	uint8_t dots; /* which of "." and ".." are still to come, as bits */
	bool local;
};

/*
 * Opens the directory in the inode whose data fork is @fork, in the form DISK_FORK_LOCAL. Returns
 * 0, or -EUCLEAN with a message that names neither inode nor place.
 */
int disk_dir_open_local(struct disk_dir_reader *reader, const struct disk_super *super,
	const struct disk_fork *fork, struct err *err);

/*
 * Opens the directory block @data of 2^super->dir_block_log bytes. Returns 0, or with a message as
 * above: -EBADMSG for a wrong checksum, -EUCLEAN for contents that make no sense.
 */
int disk_dir_open_block(struct disk_dir_reader *reader, const struct disk_super *super,
	const struct disk_dir_block *block, const void *data, struct err *err);

/*
 * The next entry: all but ".". Returns 1; 0 at the end; -EUCLEAN with a message for an entry that
 * cannot be (a name with '/' or NUL, an inode number out of the filesystem, a "." that leads
 * elsewhere), after which the next call goes on. Ends whatever the contents.
 */
int disk_dir_next(struct disk_dir_reader *reader, struct disk_dir_entry *entry, struct err *err);

#endif
