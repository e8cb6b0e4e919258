// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filesystems whose dumps are predicted in the lab. "homes" is the case that xfscensus was made
 * for: two users own 85 % of the files, all tiny, and twenty others have the usual mix. "archive"
 * holds recordings with a small note beside each. Both have aged: after each round but the last a
 * third of the files goes again, at random, so that inodes and data lie in different orders.
 */
#include "tests/population/preset.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ROUNDS = 5,
	DELETED_PERCENT = 35,
	TINY_USERS = 2,
	ORDINARY_USERS = 20,
	TINY_FOLDERS = 400, /* of each of the two; the others have fewer */
	FOLDERS = 20,
	ATTRIBUTES_PERCENT = 3,
	ARCHIVE_USERS = 6,
	ARCHIVE_FOLDERS = 12,
};

static const uint32_t tiny_users[TINY_USERS] = {2041, 2177};

struct file {
	uint32_t folder; /* index into population.folders */
	uint32_t number; /* its name */
};

struct population {
	struct rng *rng;
	int *folders; /* opened */
	uint32_t folder_count;
	struct file *files;
	uint64_t count;
	uint64_t wanted;
	uint32_t next_number;
	/* Makes a file and says in which folder. */
	uint32_t (*make)(struct population *population, const char *name);
};

static uint64_t percent(struct rng *rng)
{
	return rng_next(rng) % 100;
}

static uint64_t ordinary_size(struct rng *rng)
{
	uint64_t kind = percent(rng);

	if (kind < 35)
		return rng_log2_between(rng, 6, 12);
	if (kind < 75)
		return rng_log2_between(rng, 12, 16);
	if (kind < 96)
		return rng_log2_between(rng, 16, 20);
	return rng_log2_between(rng, 20, 23);
}

static uint32_t home_file(struct population *homes, const char *name)
{
	struct rng *rng = homes->rng;
	uint64_t who = percent(rng);
	uint32_t folder, id;
	uint64_t size;

	if (who < 85) {
		uint32_t user = who >= 45;

		id = tiny_users[user];
		folder = user * TINY_FOLDERS + (uint32_t)(rng_next(rng) % TINY_FOLDERS);
		size = percent(rng) < 2 ? 0 : rng_log2_between(rng, 0, 12);
	} else {
		uint32_t user = (uint32_t)(rng_next(rng) % ORDINARY_USERS);

		id = 3000 + user;
		folder = TINY_USERS * TINY_FOLDERS + user * FOLDERS +
			 (uint32_t)(rng_next(rng) % FOLDERS);
		size = ordinary_size(rng);
	}
	become(id);
	make_file(homes->folders[folder], name, size);
	if (percent(rng) < ATTRIBUTES_PERCENT)
		set_attribute(homes->folders[folder], name, "user.note",
			(unsigned)rng_between(rng, 10, 300));
	return folder;
}

static uint32_t archive_file(struct population *archive, const char *name)
{
	struct rng *rng = archive->rng;
	uint32_t folder = (uint32_t)(rng_next(rng) % archive->folder_count);
	bool note = percent(rng) < 40;

	become(7001 + folder / ARCHIVE_FOLDERS);
	make_file(archive->folders[folder], name,
		note ? rng_log2_between(rng, 9, 15) : rng_log2_between(rng, 20, 27));
	return folder;
}

static void delete_some(struct population *population)
{
	uint64_t deleted = population->count * DELETED_PERCENT / 100;
	char name[32];

	for (uint64_t i = 0; i < deleted; i++) {
		struct file *file =
			&population->files[rng_next(population->rng) % population->count];

		snprintf(name, sizeof(name), "f%07u", file->number);
		if (unlinkat(population->folders[file->folder], name, 0) < 0)
			die_errno(name);
		*file = population->files[--population->count];
	}
}

/* Each round ends on the disk: what is not written yet would be laid out as one piece. */
static void age(struct population *population, int root)
{
	char name[32];

	population->files = calloc(population->wanted, sizeof(*population->files));
	if (!population->files)
		die_errno("lab");
	for (unsigned round = 1; round <= ROUNDS; round++) {
		uint64_t target = population->wanted * (70 + 30 * round / ROUNDS) / 100;

		while (population->count < target) {
			struct file *file = &population->files[population->count++];

			file->number = population->next_number++;
			snprintf(name, sizeof(name), "f%07u", file->number);
			file->folder = population->make(population, name);
		}
		syncfs(root);
		become(0);
		if (round < ROUNDS)
			delete_some(population);
	}
	free(population->files);
}

/* Opens @count folders of user @id in a home of its own. */
static void add_home(struct population *population, int root, uint32_t id, uint32_t count)
{
	char name[32];
	int home;

	snprintf(name, sizeof(name), "u%u", id);
	home = make_home(root, name, id);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		population->folders[population->folder_count++] = make_home(home, name, id);
	}
	close(home);
}

static void end(struct population *population)
{
	for (uint32_t i = 0; i < population->folder_count; i++)
		close(population->folders[i]);
}

void make_homes(int root, struct preset_options *options)
{
	int folders[TINY_USERS * TINY_FOLDERS + ORDINARY_USERS * FOLDERS];
	struct population homes = {
		.rng = &options->rng,
		.folders = folders,
		.wanted = options->inodes,
		.make = home_file,
	};

	for (unsigned i = 0; i < TINY_USERS; i++)
		add_home(&homes, root, tiny_users[i], TINY_FOLDERS);
	for (uint32_t i = 0; i < ORDINARY_USERS; i++)
		add_home(&homes, root, 3000 + i, FOLDERS);
	age(&homes, root);
	end(&homes);
}

void make_archive(int root, struct preset_options *options)
{
	int folders[ARCHIVE_USERS * ARCHIVE_FOLDERS];
	struct population archive = {
		.rng = &options->rng,
		.folders = folders,
		.wanted = options->inodes,
		.make = archive_file,
	};

	for (uint32_t i = 0; i < ARCHIVE_USERS; i++)
		add_home(&archive, root, 7001 + i, ARCHIVE_FOLDERS);
	age(&archive, root);
	end(&archive);
}
