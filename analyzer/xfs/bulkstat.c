// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See bulkstat.h. A request goes out in the generation that was forced or that answered before;
 * at first v5 is tried, then v1. Independently, NREXT64 is dropped once the kernel has refused it.
 *
 * The generations count differently. v5 takes the first number wanted and returns the first not
 * yet given. v1 takes the last number had (0: none) and returns the last one given.
 */
#include "analyzer/xfs/bulkstat.h"

#include "analyzer/xfs/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What open_by_handle_at(2) takes for XFS: FILEID_INO32_GEN with the flag for 64-bit numbers. */
#define XFS_FILEID_INO64_GEN 0x81
#define STAT_BLOCK_BYTES     512

/* A directory that is smaller has no 65534 subdirectories: an entry takes 16 bytes or more. */
#define MANY_LINKS_BYTES (65534 * 16)

struct bulkstat {
	int fd;
	unsigned batch;                /* records asked for */
	enum bulkstat_version version; /* AUTO until one has answered */
	bool nrext64;                  /* ask v5 for 64-bit extent counts */
	bool one_ag;                   /* ask v5 for no more than allocation group agno */
	uint32_t agno;
	void *request;            /* an ioctl's buffer, the largest of the four */
	struct xfs_inode *inodes; /* the answer as the caller sees it */
	struct xfs_chunk *chunks;
};

/* One kind of request: its ioctl of either generation, and what v5 may be told with it. */
struct request_kind {
	unsigned long v1;
	unsigned long v5;
	bool takes_nrext64;
};

static const struct request_kind read_inodes = {XFS_IOC_FSBULKSTAT, XFS_IOC_BULKSTAT, true};
static const struct request_kind read_chunks = {XFS_IOC_FSINUMBERS, XFS_IOC_INUMBERS, false};

int bulkstat_new(struct bulkstat **result, int fd, unsigned batch, enum bulkstat_version version)
{
	struct bulkstat *bulkstat = calloc(1, sizeof(*bulkstat));

	if (!bulkstat)
		return -ENOMEM;
	*bulkstat = (struct bulkstat){
		.fd = fd,
		.batch = batch,
		.version = version,
		.nrext64 = true,
		.request = malloc(XFS_BULKSTAT_REQ_SIZE(batch)),
		.inodes = calloc(batch, sizeof(*bulkstat->inodes)),
		.chunks = calloc(batch, sizeof(*bulkstat->chunks)),
	};
	if (!bulkstat->request || !bulkstat->inodes || !bulkstat->chunks) {
		bulkstat_free(bulkstat);
		return -ENOMEM;
	}
	*result = bulkstat;
	return 0;
}

void bulkstat_free(struct bulkstat *bulkstat)
{
	if (!bulkstat)
		return;
	free(bulkstat->request);
	free(bulkstat->inodes);
	free(bulkstat->chunks);
	free(bulkstat);
}

void bulkstat_set_batch(struct bulkstat *bulkstat, unsigned batch)
{
	bulkstat->batch = batch;
}

enum bulkstat_version bulkstat_version_used(const struct bulkstat *bulkstat)
{
	return bulkstat->version;
}

static int ask_v5(
	struct bulkstat *bulkstat, const struct request_kind *kind, uint64_t *next, unsigned *count)
{
	struct xfs_bulk_ireq *header = bulkstat->request;
	bool nrext64 = kind->takes_nrext64 && bulkstat->nrext64;

	*header = (struct xfs_bulk_ireq){
		.ino = *next,
		.icount = bulkstat->batch,
		.flags = nrext64 ? XFS_BULK_IREQ_NREXT64 : 0,
	};
	if (bulkstat->one_ag) {
		header->flags |= XFS_BULK_IREQ_AGNO;
		header->agno = bulkstat->agno;
	}
	if (ioctl(bulkstat->fd, kind->v5, header)) {
		if (errno != EINVAL || !nrext64)
			return -errno;
		bulkstat->nrext64 = false;
		return ask_v5(bulkstat, kind, next, count);
	}
	*next = header->ino;
	*count = header->ocount;
	return 0;
}

static int ask_v1(
	struct bulkstat *bulkstat, const struct request_kind *kind, uint64_t *next, unsigned *count)
{
	__u64 last = *next ? *next - 1 : 0;
	__s32 got = 0;
	struct xfs_fsop_bulkreq request = {
		.lastip = &last,
		.icount = (__s32)bulkstat->batch,
		.ubuffer = bulkstat->request,
		.ocount = &got,
	};

	if (ioctl(bulkstat->fd, kind->v1, &request))
		return -errno;
	*next = last + 1;
	*count = got > 0 ? (unsigned)got : 0;
	return 0;
}

static bool not_implemented(int rc)
{
	return rc == -ENOTTY || rc == -EOPNOTSUPP;
}

/* Sends a request in the generation to use; once one has answered, it stays. */
static int ask(
	struct bulkstat *bulkstat, const struct request_kind *kind, uint64_t *next, unsigned *count)
{
	int rc = -ENOTTY;

	*count = 0;
	if (bulkstat->version != BULKSTAT_V1) {
		rc = ask_v5(bulkstat, kind, next, count);
		if (!rc)
			bulkstat->version = BULKSTAT_V5;
	}
	if (bulkstat->version == BULKSTAT_V1 ||
		(bulkstat->version == BULKSTAT_AUTO && not_implemented(rc))) {
		rc = ask_v1(bulkstat, kind, next, count);
		if (!rc)
			bulkstat->version = BULKSTAT_V1;
	}
	return rc;
}

static void inode_from_v5(
	struct xfs_inode *inode, const struct xfs_bulkstat *stat, bool extents_64bit)
{
	*inode = (struct xfs_inode){
		.ino = stat->bs_ino,
		.size_bytes = stat->bs_size,
		.blocks = stat->bs_blocks,
		.extents = extents_64bit ? xfs_compat_extents64(stat) : stat->bs_extents,
		.mtime_seconds = stat->bs_mtime,
		.ctime_seconds = stat->bs_ctime,
		.generation = stat->bs_gen,
		.uid = stat->bs_uid,
		.gid = stat->bs_gid,
		.projid = stat->bs_projectid,
		.nlink = stat->bs_nlink,
		.xflags = (uint32_t)stat->bs_xflags,
		.attr_extents = stat->bs_aextents,
		.block_bytes = stat->bs_blksize,
		.mode = stat->bs_mode,
		.attr_fork = stat->bs_forkoff != 0,
	};
}

static void inode_from_v1(struct xfs_inode *inode, const struct xfs_bstat *stat)
{
	*inode = (struct xfs_inode){
		.ino = stat->bs_ino,
		.size_bytes = (uint64_t)stat->bs_size,
		.blocks = (uint64_t)stat->bs_blocks,
		.extents = (uint32_t)stat->bs_extents,
		.mtime_seconds = stat->bs_mtime.tv_sec,
		.ctime_seconds = stat->bs_ctime.tv_sec,
		.generation = stat->bs_gen,
		.uid = stat->bs_uid,
		.gid = stat->bs_gid,
		.projid = bstat_get_projid(stat),
		.nlink = stat->bs_nlink,
		.xflags = stat->bs_xflags,
		.attr_extents = stat->bs_aextents,
		.block_bytes = (uint32_t)stat->bs_blksize,
		.mode = stat->bs_mode,
		.attr_fork = stat->bs_forkoff != 0,
	};
}

static int open_by_number(int fd, uint64_t ino, uint32_t generation)
{
	struct xfs_fileid {
		uint64_t ino;
		uint32_t generation;
	} __attribute__((packed)) id = {ino, generation};
	union {
		struct file_handle handle;
		char space[sizeof(struct file_handle) + sizeof(id)];
	} any = {.handle = {.handle_bytes = sizeof(id), .handle_type = XFS_FILEID_INO64_GEN}};

	memcpy(any.handle.f_handle, &id, sizeof(id));
	return open_by_handle_at(fd, &any.handle, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* fstat(2) of an inode, opened by handle on the filesystem of @fd. Returns 0 or -errno. */
static int stat_by_number(int fd, const struct xfs_inode *inode, struct stat *st)
{
	int found = open_by_number(fd, inode->ino, inode->generation);
	int rc;

	if (found < 0)
		return -errno;
	rc = fstat(found, st) ? -errno : 0;
	close(found);
	return rc;
}

/* Gives an inode of v1 its link count, of which v1 tells 16 bits. One that is gone has none. */
static void complete_nlink(int fd, struct xfs_inode *inode)
{
	bool is_large = S_ISDIR(inode->mode) && inode->size_bytes >= MANY_LINKS_BYTES;
	struct stat st;

	if ((!inode->nlink || is_large) && !stat_by_number(fd, inode, &st))
		inode->nlink = (uint32_t)st.st_nlink;
}

static void convert_inodes(struct bulkstat *bulkstat, unsigned count)
{
	if (bulkstat->version == BULKSTAT_V1) {
		const struct xfs_bstat *stats = bulkstat->request;

		for (unsigned i = 0; i < count; i++) {
			inode_from_v1(&bulkstat->inodes[i], &stats[i]);
			complete_nlink(bulkstat->fd, &bulkstat->inodes[i]);
		}
	} else {
		const struct xfs_bulkstat_req *answer = bulkstat->request;

		for (unsigned i = 0; i < count; i++)
			inode_from_v5(
				&bulkstat->inodes[i], &answer->bulkstat[i], bulkstat->nrext64);
	}
}

static void convert_chunks(struct bulkstat *bulkstat, unsigned count)
{
	const struct xfs_inumbers_req *v5 = bulkstat->request;
	const struct xfs_inogrp *v1 = bulkstat->request;

	for (unsigned i = 0; i < count; i++) {
		bool old = bulkstat->version == BULKSTAT_V1;

		bulkstat->chunks[i] = (struct xfs_chunk){
			.first_ino = old ? v1[i].xi_startino : v5->inumbers[i].xi_startino,
			.alloc_mask = old ? v1[i].xi_allocmask : v5->inumbers[i].xi_allocmask,
			.alloc_count =
				old ? (uint32_t)v1[i].xi_alloccount : v5->inumbers[i].xi_alloccount,
		};
	}
}

int bulkstat_next(
	struct bulkstat *bulkstat, uint64_t *next, const struct xfs_inode **inodes, unsigned *count)
{
	int rc = ask(bulkstat, &read_inodes, next, count);

	if (rc)
		return rc;
	convert_inodes(bulkstat, *count);
	*inodes = bulkstat->inodes;
	return 0;
}

int bulkstat_single(struct bulkstat *bulkstat, uint64_t ino, struct xfs_inode *inode)
{
	unsigned batch = bulkstat->batch;
	uint64_t next = ino;
	unsigned count;
	int rc;

	bulkstat->batch = 1;
	rc = ask(bulkstat, &read_inodes, &next, &count);
	bulkstat->batch = batch;
	if (rc)
		return rc;
	convert_inodes(bulkstat, count);
	if (!count || bulkstat->inodes[0].ino != ino)
		return -ENOENT;
	*inode = bulkstat->inodes[0];
	return 0;
}

int bulkstat_chunks(
	struct bulkstat *bulkstat, uint64_t *next, const struct xfs_chunk **chunks, unsigned *count)
{
	int rc = ask(bulkstat, &read_chunks, next, count);

	if (rc)
		return rc;
	convert_chunks(bulkstat, *count);
	*chunks = bulkstat->chunks;
	return 0;
}

int bulkstat_next_in_ag(struct bulkstat *bulkstat, uint32_t agno, uint64_t *next,
	const struct xfs_inode **inodes, unsigned *count)
{
	int rc;

	bulkstat->one_ag = true;
	bulkstat->agno = agno;
	rc = bulkstat_next(bulkstat, next, inodes, count);
	bulkstat->one_ag = false;
	return rc;
}

int bulkstat_chunks_in_ag(struct bulkstat *bulkstat, uint32_t agno, uint64_t *next,
	const struct xfs_chunk **chunks, unsigned *count)
{
	int rc;

	bulkstat->one_ag = true;
	bulkstat->agno = agno;
	rc = bulkstat_chunks(bulkstat, next, chunks, count);
	bulkstat->one_ag = false;
	return rc;
}

int xfs_inode_add_blocks(int fd, struct xfs_inode *inode)
{
	struct stat st;
	int rc = stat_by_number(fd, inode, &st);

	if (rc)
		return rc;
	inode->blocks = (uint64_t)st.st_blocks;
	inode->block_bytes = STAT_BLOCK_BYTES;
	return 0;
}
