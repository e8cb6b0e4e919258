/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads all inodes of an XFS filesystem from its device: the engine's work without the census.
 *
 * First the inode B+trees are read for the chunks, then the chunks themselves, in the order of the
 * disk, gaps between them read through where that is cheaper than another request.
 */
#ifndef ANALYZER_SCAN_DEVICE_SCAN_H
#define ANALYZER_SCAN_DEVICE_SCAN_H

#include "analyzer/census/dump_facts.h"
#include "analyzer/census/failures.h"
#include "analyzer/scan/device_reader.h"
#include "analyzer/xfs/disk/dir.h"
#include "analyzer/xfs/disk/super.h"
#include "analyzer/xfs/inode.h"
#include "analyzer/xfs/inode_set.h"
#include "base/progress.h"

/* Who is told of what is found. Called by workers, each with its number. */
struct device_sink {
	/*
	 * Takes an inode, and what it takes in a dump as far as the disk tells. Returns 0, or a
	 * negative errno that ends the scan.
	 */
	int (*inode)(const struct xfs_inode *inode, const struct dump_measure *measure,
		unsigned worker, void *context);

	/*
	 * Takes inode @ino, in use but with a bad checksum time and again: a mounted filesystem
	 * can be asked for it. Returns 0 if that helped or the inode is gone, else the error. NULL:
	 * nobody to ask.
	 */
	int (*ask)(uint64_t ino, unsigned worker, void *context);

	/*
	 * Takes an entry of a directory, its parent among them (is_parent), if directories were
	 * asked for. They come in any order, directories in parts, and before or after the inodes
	 * they are about. On a mounted filesystem what is renamed during the scan may come twice
	 * or not at all, and an entry may lead to an inode that is gone. Returns as inode(). NULL:
	 * no directories.
	 */
	int (*entry)(const struct disk_dir_entry *entry, unsigned worker, void *context);

	/*
	 * Takes directory @ino of a mounted filesystem, which cannot be read from the device but
	 * through the mount: it is in the log, or was found half written. Entries of it may have
	 * come before, and it may be named more than once. Returns 0 if that is taken over, else an
	 * error, and it is a failure. NULL: no directories, or nobody to ask. An inode that ask()
	 * finds to be a directory is one of these too, which only ask() can tell.
	 */
	int (*directory_later)(uint64_t ino, unsigned worker, void *context);

	/* Takes what could not be read; the arguments are those of failures_add(). */
	void (*failure)(enum failure_kind kind, uint64_t inodes, int code, const char *what,
		unsigned worker, void *context);

	void *context;
};

/* What tests let go wrong with the log of a mounted filesystem. */
enum device_log_fault {
	LOG_FAULT_NONE,
	LOG_FAULT_READ, /* it cannot be read */
	LOG_FAULT_LATE, /* nor waited for, as turns out once inodes were counted */
};

/* Options that only the device engine has; all zero is the default. */
struct device_options {
	enum device_io io;
	enum device_caching caching;
	uint64_t gap_bytes; /* gaps up to this are read through; 0: chosen by the kind of disk */
	enum device_log_fault log_fault;
	bool directories; /* read the entries of directories too */
};

/*
 * A mounted filesystem. Its device lags the log, and the B+trees there lag even behind the inodes:
 * chunks come from XFS_IOC_INUMBERS, and inodes that the log names are left to somebody else.
 *
 * It goes by windows of inode numbers, nearly always a single one: chunks are listed, then
 * collect() is called, then the device is read but for the set, then take() is called for the rest.
 */
struct device_live {
	int fd; /* open on the mounted filesystem */

	/*
	 * Sets *@logged to the inodes that the device may be wrong about, a sealed set that stays
	 * valid until the next call. Returns 0, or an errno with a message that ends the scan.
	 */
	int (*collect)(const struct inode_set **logged, void *context, struct err *err);

	/*
	 * Takes the inodes of that set with @first ≤ number < @end, the directories among them with
	 * the sink's directory_later() too: each directory whose blocks differ on the device has
	 * its inode in the log, since no change of an entry leaves its times alone. Returns as
	 * collect().
	 */
	int (*take)(uint64_t first, uint64_t end, void *context, struct err *err);

	void *context;
};

struct device_scan {
	const struct device_source *source;
	const struct disk_super *super;
	const struct device_options *options;
	const struct device_sink *sink;
	const struct device_live *live; /* mounted; NULL: all there is lies on the device */
	struct progress *progress;      /* may be NULL */
	unsigned workers;               /* at least 1 */

	/*
	 * The log is empty, so all that it ever named is in its place: superblock, inode B+trees
	 * and inodes agree with each other, or one of them is wrong and the sink is told.
	 */
	bool settled;

	/* Results */
	uint64_t chunks;          /* records of the inode B+trees */
	uint64_t read_bytes;      /* of inode chunks, gaps included */
	uint64_t inode_bytes;     /* of the inodes that were wanted */
	uint64_t directory_bytes; /* read of directories outside their inodes, gaps included */
	uint64_t attr_bytes;      /* of attributes likewise */
	enum device_io io;        /* the way of reading that was used */
};

/*
 * Reads everything. Returns 0, also if parts could not be read (the sink was told); -ECANCELED;
 * -ENOMEM or another errno with a message.
 */
int device_scan_run(struct device_scan *scan, struct err *err);

#endif
