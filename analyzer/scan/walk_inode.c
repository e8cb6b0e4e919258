// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk.h. From a directory entry to the inode_record that the other engines would give.
 *
 * stat(2) knows neither extents nor project ids nor attribute forks, so on XFS a second call asks
 * for them (file_attributes.h); where the kernel cannot tell, the record says so in `unknown`. Off
 * XFS there is no second call and nothing is called unknown: extents and attribute forks serve to
 * foretell xfsdump, which reads XFS only, and a project id of 0 means none.
 */
#include "analyzer/scan/walk.h"

#include "analyzer/scan/record.h"
#include "analyzer/scan/trouble.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Blocks in stat(2) are of 512 bytes, whatever the filesystem. */
#define STAT_BLOCK_BYTES 512

/* A block of a symlink's target holds at least this much of it: 512 less the header of 56. */
#define SYMLINK_BLOCK_BYTES 456

/* A target below this is always inside the inode. */
#define SYMLINK_INLINE_BYTES 32

#define PROGRESS_EVERY 256

int walk_stat(int fd, const char *name, struct statx *stat)
{
	int flags = AT_STATX_SYNC_AS_STAT | AT_NO_AUTOMOUNT | AT_SYMLINK_NOFOLLOW;

	if (!*name)
		flags |= AT_EMPTY_PATH;
	return statx(fd, name, flags, STATX_BASIC_STATS | STATX_BTIME, stat) ? -errno : 0;
}

static dev_t dev_of(const struct statx *stat)
{
	return makedev(stat->stx_dev_major, stat->stx_dev_minor);
}

/*
 * A mount point shows the root of what is mounted there, which may be this very filesystem again.
 * Only directories are told apart by device: an overlay gives its files the devices of its layers.
 */
bool walk_is_inside(const struct walk *walk, const struct statx *stat)
{
	if (stat->stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return false;
	return !S_ISDIR(stat->stx_mode) || dev_of(stat) == walk->dev;
}

bool walk_is_gone(int code)
{
	return code == -ENOENT || code == -ENOTDIR || code == -ESTALE;
}

void walk_fail(struct walker *walker, enum failure_kind kind, uint64_t inodes, int code,
	const struct walk_node *node, const char *name)
{
	autofree char *path = walk_node_path(node, name);
	struct walk *walk = walker->walk;

	if (code == -EIO && trouble_has_shut_down(walk->job->target->fd)) {
		atomic_store(&walk->shut_down, true);
		atomic_store(&walk->stopped, true);
	}
	failures_add(&walker->part->failures, kind, inodes, code, path ? path : "out of memory");
}

/*
 * What the kernel calls extents is, for data inside the inode, their bytes divided by 16. Such a
 * directory is smaller than a block. Such a symlink has no block, but may have one for attributes;
 * then it claims more extents than its target could fill.
 */
static bool data_is_inline(const struct walk *walk, const struct statx *stat, uint32_t extents)
{
	if (S_ISDIR(stat->stx_mode))
		return stat->stx_size < walk->job->target->block_bytes;
	if (S_ISLNK(stat->stx_mode))
		return !stat->stx_blocks || stat->stx_size < SYMLINK_INLINE_BYTES ||
		       extents > 1 + stat->stx_size / SYMLINK_BLOCK_BYTES;
	return false;
}

static void set_attributes(
	struct inode_record *record, const struct file_attributes *attributes, bool is_inline)
{
	record->extents = is_inline ? 0 : attributes->extents;
	record->projid = attributes->projid;
	if (attributes->xflags & FILE_HAS_ATTR_FORK)
		record->flags |= INODE_ATTR_FORK;
	if (attributes->xflags & FS_XFLAG_NODUMP)
		record->flags |= INODE_NODUMP;
	if (attributes->xflags & FS_XFLAG_REALTIME)
		record->flags |= INODE_REALTIME;
}

/* Without a block there is no extent, whatever the kernel would have said. */
static void set_unknown(struct inode_record *record, const struct statx *stat)
{
	record->unknown = UNKNOWN_PROJECT | UNKNOWN_ATTR_FORK;
	if (stat->stx_blocks)
		record->unknown |= UNKNOWN_EXTENTS;
}

/* Whether the kernel or the permissions are in the way, rather than the filesystem. */
static bool is_refusal(int code)
{
	return code == -EOPNOTSUPP || code == -EACCES || code == -EPERM || code == -EWOULDBLOCK;
}

static void from_stat(struct inode_record *record, const struct statx *stat)
{
	*record = (struct inode_record){
		.ino = stat->stx_ino,
		.size_bytes = stat->stx_size,
		.allocated_bytes = sat_mul_u64(stat->stx_blocks, STAT_BLOCK_BYTES),
		.mtime_seconds = stat->stx_mtime.tv_sec,
		.ctime_seconds = stat->stx_ctime.tv_sec,
		.uid = stat->stx_uid,
		.gid = stat->stx_gid,
		.nlink = stat->stx_nlink,
		.mode = stat->stx_mode,
		.flags = stat->stx_attributes & STATX_ATTR_NODUMP ? INODE_NODUMP : 0,
	};
}

/* The key of an inode in the link set: its number; with another device, which only an overlay
 * shows, the two mixed. */
static uint64_t link_key(const struct walk *walk, const struct statx *stat)
{
	uint64_t other = dev_of(stat) ^ walk->dev;

	return stat->stx_ino ^ other * 0x9e3779b97f4a7c15ULL;
}

/*
 * A number may be that of another directory by now, if the first one was removed, so that it is the
 * time of birth that tells them apart. Who has none may have doubtful numbers, too.
 */
int walk_is_new(struct walk *walk, const struct statx *stat)
{
	uint64_t birth = (uint64_t)stat->stx_btime.tv_sec << 30 ^ stat->stx_btime.tv_nsec;

	if (!walk->met || !(stat->stx_mask & STATX_BTIME))
		return 1;
	return link_set_add(walk->met, link_key(walk, stat) ^ birth * 0xd6e8feb86659fd93ULL);
}

static void tell_progress(struct walker *walker)
{
	if (++walker->uncounted < PROGRESS_EVERY)
		return;
	progress_add(walker->walk->job->options->progress, walker->uncounted);
	walker->uncounted = 0;
}

/* Asks XFS for the rest of @record. -ENOENT if the inode is gone with its only name. */
static int add_attributes(struct walker *walker, struct inode_record *record,
	const struct walk_node *node, int fd, const char *name, const struct statx *stat)
{
	const struct walk *walk = walker->walk;
	struct file_attributes attributes;
	int rc = file_attributes_get(walk->way, fd, name, stat->stx_mode, &attributes);
	bool is_gone;

	if (!rc) {
		set_attributes(record, &attributes, data_is_inline(walk, stat, attributes.extents));
		return 0;
	}
	is_gone = walk_is_gone(rc) || rc == -ELOOP; /* a symlink has its name now */
	if (is_gone && stat->stx_nlink <= 1)
		return -ENOENT;
	if (!is_refusal(rc) && !is_gone)
		walk_fail(walker, FAILURE_ATTRIBUTES, 0, rc, node, name);
	set_unknown(record, stat);
	return 0;
}

/* Returns 1 or -ENOMEM. */
static int count_record(struct walker *walker, const struct inode_record *record)
{
	tell_progress(walker);
	return census_add(walker->part, record) ? -ENOMEM : 1;
}

/* Makes the record of an inode and counts it. Returns 1 if it did, 0 if the inode is gone. */
static int count_once(struct walker *walker, const struct walk_node *node, int fd, const char *name,
	const struct statx *stat, struct inode_record *record)
{
	from_stat(record, stat);
	if (walker->walk->way != ATTRIBUTES_NONE &&
		add_attributes(walker, record, node, fd, name, stat) == -ENOENT)
		return 0;
	return count_record(walker, record);
}

/* Charges an inode that was counted, or not (@counted 0, or an error), and has one name. */
static int charge(struct walker *walker, int counted, const struct walk_node *node,
	const char *name, const struct inode_record *record)
{
	struct directory_join *join = walker->walk->job->join;

	if (counted <= 0 || !join)
		return counted < 0 ? counted : 0;
	directory_join_named(join, walker->number, node->directory, strlen(name));
	return directory_join_charge(join, walker->number, node->directory, record);
}

/* As charge(), of several names: the join charges it once it knows all of them. */
static int charge_link(struct walker *walker, int counted, const struct walk_node *node,
	const char *name, uint64_t key, struct inode_record *record)
{
	struct directory_join *join = walker->walk->job->join;

	if (counted > 0 && join) {
		record->ino = key;
		counted = directory_join_inode(join, walker->number, record);
	}
	if (counted < 0 || !join)
		return counted < 0 ? counted : 0;
	return directory_join_entry(
		join, walker->number, node->directory, key, false, name, strlen(name));
}

int walk_count(struct walker *walker, const struct walk_node *node, int fd, const char *name,
	const struct statx *stat)
{
	struct inode_record record;
	uint64_t key;
	int rc;

	if (stat->stx_nlink <= 1) {
		rc = count_once(walker, node, fd, name, stat, &record);
		return charge(walker, rc, node, name, &record);
	}
	key = link_key(walker->walk, stat);
	rc = link_set_add(walker->walk->links, key);
	if (rc > 0)
		rc = count_once(walker, node, fd, name, stat, &record);
	return charge_link(walker, rc, node, name, key, &record);
}

int walk_count_known(struct walker *walker, const struct walk_node *node, const char *name,
	const struct xfs_inode *inode)
{
	struct inode_record record;
	int rc;

	record_from_xfs(&record, inode);
	if (inode->nlink <= 1)
		return charge(walker, count_record(walker, &record), node, name, &record);
	rc = link_set_add(walker->walk->links, inode->ino);
	if (rc > 0)
		rc = count_record(walker, &record);
	return charge_link(walker, rc, node, name, inode->ino, &record);
}

int walk_count_directory(struct walker *walker, struct walk_node *node, int fd, const char *name,
	const struct statx *stat)
{
	struct directory_join *join = walker->walk->job->join;
	const struct walk_node *parent = node->parent;
	struct inode_record record;
	int rc = count_once(walker, *name ? parent : node, fd, name, stat, &record);

	if (rc <= 0 || !join)
		return rc < 0 ? rc : 0;
	return directory_join_place(
		join, parent ? parent->directory : 0, node->name, &record, &node->directory);
}
