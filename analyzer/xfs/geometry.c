// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See geometry.h. The first 112 bytes of the ioctls' answers are the same in all generations, and
 * hold all that is wanted, so one struct serves for them.
 *
 * The superblock is read by its offsets (struct xfs_dsb in the kernel's xfs_format.h), big-endian.
 */
#include "analyzer/xfs/geometry.h"

#include "analyzer/xfs/compat.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SUPERBLOCK_BYTES 512

/* Offsets in the superblock. */
enum {
	SB_MAGIC = 0,
	SB_BLOCKSIZE = 4,
	SB_DBLOCKS = 8,
	SB_RBLOCKS = 16,
	SB_UUID = 32,
	SB_LOGSTART = 48,
	SB_AGBLOCKS = 84,
	SB_AGCOUNT = 88,
	SB_LOGBLOCKS = 96,
	SB_VERSION = 100,
	SB_INODESIZE = 104,
	SB_ICOUNT = 128,
	SB_IFREE = 136,
	SB_FEATURES2 = 200,
	SB_FEATURES_INCOMPAT = 216,
};

#define SB_MAGIC_NUMBER     0x58465342U /* "XFSB" */
#define SB_VERSION_MASK     0x000f
#define SB_VERSION_5        5
#define SB_VERSION_MORE     0x8000 /* SB_FEATURES2 counts */
#define SB2_PROJID32        0x00000080U
#define SB_INCOMPAT_BIGTIME 0x00000008U
#define SB_INCOMPAT_NREXT64 0x00000020U

#define MIN_BLOCK_BYTES 512
#define MAX_BLOCK_BYTES 65536
#define MIN_AG_BLOCKS   64
#define MIN_INODE_BYTES 256
#define MAX_INODE_BYTES 2048

void xfs_uuid_format(const unsigned char uuid[XFS_UUID_BYTES], char text[XFS_UUID_TEXT_BYTES])
{
	char *out = text;

	for (int i = 0; i < XFS_UUID_BYTES; i++)
		out += sprintf(
			out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
}

static int ask_geometry(int fd, struct xfs_fsop_geom *answer)
{
	memset(answer, 0, sizeof(*answer));
	if (!ioctl(fd, XFS_IOC_FSGEOMETRY, answer))
		return 0;
	if (errno != ENOTTY && errno != EINVAL && errno != EOPNOTSUPP)
		return -errno;
	return ioctl(fd, XFS_IOC_FSGEOMETRY_V1, answer) ? -errno : 0;
}

int xfs_geometry_get(int fd, struct xfs_geometry *geometry)
{
	struct xfs_fsop_geom answer;
	int rc = ask_geometry(fd, &answer);

	if (rc)
		return rc;
	*geometry = (struct xfs_geometry){
		.block_bytes = answer.blocksize,
		.inode_bytes = answer.inodesize,
		.agcount = answer.agcount,
		.agblocks = answer.agblocks,
		.data_blocks = answer.datablocks,
		.log_blocks = answer.logblocks,
		.log_internal = answer.logstart != 0,
		.has_realtime = answer.rtblocks != 0,
		.has_projid32 = answer.flags & XFS_FSOP_GEOM_FLAGS_PROJID32,
		.has_bigtime = answer.flags & XFS_FSOP_GEOM_FLAGS_BIGTIME,
		.has_nrext64 = answer.flags & XFS_FSOP_GEOM_FLAGS_NREXT64,
	};
	xfs_uuid_format(answer.uuid, geometry->uuid);
	return 0;
}

static uint16_t be16_at(const unsigned char *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return be16toh(value);
}

static uint32_t be32_at(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return be32toh(value);
}

static uint64_t be64_at(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return be64toh(value);
}

static bool power_of_two_within(uint32_t value, uint32_t low, uint32_t high)
{
	return value >= low && value <= high && !(value & (value - 1));
}

static void decode_features(const unsigned char *sb, struct xfs_geometry *geometry)
{
	uint16_t version = be16_at(sb + SB_VERSION);
	bool v5 = (version & SB_VERSION_MASK) == SB_VERSION_5;
	uint32_t incompat = v5 ? be32_at(sb + SB_FEATURES_INCOMPAT) : 0;
	uint32_t features2 = version & SB_VERSION_MORE ? be32_at(sb + SB_FEATURES2) : 0;

	geometry->has_projid32 = v5 || features2 & SB2_PROJID32;
	geometry->has_bigtime = incompat & SB_INCOMPAT_BIGTIME;
	geometry->has_nrext64 = incompat & SB_INCOMPAT_NREXT64;
}

static int decode_superblock(const unsigned char *sb, struct xfs_geometry *geometry)
{
	*geometry = (struct xfs_geometry){
		.block_bytes = be32_at(sb + SB_BLOCKSIZE),
		.inode_bytes = be16_at(sb + SB_INODESIZE),
		.agcount = be32_at(sb + SB_AGCOUNT),
		.agblocks = be32_at(sb + SB_AGBLOCKS),
		.data_blocks = be64_at(sb + SB_DBLOCKS),
		.log_blocks = be32_at(sb + SB_LOGBLOCKS),
		.log_internal = be64_at(sb + SB_LOGSTART) != 0,
		.has_realtime = be64_at(sb + SB_RBLOCKS) != 0,
	};
	xfs_uuid_format(sb + SB_UUID, geometry->uuid);
	decode_features(sb, geometry);
	if (!power_of_two_within(geometry->block_bytes, MIN_BLOCK_BYTES, MAX_BLOCK_BYTES) ||
		!power_of_two_within(geometry->inode_bytes, MIN_INODE_BYTES, MAX_INODE_BYTES) ||
		geometry->inode_bytes > geometry->block_bytes || !geometry->agcount ||
		geometry->agblocks < MIN_AG_BLOCKS)
		return -EUCLEAN;
	return 0;
}

int xfs_geometry_read(int fd, struct xfs_geometry *geometry, uint64_t *inodes)
{
	unsigned char sb[SUPERBLOCK_BYTES];
	ssize_t got = pread(fd, sb, sizeof(sb), 0);
	uint64_t allocated, unused;
	int rc;

	if (got < 0)
		return -errno;
	if (got < (ssize_t)sizeof(sb) || be32_at(sb + SB_MAGIC) != SB_MAGIC_NUMBER)
		return -ENOTTY;
	rc = decode_superblock(sb, geometry);
	allocated = be64_at(sb + SB_ICOUNT);
	unused = be64_at(sb + SB_IFREE);
	if (!rc && inodes)
		*inodes = allocated > unused ? allocated - unused : 0;
	return rc;
}

int xfs_inodes_in_use(int fd, uint64_t *inodes)
{
	struct xfs_fsop_counts counts = {0};

	if (ioctl(fd, XFS_IOC_FSCOUNTS, &counts))
		return -errno;
	*inodes = counts.allocino > counts.freeino ? counts.allocino - counts.freeino : 0;
	return 0;
}

/*
 * An inode number is the AG, the block in the AG in as many bits as agblocks needs, and the inode
 * in the block.
 */
static unsigned agino_bits(const struct xfs_geometry *geometry)
{
	unsigned block_bits = 32 - (unsigned)__builtin_clz(geometry->agblocks - 1);
	unsigned inodes_per_block = geometry->block_bytes / geometry->inode_bytes;

	return block_bits + (unsigned)__builtin_ctz(inodes_per_block);
}

uint32_t xfs_agno_of_inode(const struct xfs_geometry *geometry, uint64_t ino)
{
	return (uint32_t)(ino >> agino_bits(geometry));
}

uint64_t xfs_first_inode_of_ag(const struct xfs_geometry *geometry, uint32_t agno)
{
	return (uint64_t)agno << agino_bits(geometry);
}
