// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quotactl(2) for kernels without XFS quota, to be preloaded: it keeps in a text file what XFS
 * would keep, so that the real xfs_quota can be seen at work wherever the tests run.
 *
 * $QUOTA_FILE has lines "state FLAGS", "timer TYPE BLOCKS INODES" and "quota TYPE ID BLOCKS INODES
 * BSOFT BHARD ISOFT IHARD RTBSOFT RTBHARD", with types 0 to 2 and blocks of 512 bytes. With
 * $QUOTA_DENIED nobody is told of others.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/quota.h>
#include <sys/types.h>
#include <xfs/xqm.h>

#define MAX_QUOTAS 256
#define TYPES      3

struct quota {
	int type;
	unsigned id;
	unsigned long long blocks, inodes, bsoft, bhard, isoft, ihard, rtbsoft, rtbhard;
};

struct book {
	unsigned flags;
	unsigned block_seconds[TYPES], inode_seconds[TYPES];
	size_t count;
	struct quota quotas[MAX_QUOTAS];
};

static void read_line(struct book *book, const char *line)
{
	struct quota *quota = &book->quotas[book->count];
	unsigned type, blocks, inodes;

	if (sscanf(line, "state %x", &book->flags) == 1)
		return;
	if (sscanf(line, "timer %u %u %u", &type, &blocks, &inodes) == 3 && type < TYPES) {
		book->block_seconds[type] = blocks;
		book->inode_seconds[type] = inodes;
	} else if (sscanf(line, "quota %d %u %llu %llu %llu %llu %llu %llu %llu %llu", &quota->type,
			   &quota->id, &quota->blocks, &quota->inodes, &quota->bsoft, &quota->bhard,
			   &quota->isoft, &quota->ihard, &quota->rtbsoft, &quota->rtbhard) == 10 &&
		   book->count + 1 < MAX_QUOTAS) {
		book->count++;
	}
}

static void read_book(struct book *book)
{
	FILE *file = fopen(getenv("QUOTA_FILE"), "r");
	char line[256];

	memset(book, 0, sizeof(*book));
	while (file && fgets(line, sizeof(line), file))
		read_line(book, line);
	if (file)
		fclose(file);
}

static void write_book(const struct book *book)
{
	FILE *file = fopen(getenv("QUOTA_FILE"), "w");

	if (!file)
		abort();
	fprintf(file, "state %x\n", book->flags);
	for (unsigned i = 0; i < TYPES; i++)
		fprintf(file, "timer %u %u %u\n", i, book->block_seconds[i],
			book->inode_seconds[i]);
	for (size_t i = 0; i < book->count; i++) {
		const struct quota *quota = &book->quotas[i];

		fprintf(file, "quota %d %u %llu %llu %llu %llu %llu %llu %llu %llu\n", quota->type,
			quota->id, quota->blocks, quota->inodes, quota->bsoft, quota->bhard,
			quota->isoft, quota->ihard, quota->rtbsoft, quota->rtbhard);
	}
	fclose(file);
}

/* The quota of @id, or of the next id that has one; NULL if there is none. */
static struct quota *find(struct book *book, int type, unsigned id, int next)
{
	struct quota *found = NULL;

	for (size_t i = 0; i < book->count; i++) {
		struct quota *quota = &book->quotas[i];

		if (quota->type != type || quota->id < id || (!next && quota->id != id))
			continue;
		if (!found || quota->id < found->id)
			found = quota;
	}
	return found;
}

static int get_state(const struct book *book, int type, struct fs_quota_stat *stat)
{
	memset(stat, 0, sizeof(*stat));
	stat->qs_version = FS_QSTAT_VERSION;
	stat->qs_flags = (uint16_t)book->flags;
	stat->qs_btimelimit = (int32_t)book->block_seconds[type];
	stat->qs_itimelimit = (int32_t)book->inode_seconds[type];
	return 0;
}

static int get_quota(struct book *book, int type, unsigned id, int next, struct fs_disk_quota *disk)
{
	const struct quota *quota = find(book, type, id, next);

	errno = getenv("QUOTA_DENIED") ? EPERM : ENOENT;
	if (!quota || errno == EPERM)
		return -1;
	memset(disk, 0, sizeof(*disk));
	disk->d_version = FS_DQUOT_VERSION;
	disk->d_id = quota->id;
	disk->d_bcount = quota->blocks;
	disk->d_icount = quota->inodes;
	disk->d_blk_softlimit = quota->bsoft;
	disk->d_blk_hardlimit = quota->bhard;
	disk->d_ino_softlimit = quota->isoft;
	disk->d_ino_hardlimit = quota->ihard;
	disk->d_rtb_softlimit = quota->rtbsoft;
	disk->d_rtb_hardlimit = quota->rtbhard;
	return 0;
}

static int set_quota(struct book *book, int type, unsigned id, const struct fs_disk_quota *disk)
{
	struct quota *quota = find(book, type, id, 0);
	unsigned mask = disk->d_fieldmask;

	if (mask & FS_DQ_BTIMER)
		book->block_seconds[type] = (unsigned)disk->d_btimer;
	if (mask & FS_DQ_ITIMER)
		book->inode_seconds[type] = (unsigned)disk->d_itimer;
	if (!quota && mask & FS_DQ_LIMIT_MASK) {
		quota = &book->quotas[book->count++];
		*quota = (struct quota){.type = type, .id = id};
	}
	if (mask & FS_DQ_BSOFT)
		quota->bsoft = disk->d_blk_softlimit;
	if (mask & FS_DQ_BHARD)
		quota->bhard = disk->d_blk_hardlimit;
	if (mask & FS_DQ_ISOFT)
		quota->isoft = disk->d_ino_softlimit;
	if (mask & FS_DQ_IHARD)
		quota->ihard = disk->d_ino_hardlimit;
	if (mask & FS_DQ_RTBSOFT)
		quota->rtbsoft = disk->d_rtb_softlimit;
	if (mask & FS_DQ_RTBHARD)
		quota->rtbhard = disk->d_rtb_hardlimit;
	write_book(book);
	return 0;
}

int quotactl(int command, const char *device, int id, caddr_t address)
{
	const int type = command & 0xff, what = (int)((unsigned)command >> 8);
	static struct book book;

	(void)device;
	read_book(&book);
	errno = book.flags ? EINVAL : ENOSYS;
	if (!book.flags || type >= TYPES)
		return -1;
	switch (what) {
	case Q_XGETQSTAT:
		return get_state(&book, type, (void *)address);
	case Q_XGETQUOTA:
		return get_quota(&book, type, (unsigned)id, 0, (void *)address);
	case Q_XGETNEXTQUOTA:
		return get_quota(&book, type, (unsigned)id, 1, (void *)address);
	case Q_XSETQLIM:
		return set_quota(&book, type, (unsigned)id, (void *)address);
	case Q_XQUOTASYNC:
		return 0;
	default:
		return -1;
	}
}
