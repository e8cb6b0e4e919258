// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any inodes and any entries between them, as no filesystem would have them: loops, directories in
 * themselves or in several others, entries to what is not there, "..", that lies, names that cannot
 * be. What comes out must be a tree and hold the census to the last count, take memory by the
 * length of the input, and be the same if all comes the other way round.
 *
 * The input is a list of steps of four bytes, see take_step(), after a byte of options.
 */
#include "tests/fuzz/fuzz.h"

#include "analyzer/census/directory_join.h"
#include "analyzer/census/hot_trees.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STEP_BYTES    4
#define STEPS_MAX     4096
#define INODES        128
#define ROOT          0
#define WORKERS       2
#define BYTES_A_STEP  1024
#define BYTES_ALWAYS  (2U << 20)
#define UNKNOWN_ORDER 0x40 /* option: entries of what is no directory, too */

enum { STEP_INODE, STEP_FILE_ENTRY, STEP_DIRECTORY_ENTRY, STEP_DOTDOT, STEP_KINDS };

/* Each inode and each ".." is said once: of several steps for one the first counts. */
struct run {
	struct directory_join *join;
	bool *counts;           /* by step */
	uint16_t modes[INODES]; /* 0: no step says one */
	bool any_entries;
	struct directory_sums sums;
};

static const char *const names[] = {"a", "b", "c", ".", "..", "", "a/b", "/"};

/* Neighbours, far ones, and the largest there are. */
static uint64_t number_of(unsigned index)
{
	if (index >= INODES - 4)
		return UINT64_MAX - (INODES - 1 - index);
	return 128 + (index % 32) + (uint64_t)(index / 32) * 1000003;
}

static uint16_t mode_of(const uint8_t *step)
{
	static const uint16_t modes[] = {S_IFDIR, S_IFREG, S_IFDIR, S_IFLNK};

	return modes[step[2] % 4];
}

static void take_inode(struct run *run, const uint8_t *step, unsigned worker)
{
	unsigned index = step[1] % INODES;
	struct inode_record record = {
		.ino = number_of(index),
		.mode = mode_of(step),
		.uid = step[3] % 5,
		.size_bytes = 1ULL << step[3] % 64,
		.allocated_bytes = step[3] % 3 ? 4096U * step[3] : (uint64_t)step[3] << 40,
	};
	bool regular = S_ISREG(record.mode);
	const struct directory_sums sums = {
		.files = regular,
		.tiny_files = regular && record.size_bytes < 4096,
		.bytes = regular ? record.size_bytes : 0,
		.allocated_bytes = record.allocated_bytes,
	};

	directory_sums_add(&run->sums, &sums);
	FUZZ_ASSERT(!directory_join_inode(run->join, worker, &record));
}

static void take_entry(struct run *run, const uint8_t *step, unsigned worker)
{
	unsigned index = step[1] % INODES;
	const char *name = names[step[3] % 8];
	size_t bytes = step[3] & 0x80 ? strlen(name) + 1 : strlen(name);
	uint32_t id;

	if (!run->any_entries && run->modes[index] && !S_ISDIR(run->modes[index]))
		return;
	FUZZ_ASSERT(!directory_join_directory(run->join, number_of(index), &id));
	FUZZ_ASSERT(!directory_join_entry(run->join, worker, id, number_of(step[2] % INODES),
		step[0] % STEP_KINDS == STEP_DIRECTORY_ENTRY, name, bytes));
}

static void take_dotdot(struct run *run, const uint8_t *step)
{
	unsigned index = step[1] % INODES;
	uint32_t id;

	FUZZ_ASSERT(!directory_join_directory(run->join, number_of(index), &id));
	directory_join_dotdot(run->join, id, number_of(step[2] % INODES));
}

static void take_step(struct run *run, const uint8_t *step)
{
	unsigned worker = step[0] / 128;

	switch (step[0] % STEP_KINDS) {
	case STEP_INODE:
		take_inode(run, step, worker);
		break;
	case STEP_DOTDOT:
		take_dotdot(run, step);
		break;
	default:
		take_entry(run, step, worker);
	}
}

static void look_ahead(struct run *run, const uint8_t *steps, size_t count)
{
	bool has_dotdot[INODES] = {false};

	for (size_t i = 0; i < count; i++) {
		const uint8_t *step = steps + i * STEP_BYTES;
		unsigned index = step[1] % INODES;

		switch (step[0] % STEP_KINDS) {
		case STEP_INODE:
			run->counts[i] = !run->modes[index];
			if (run->counts[i])
				run->modes[index] = mode_of(step);
			break;
		case STEP_DOTDOT:
			run->counts[i] = !has_dotdot[index];
			has_dotdot[index] = true;
			break;
		default:
			run->counts[i] = true;
		}
	}
}

/* Rows are a tree in preorder whose sums go up, and with the unresolved row all there is. */
static void check_rows(const struct directories *directories, const struct run *run, bool folded)
{
	struct directory_sums all = {0};

	for (size_t i = 0; i < directories->count; i++) {
		const struct directory *row = &directories->rows[i];
		struct directory_sums sums = row->own;
		char *path = directories_path(directories, i, "/mnt");

		FUZZ_ASSERT(path && *path);
		free(path);
		if (row->parent == DIRECTORY_NO_PARENT)
			directory_sums_add(&all, &row->tree);
		else
			FUZZ_ASSERT(row->parent < i);
		for (size_t k = i + 1; k < directories->count; k++) {
			if (directories->rows[k].parent == i)
				directory_sums_add(&sums, &directories->rows[k].tree);
		}
		FUZZ_ASSERT(folded || directory_sums_equal(&sums, &row->tree));
		FUZZ_ASSERT(row->tree.files >= directories->fold_files || !row->name_bytes);
	}
	FUZZ_ASSERT(directory_sums_equal(&all, &run->sums));
}

static void check_users(const struct directories *directories)
{
	struct directory_sums own, tree, sums = {0};

	for (uint32_t uid = 0; uid < 5; uid++) {
		directories_user(directories, 0, uid, &own, &tree);
		directory_sums_add(&sums, &tree);
	}
	FUZZ_ASSERT(directory_sums_equal(&sums, &directories->rows[0].tree));
}

static void check_hot(const struct directories *directories)
{
	struct hot_trees hot;
	uint64_t tiny = 0;

	FUZZ_ASSERT(!hot_trees_find(directories, NULL, HOT_TREE_SHARE, &hot));
	for (size_t i = 0; i < hot.count; i++)
		tiny += hot.trees[i].tiny_files;
	FUZZ_ASSERT(tiny <= hot.all_tiny_files);
	hot_trees_fini(&hot);
}

/* Hands over all steps that count, forwards or backwards. */
static void take_all(struct run *run, const uint8_t *steps, size_t count, bool backwards)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = backwards ? count - 1 - i : i;

		if (run->counts[at])
			take_step(run, steps + at * STEP_BYTES);
	}
}

static void join_all(uint8_t options, const uint8_t *steps, size_t count, bool backwards,
	struct directories *directories, struct failures *failures)
{
	const struct directory_join_options how = {
		.block_bytes = options & 1 ? 4096 : 512,
		.tiny_bytes = 4096,
		.workers = WORKERS,
		.max_rows = options & 2 ? 4 : 0,
		.in_use = options & 4,
	};
	struct run run = {.any_entries = options & UNKNOWN_ORDER};
	uint32_t root;

	run.counts = calloc(count, sizeof(*run.counts));
	FUZZ_ASSERT(run.counts);
	FUZZ_ASSERT(!directory_join_new(&run.join, &how));
	FUZZ_ASSERT(!directory_join_directory(run.join, number_of(ROOT), &root));
	directory_join_root(run.join, root);
	look_ahead(&run, steps, count);
	take_all(&run, steps, count, backwards);
	free(run.counts);
	FUZZ_ASSERT(directory_join_memory_bytes(run.join) <= BYTES_ALWAYS + count * BYTES_A_STEP);
	directories_init(directories);
	failures_init(failures);
	FUZZ_ASSERT(!directory_join_finish(run.join, directories, failures));
	directory_join_free(run.join);
	check_rows(directories, &run, how.max_rows);
	check_users(directories);
	check_hot(directories);
}

static void compare(const struct directories *a, const struct directories *b)
{
	FUZZ_ASSERT(a->count == b->count && a->user_count == b->user_count);
	FUZZ_ASSERT(a->seen == b->seen && a->fold_files == b->fold_files);
	for (size_t i = 0; i < a->count; i++) {
		const struct directory *left = &a->rows[i], *right = &b->rows[i];

		FUZZ_ASSERT(left->ino == right->ino && left->parent == right->parent);
		FUZZ_ASSERT(left->uid == right->uid && left->is_shared == right->is_shared);
		FUZZ_ASSERT(left->subdirectories == right->subdirectories);
		FUZZ_ASSERT(left->tree_directories == right->tree_directories);
		FUZZ_ASSERT(left->name_bytes == right->name_bytes);
		FUZZ_ASSERT(
			!memcmp(a->names + left->name, b->names + right->name, left->name_bytes));
		FUZZ_ASSERT(directory_sums_equal(&left->own, &right->own));
		FUZZ_ASSERT(directory_sums_equal(&left->tree, &right->tree));
	}
	for (size_t i = 0; i < a->user_count; i++)
		FUZZ_ASSERT(directory_sums_equal(&a->users[i].tree, &b->users[i].tree) &&
			    a->users[i].uid == b->users[i].uid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct directories forwards, backwards;
	struct failures failures, others;
	size_t count;

	if (size < 1 + STEP_BYTES || size > 1 + STEPS_MAX * STEP_BYTES)
		return 0;
	count = (size - 1) / STEP_BYTES;
	join_all(data[0], data + 1, count, false, &forwards, &failures);
	join_all(data[0], data + 1, count, true, &backwards, &others);
	if (!(data[0] & UNKNOWN_ORDER)) {
		compare(&forwards, &backwards);
		for (unsigned kind = 0; kind < FAILURE_KINDS; kind++)
			FUZZ_ASSERT(failures.count[kind] == others.count[kind]);
	}
	directories_fini(&forwards);
	directories_fini(&backwards);
	failures_fini(&failures);
	failures_fini(&others);
	return 0;
}
