// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Homes as they are met in the field. Two users of "demo" run simulations that leave a file of a
 * few hundred bytes for every step; the others have the usual mix, even in the logarithm of the
 * size. "aged" is the same mix after years: files come, grow and go in random order, so that
 * inodes and blocks of one directory lie apart.
 */
#include "tests/population/preset.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	FILES_A_DIRECTORY = 500,
	DEMO_PROJECT = 4711,
	DEMO_USERS = 20,
	DEMO_FIRST_USER = 3001,
	DEMO_FILES_A_USER = 300,
	AGED_USERS = 12,
	AGED_FIRST_USER = 5001,
	AGED_ROUNDS = 4,
	MANY_FILES_A_DIRECTORY = 1000,
	MANY_USERS = 20,
	MANY_FIRST_USER = 6001,
};

struct mix {
	uint64_t files;
	unsigned low, high; /* sizes in [2^low, 2^high) */
};

/* Fills a home with @mix, five hundred files to a directory. */
static void fill_home(int home, const struct mix *mix, struct rng *rng)
{
	char name[32];
	int dir = -1;

	for (uint64_t i = 0; i < mix->files; i++) {
		if (i % FILES_A_DIRECTORY == 0) {
			if (dir >= 0)
				close(dir);
			snprintf(name, sizeof(name), "run%04u", (unsigned)(i / FILES_A_DIRECTORY));
			dir = make_dir(home, name);
		}
		snprintf(name, sizeof(name), "step%06u.dat", (unsigned)i);
		make_file(dir, name, rng_log2_between(rng, mix->low, mix->high));
	}
	if (dir >= 0)
		close(dir);
}

static void user_home(
	int root, uint32_t id, const char *sub, const struct mix *mix, struct rng *rng)
{
	char name[32];
	int home, dir;

	snprintf(name, sizeof(name), "u%u", id);
	home = make_home(root, name, id);
	become(id);
	dir = make_dir(home, sub);
	fill_home(dir, mix, rng);
	close(dir);
	close(home);
}

static void demo_project(int root, struct rng *rng)
{
	const struct mix mix = {400, 8, 16};
	int dir = make_home(root, "project-apollo", DEMO_FIRST_USER);

	become(0);
	set_project(dir, DEMO_PROJECT, 0);
	become(DEMO_FIRST_USER);
	fill_home(dir, &mix, rng);
	close(dir);
}

static void demo_large_files(int root, struct rng *rng)
{
	int dir = make_home(root, "videos", DEMO_FIRST_USER + 1);
	char name[32];

	become(DEMO_FIRST_USER + 1);
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "take%d.mov", i);
		make_file(dir, name, rng_between(rng, 17ULL << 20, 40ULL << 20));
	}
	make_sparse(dir, "disk.img", 8ULL << 30, 40);
	close(dir);
}

static void make_demo(int root, struct preset_options *options)
{
	const struct mix simulation = {18500, 5, 12}, cache = {15500, 4, 11};
	const struct mix usual = {DEMO_FILES_A_USER, 9, 17};
	int odd;

	user_home(root, 2041, "runs", &simulation, &options->rng);
	user_home(root, 2177, "cache", &cache, &options->rng);
	for (uint32_t i = 0; i < DEMO_USERS; i++)
		user_home(root, DEMO_FIRST_USER + i, "work", &usual, &options->rng);
	demo_project(root, &options->rng);
	demo_large_files(root, &options->rng);
	become(0);
	odd = make_dir(root, "oddities");
	make_oddities(odd, options);
	close(odd);
}

static uint64_t aged_size(struct rng *rng)
{
	switch (rng_next(rng) % 20) {
	case 0 ... 10:
		return rng_log2_between(rng, 5, 12);
	case 11 ... 17:
		return rng_log2_between(rng, 12, 16);
	case 18:
		return rng_log2_between(rng, 15, 18);
	default:
		return rng_next(rng) % 40 ? 0 : rng_log2_between(rng, 20, 25);
	}
}

struct aged {
	int *dirs;
	uint64_t count; /* files and places for files */
	bool *exists;
};

static void aged_visit(struct aged *aged, uint64_t slot, bool last_round, struct rng *rng)
{
	uint64_t dir = slot * (aged->count / FILES_A_DIRECTORY + 1) / aged->count;
	char name[32];

	snprintf(name, sizeof(name), "f%07u", (unsigned)slot);
	become((uint32_t)(AGED_FIRST_USER + dir % AGED_USERS));
	if (!aged->exists[slot]) {
		make_file(aged->dirs[dir], name, aged_size(rng));
		aged->exists[slot] = true;
	} else if (!last_round && rng_next(rng) % 5 < 3) {
		if (unlinkat(aged->dirs[dir], name, 0) < 0)
			die_errno(name);
		aged->exists[slot] = false;
	} else if (rng_next(rng) % 8 == 0) {
		append(aged->dirs[dir], name, rng_log2_between(rng, 8, 14));
	}
}

/* Visits all places in a new random order each round; after the last every place has a file. */
static void aged_rounds(struct aged *aged, int root, struct rng *rng)
{
	uint64_t *order = calloc(aged->count, sizeof(*order));

	if (!order)
		die_errno("aged");
	for (uint64_t i = 0; i < aged->count; i++)
		order[i] = i;
	for (int round = 1; round <= AGED_ROUNDS; round++) {
		for (uint64_t i = aged->count - 1; i > 0; i--) {
			uint64_t other = rng_between(rng, 0, i), slot = order[i];

			order[i] = order[other];
			order[other] = slot;
		}
		for (uint64_t i = 0; i < aged->count; i++)
			aged_visit(aged, order[i], round == AGED_ROUNDS, rng);
		syncfs(root); /* what is not written yet would be laid out as one piece */
	}
	free(order);
}

static void make_aged(int root, struct preset_options *options)
{
	uint64_t dirs = options->inodes / FILES_A_DIRECTORY + 1;
	struct aged aged = {
		.dirs = calloc(dirs, sizeof(*aged.dirs)),
		.count = options->inodes,
		.exists = calloc(options->inodes, sizeof(*aged.exists)),
	};

	if (!aged.dirs || !aged.exists)
		die_errno("aged");
	for (uint64_t i = 0; i < dirs; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d%05u", (unsigned)i);
		aged.dirs[i] = make_home(root, name, (uint32_t)(AGED_FIRST_USER + i % AGED_USERS));
	}
	aged_rounds(&aged, root, &options->rng);
	for (uint64_t i = 0; i < dirs; i++)
		close(aged.dirs[i]);
	free(aged.dirs);
	free(aged.exists);
}

static void make_many(int root, struct preset_options *options)
{
	int dir = -1;

	for (uint64_t i = 0; i < options->inodes; i++) {
		char name[32];

		if (i % MANY_FILES_A_DIRECTORY == 0) {
			uint64_t number = i / MANY_FILES_A_DIRECTORY;
			uint32_t id = (uint32_t)(MANY_FIRST_USER + number % MANY_USERS);

			if (dir >= 0)
				close(dir);
			snprintf(name, sizeof(name), "d%06u", (unsigned)number);
			dir = make_home(root, name, id);
			become(id);
		}
		snprintf(name, sizeof(name), "%u", (unsigned)i);
		make_empty(dir, name);
	}
	if (dir >= 0)
		close(dir);
}

const struct preset presets[] = {
	{"demo", "41 000 files, two users with most of the tiny ones, and the oddities", 0,
		make_demo},
	{"aged", "files that came, grew and went in four rounds of random order", 30000, make_aged},
	{"homes", "two users with most of the tiny files, the usual mix of twenty, aged", 36000,
		make_homes},
	{"archive", "recordings of 1 to 128 MiB with notes, aged", 200, make_archive},
	{"odd", "every kind of inode, name and owner, small", 0, make_odd},
	{"extreme", "sizes, times and link counts that overflow", 0, make_extremes},
	{"many", "empty files, a thousand to a directory, twenty users", 100000, make_many},
	{NULL, NULL, 0, NULL},
};
