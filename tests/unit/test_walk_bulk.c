// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk's reader in bulk on the filesystem of fake_bulkstat.h. */
#include "tests/unit/test.h"

#include "analyzer/scan/walk_bulk.h"
#include "base/pool.h"
#include "tests/unit/fake_bulkstat.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ENTRIES    3000
#define NAME_BYTES 16
#define RECORD     (offsetof(struct dirent64, d_name) + NAME_BYTES)

static char buffer[ENTRIES * (RECORD + 8)] __attribute__((aligned(8)));
static size_t filled;
static struct walk_gates *gates;

static void add(uint64_t ino, unsigned char type)
{
	struct dirent64 *entry = (struct dirent64 *)(void *)(buffer + filled);

	memset(entry, 0, RECORD);
	entry->d_ino = ino;
	entry->d_type = type;
	entry->d_reclen = (RECORD + 7) & ~7U;
	snprintf(entry->d_name, NAME_BYTES, "%ju", (uintmax_t)ino);
	filled += entry->d_reclen;
	assert_true(filled <= sizeof(buffer));
}

/* One chunk after the other from @first on, all 64 inodes of each in use. */
static uint64_t full_chunks(size_t count)
{
	const uint64_t first = 1024;

	memset(&fs, 0, sizeof(fs));
	fs.chunk_count = count;
	for (size_t i = 0; i < count; i++)
		fs.chunks[i] = (struct xfs_chunk){
			first + i * XFS_CHUNK_INODES, UINT64_MAX, XFS_CHUNK_INODES};
	filled = 0;
	return first;
}

static struct walk_bulk *new_bulk(int64_t settled_seconds)
{
	struct walk_bulk *bulk;

	assert_int_equal(walk_bulk_new(&bulk, gates, -1, 1024, settled_seconds), 0);
	return bulk;
}

/* Reads the buffer from @offset to @end, looking for each entry. Returns how many were found. */
static unsigned find_part(struct walk_bulk *bulk, size_t offset, size_t end)
{
	unsigned found = 0;

	for (size_t read = 0; offset < end;) {
		const struct dirent64 *entry = (const void *)(buffer + offset);
		const struct xfs_inode *inode;

		if (offset >= read)
			read = walk_bulk_read(bulk, buffer, offset, end);
		assert_true(read > offset && read <= end);
		inode = walk_bulk_find(bulk, entry->d_ino);
		assert_true(!inode || inode->ino == entry->d_ino);
		found += inode != NULL;
		offset += entry->d_reclen;
	}
	return found;
}

static unsigned find_all(struct walk_bulk *bulk)
{
	return find_part(bulk, 0, filled);
}

static void runs_are_found_in_any_order(void **state)
{
	uint64_t first = full_chunks(47);
	struct walk_bulk *bulk = new_bulk(1);

	(void)state;
	for (unsigned i = 0; i < ENTRIES; i++)
		add(first + i, DT_REG);
	assert_int_equal(find_all(bulk), ENTRIES);
	filled = 0;
	for (unsigned i = ENTRIES; i--;)
		add(first + i, i % 3 ? DT_REG : DT_UNKNOWN);
	assert_int_equal(find_all(bulk), ENTRIES);
	filled = 0;
	for (unsigned i = 0; i < ENTRIES; i++)
		add(first + i * 7919 % 1000, DT_LNK);
	assert_int_equal(find_all(bulk), ENTRIES);
	walk_bulk_free(bulk);
}

static void lone_inodes_and_directories_are_not(void **state)
{
	uint64_t first = full_chunks(47);
	struct walk_bulk *bulk = new_bulk(1);

	(void)state;
	assert_int_equal(find_all(bulk), 0);
	for (unsigned i = 0; i < 100; i++)
		add(first + i * 20, DT_REG);
	for (unsigned i = 0; i < 100; i++)
		add(first + i, DT_DIR);
	assert_int_equal(find_all(bulk), 0);
	walk_bulk_free(bulk);
}

/* What bulkstat cannot tell of, tells too little of, or what changed lately: the rest is found. */
static void doubtful_ones_are_not(void **state)
{
	uint64_t first = full_chunks(2);
	struct walk_bulk *bulk = new_bulk(1), *early = new_bulk(0);

	(void)state;
	fs.chunks[1].alloc_mask &= ~7ULL;
	fs.lacks_blocks = first + 20;
	for (unsigned i = 0; i < 128; i++)
		add(first + i, DT_REG);
	assert_int_equal(find_all(bulk), 128 - 3 - 1);
	assert_null(walk_bulk_find(bulk, first + 20));
	assert_null(walk_bulk_find(bulk, first + 64));
	assert_non_null(walk_bulk_find(bulk, first + 67));
	assert_int_equal(find_all(early), 0);
	walk_bulk_free(bulk);
	walk_bulk_free(early);
}

static void failures_leave_the_rest(void **state)
{
	uint64_t first = full_chunks(2);
	struct walk_bulk *bulk = new_bulk(1);

	(void)state;
	fs.bad_inode = first + 50;
	fs.bad_inodes = 1;
	fs.bad_code = -EIO;
	for (unsigned i = 0; i < 128; i++)
		add(first + i, DT_REG);
	assert_int_equal(find_all(bulk), 50);
	fs.refusal = -EPERM;
	assert_int_equal(find_all(bulk), 0);
	walk_bulk_free(bulk);
}

static void refusal_is_told(void **state)
{
	struct walk_bulk *bulk = NULL;

	(void)state;
	full_chunks(1);
	fs.bad_inode = 1024;
	fs.bad_inodes = 1;
	fs.bad_code = -EPERM;
	assert_int_equal(walk_bulk_new(&bulk, gates, -1, 1024, 1), -EPERM);
	assert_null(bulk);
}

/* --- Several workers ------------------------------------------------------------------------- */

#define WORKERS 4
#define ROUNDS  400

struct part {
	size_t offset, end; /* of the buffer */
	unsigned expected;  /* entries found */
};

static int read_part(void *item, unsigned worker, void *context)
{
	struct walk_bulk *const *bulks = context;
	const struct part *part = item;
	unsigned found = find_part(bulks[worker], part->offset, part->end);

	return found == part->expected ? 0 : -EBADMSG;
}

/* Has the workers read each of the parts. */
static void read_parts(const struct part *parts, size_t count)
{
	struct walk_bulk *bulks[WORKERS];
	const struct pool_options options = {
		.threads = WORKERS,
		.item_bytes = sizeof(*parts),
		.capacity = count,
		.work = read_part,
		.context = bulks,
	};
	struct pool *pool;

	for (unsigned i = 0; i < WORKERS; i++)
		bulks[i] = new_bulk(1);
	assert_int_equal(pool_new(&pool, &options), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(pool_push(pool, &parts[i]), 0);
	assert_int_equal(pool_join(pool), 0);
	for (unsigned i = 0; i < WORKERS; i++)
		walk_bulk_free(bulks[i]);
}

static void one_reads_in_a_group(void **state)
{
	uint64_t first = full_chunks(16);
	struct part parts[ROUNDS];

	(void)state;
	memset(&crowd, 0, sizeof(crowd));
	for (unsigned i = 0; i < 1024; i++)
		add(first + i, DT_REG);
	for (unsigned i = 0; i < ROUNDS; i++)
		parts[i] = (struct part){0, filled, 1024};
	read_parts(parts, ROUNDS);
	assert_int_equal(crowd.most, 1);
}

/* Group 0 answers once the others are at their end: nobody waits for another group's reader. */
static void groups_are_read_at_a_time(void **state)
{
	const unsigned beyond = 8;
	struct part parts[AGS];

	(void)state;
	make_fs(1);
	crowd.held = true;
	filled = 0;
	for (uint64_t agno = 0; agno < AGS; agno++) {
		parts[agno] = (struct part){filled, 0, XFS_CHUNK_INODES};
		for (unsigned i = 0; i < XFS_CHUNK_INODES + beyond; i++)
			add(fs.chunks[agno].first_ino + i, DT_REG);
		parts[agno].end = filled;
	}
	read_parts(parts, AGS);
	assert_int_equal(crowd.ended, AGS);
}

static int make_gates(void **state)
{
	(void)state;
	return walk_gates_new(&gates, -1);
}

static int free_gates(void **state)
{
	(void)state;
	walk_gates_free(gates);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_found_in_any_order),
		cmocka_unit_test(lone_inodes_and_directories_are_not),
		cmocka_unit_test(doubtful_ones_are_not),
		cmocka_unit_test(failures_leave_the_rest),
		cmocka_unit_test(refusal_is_told),
		cmocka_unit_test(one_reads_in_a_group),
		cmocka_unit_test(groups_are_read_at_a_time),
	};

	return cmocka_run_group_tests(tests, make_gates, free_gates);
}
