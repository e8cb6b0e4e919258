// SPDX-License-Identifier: GPL-2.0-or-later
/* See raw_device.h. */
#include "tests/integration/raw_device.h"

#include "analyzer/xfs/log/format.h"

#include <err.h>
#include <inttypes.h>

#define READ_BYTES      4096
#define BIGTIME_SECONDS 1000000000ULL
#define BIGTIME_EPOCH   (1LL << 31)

#define BE8(bytes, type, member) ((uint8_t)((const char *)(bytes))[offsetof(struct type, member)])
#define BE16(bytes, type, member) \
	log_host16((const char *)(bytes) + offsetof(struct type, member), true)

static int open_direct(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

static void read_at(int fd, uint64_t offset, char *buffer)
{
	if (pread(fd, buffer, READ_BYTES, (off_t)offset) != READ_BYTES)
		err(2, "reading at byte %" PRIu64, offset);
}

void raw_open(struct raw_device *raw, const char *path, const char *log_path)
{
	static char sb[READ_BYTES] __attribute__((aligned(READ_BYTES)));
	struct log_source *log = &raw->log;
	uint64_t start;

	raw->fd = open_direct(path);
	raw->log_fd = log_path ? open_direct(log_path) : -1;
	read_at(raw->fd, 0, sb);
	raw->inode_bytes = BE16(sb, xfs_dsb, sb_inodesize);
	start = LOG_BE64(sb, xfs_dsb, sb_logstart);
	*log = (struct log_source){
		.fd = start ? raw->fd : raw->log_fd,
		.sector_bytes = BE16(sb, xfs_dsb, sb_sectsize),
		.has_crc = (BE16(sb, xfs_dsb, sb_versionnum) & 15) == XFS_SB_VERSION_5,
		.agcount = LOG_BE32(sb, xfs_dsb, sb_agcount),
		.agblocks = LOG_BE32(sb, xfs_dsb, sb_agblocks),
		.block_log = BE8(sb, xfs_dsb, sb_blocklog),
		.agblock_log = BE8(sb, xfs_dsb, sb_agblklog),
		.inodes_per_block_log = BE8(sb, xfs_dsb, sb_inopblog),
	};
	log->length_bytes = (uint64_t)LOG_BE32(sb, xfs_dsb, sb_logblocks) << log->block_log;
	log->offset_bytes = ((start >> log->agblock_log) * log->agblocks +
				    (start & ((1ULL << log->agblock_log) - 1)))
			    << log->block_log;
	memcpy(log->uuid, sb + offsetof(struct xfs_dsb, sb_uuid), LOG_UUID_BYTES);
}

void raw_close(struct raw_device *raw)
{
	if (raw->log_fd >= 0)
		close(raw->log_fd);
	close(raw->fd);
}

static int64_t seconds(const char *at, bool bigtime)
{
	if (bigtime)
		return (int64_t)(disk_be64(at) / BIGTIME_SECONDS) - BIGTIME_EPOCH;
	return (int32_t)disk_be32(at);
}

static void decode(const char *core, struct xfs_inode *inode)
{
	bool bigtime = BE8(core, xfs_dinode, di_version) >= 3 &&
		       LOG_BE64(core, xfs_dinode, di_flags2) & XFS_DIFLAG2_BIGTIME;

	*inode = (struct xfs_inode){
		.uid = LOG_BE32(core, xfs_dinode, di_uid),
		.gid = LOG_BE32(core, xfs_dinode, di_gid),
		.nlink = LOG_BE32(core, xfs_dinode, di_nlink),
		.generation = LOG_BE32(core, xfs_dinode, di_gen),
		.size_bytes = LOG_BE64(core, xfs_dinode, di_size),
		.blocks = LOG_BE64(core, xfs_dinode, di_nblocks),
		.mtime_seconds = seconds(core + offsetof(struct xfs_dinode, di_mtime), bigtime),
		.ctime_seconds = seconds(core + offsetof(struct xfs_dinode, di_ctime), bigtime),
		.projid = BE16(core, xfs_dinode, di_projid_lo) |
			  (uint32_t)BE16(core, xfs_dinode, di_projid_hi) << 16,
	};
	if (BE16(core, xfs_dinode, di_magic) == XFS_DINODE_MAGIC)
		inode->mode = BE16(core, xfs_dinode, di_mode);
}

void raw_inode(const struct raw_device *raw, uint64_t ino, struct xfs_inode *inode)
{
	static char buffer[READ_BYTES] __attribute__((aligned(READ_BYTES)));
	const struct log_source *log = &raw->log;
	uint64_t block = ino >> log->inodes_per_block_log;
	uint64_t agbno = block & ((1ULL << log->agblock_log) - 1);
	uint64_t index = ino & ((1ULL << log->inodes_per_block_log) - 1);
	uint64_t offset =
		(((block >> log->agblock_log) * log->agblocks + agbno) << log->block_log) +
		index * raw->inode_bytes;

	read_at(raw->fd, offset - offset % READ_BYTES, buffer);
	decode(buffer + offset % READ_BYTES, inode);
	inode->ino = ino;
	inode->block_bytes = 1U << log->block_log;
}
