// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What census_add() costs: census [INODES]. Processor time for an inode, the least of five rounds,
 * of inodes that are all alike, that come in runs of one owner with sizes and days of their own,
 * and without any order.
 */
#include "analyzer/census/census.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 5
#define TODAY  20000

/* xorshift64: the same numbers at every run. */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* @run: inodes in a row that have one owner. */
static void make_records(struct inode_record *records, size_t count, size_t run, uint64_t seed)
{
	struct inode_record owner = {.mode = S_IFREG | 0644, .nlink = 1};

	for (size_t i = 0; i < count; i++) {
		struct inode_record *record = &records[i];
		uint64_t random = random_next(&seed);

		if (i % run == 0) {
			owner.uid = 1000 + random_next(&seed) % 60;
			owner.gid = owner.uid / 20;
		}
		*record = owner;
		record->ino = i;
		record->size_bytes = random >> 44 >> (random % 20);
		record->allocated_bytes = (record->size_bytes + 4095) / 4096 * 4096;
		record->extents = record->size_bytes > 0;
		record->mtime_seconds = (TODAY - (int64_t)(random >> 32) % 300) * SECONDS_PER_DAY;
		record->ctime_seconds = record->mtime_seconds;
	}
}

static double round_seconds(const struct inode_record *records, size_t count)
{
	struct census census;
	clock_t start;

	census_init(&census, 4096, TODAY);
	start = clock();
	for (size_t i = 0; i < count; i++) {
		if (census_add(&census, &records[i]))
			exit(2);
	}
	start = clock() - start;
	census_fini(&census);
	return (double)start / CLOCKS_PER_SEC;
}

static void tell(const char *name, const struct inode_record *records, size_t count)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double seconds = round_seconds(records, count);

		best = seconds < best ? seconds : best;
	}
	printf("%-24s %6.1f ns an inode\n", name, best / (double)count * 1e9);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	struct inode_record *records = count ? calloc(count, sizeof(*records)) : NULL;

	if (!records)
		return 2;
	make_records(records, count, SIZE_MAX, 7);
	for (size_t i = 1; i < count; i++)
		records[i] = records[0];
	tell("all alike", records, count);
	make_records(records, count, 500, 7);
	tell("runs of an owner", records, count);
	make_records(records, count, 1, 7);
	tell("without order", records, count);
	free(records);
	return 0;
}
