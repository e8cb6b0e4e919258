// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Directories of random filesystems: what the join makes of inodes and entries in any order and
 * from several threads, against sums made the slow way, one way up to the root for each inode.
 */
#include "tests/unit/test.h"

#include "analyzer/census/directory_join.h"
#include "analyzer/census/hot_trees.h"
#include "base/checked.h"
#include "base/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS   60
#define DIRS_MAX 60
#define USERS    4
#define ENTRIES  4000
#define WORKERS  3
#define NOW      1700000000

/* One inode; of directories the index is that of the array too. */
struct model_inode {
	struct inode_record record;
	int parent; /* index of the directory; -1: no name */
	bool reached;
	int64_t latest; /* of a directory: the latest change in its tree */
};

struct model_entry {
	int directory, child;
	char name[24];
};

struct model {
	uint64_t random;
	int dirs, count;
	struct model_inode inodes[ENTRIES];
	struct model_entry entries[2 * ENTRIES];
	int entry_count;
	struct directory_join *join;
};

static uint64_t next_random(struct model *model)
{
	uint64_t z = model->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static int below(struct model *model, int bound)
{
	return (int)(next_random(model) % (uint64_t)bound);
}

static void add_entry(struct model *model, int directory, int child)
{
	struct model_entry *entry = &model->entries[model->entry_count++];

	entry->directory = directory;
	entry->child = child;
	snprintf(entry->name, sizeof(entry->name), "n%d", model->entry_count);
}

static void make_inode(struct model *model, int index, mode_t type)
{
	struct inode_record *record = &model->inodes[index].record;

	*record = (struct inode_record){
		.mode = (uint16_t)type,
		.uid = (uint32_t)below(model, USERS),
		.size_bytes = next_random(model) >> (8 + below(model, 56)),
		.allocated_bytes = next_random(model) >> (8 + below(model, 56)),
	};
	if (below(model, 2))
		record->allocated_bytes &= ~4095ULL;
	record->mtime_seconds = NOW - (int64_t)(next_random(model) >> (29 + below(model, 35)));
	record->ctime_seconds = record->mtime_seconds - 1 + below(model, 3);
}

/* Gives numbers of inodes that have nothing to do with the order in which they are made. */
static void give_numbers(struct model *model)
{
	for (int i = 0; i < model->count; i++)
		model->inodes[i].record.ino = 128 + (uint64_t)i * 3;
	for (int i = model->count - 1; i > 0; i--) {
		int other = below(model, i + 1);
		uint64_t ino = model->inodes[i].record.ino;

		model->inodes[i].record.ino = model->inodes[other].record.ino;
		model->inodes[other].record.ino = ino;
	}
}

/* The directory that an inode counts in: the one with the smallest number. */
static void place_inode(struct model *model, int directory, int child)
{
	struct model_inode *inode = &model->inodes[child];

	if (inode->parent < 0 ||
		model->inodes[directory].record.ino < model->inodes[inode->parent].record.ino)
		inode->parent = directory;
}

static void make_files(struct model *model, int files)
{
	for (int i = model->dirs; i < model->dirs + files; i++) {
		int names = below(model, 10) ? 1 : below(model, 4);

		for (int name = 0; name < names; name++) {
			int directory = below(model, model->dirs);

			add_entry(model, directory, i);
			place_inode(model, directory, i);
		}
	}
}

/* A way to the root exists; directories have at most one name here. */
static bool is_reached(const struct model *model, int directory)
{
	while (directory > 0)
		directory = model->inodes[directory].parent;
	return !directory;
}

static void make_model(struct model *model, uint64_t seed)
{
	int files;

	memset(model, 0, sizeof(*model));
	model->random = seed;
	model->dirs = 1 + below(model, DIRS_MAX);
	files = below(model, 1500);
	model->count = model->dirs + files;
	for (int i = 0; i < model->count; i++) {
		static const mode_t types[] = {S_IFREG, S_IFREG, S_IFREG, S_IFLNK, S_IFIFO};

		make_inode(model, i, i < model->dirs ? S_IFDIR : types[below(model, 5)]);
		model->inodes[i].parent = -1;
	}
	give_numbers(model);
	for (int i = 1; i < model->dirs; i++) {
		if (!below(model, 15))
			continue; /* an orphan */
		model->inodes[i].parent = below(model, 3) ? below(model, i) : i - 1;
		add_entry(model, model->inodes[i].parent, i);
	}
	make_files(model, files);
	for (int i = 0; i < model->dirs; i++)
		model->inodes[i].reached = is_reached(model, i);
}

/* --- What the slow way says ------------------------------------------------------------------- */

static struct directory_sums sums_of(const struct inode_record *record)
{
	bool regular = S_ISREG(record->mode);

	return (struct directory_sums){
		.files = regular,
		.tiny_files = regular && record->size_bytes < 4096,
		.bytes = regular ? record->size_bytes : 0,
		.allocated_bytes = record->allocated_bytes,
	};
}

/* The directory that inode @index is charged to; -1 is the unresolved row. */
static int charged_to(const struct model *model, int index)
{
	int directory = index < model->dirs ? index : model->inodes[index].parent;

	return directory >= 0 && model->inodes[directory].reached ? directory : -1;
}

static bool is_in_tree(const struct model *model, int directory, int top)
{
	while (directory != top && directory > 0)
		directory = model->inodes[directory].parent;
	return directory == top;
}

/* Sums of user @uid (-1: all) in directory @top and in its tree. */
static void slow_sums(const struct model *model, int top, int uid, struct directory_sums *own,
	struct directory_sums *tree)
{
	*own = *tree = (struct directory_sums){0};
	for (int i = 0; i < model->count; i++) {
		struct directory_sums sums = sums_of(&model->inodes[i].record);
		int directory = charged_to(model, i);

		if (uid >= 0 && model->inodes[i].record.uid != (uint32_t)uid)
			continue;
		if (directory == top)
			directory_sums_add(own, &sums);
		if (top < 0 ? directory < 0 : directory >= 0 && is_in_tree(model, directory, top))
			directory_sums_add(tree, &sums);
	}
}

/* Takes a change of inode @child into its directory and all above. */
static void slow_change(struct model *model, int directory, int child)
{
	int64_t change = inode_change_seconds(&model->inodes[child].record);

	for (; directory >= 0; directory = model->inodes[directory].parent) {
		struct model_inode *inode = &model->inodes[directory];

		inode->latest = inode->latest > change ? inode->latest : change;
	}
}

/* A change counts in each directory that names what changed, and on the ways from there. */
static void find_latest(struct model *model)
{
	for (int i = 0; i < model->dirs; i++)
		model->inodes[i].latest = INT64_MIN;
	for (int i = 0; i < model->dirs; i++)
		slow_change(model, i, i);
	for (int i = 0; i < model->entry_count; i++)
		slow_change(model, model->entries[i].directory, model->entries[i].child);
}

/* The stream bytes of the names in a directory. */
static uint64_t slow_entry_bytes(const struct model *model, int directory)
{
	uint64_t bytes = 0;

	for (int i = 0; i < model->entry_count; i++)
		if (model->entries[i].directory == directory)
			bytes += (19 + strlen(model->entries[i].name) + 7) / 8 * 8;
	return bytes;
}

/* The stream bytes of its attributes, above what a node keeps for a few. */
static uint64_t attr_bytes_of(int directory)
{
	return directory % 50 == 49 ? 600000 : 8 * (uint64_t)directory;
}

/* --- Feeding the join ------------------------------------------------------------------------- */

static int feed(void *item, unsigned worker, void *context)
{
	struct model *model = context;
	int index = *(int *)item;
	const struct model_entry *entry;
	uint32_t id;
	int rc;

	if (index < model->dirs && directory_join_attrs(model->join,
					   model->inodes[index].record.ino, attr_bytes_of(index)))
		return -ENOMEM;
	if (index < model->count)
		return directory_join_inode(model->join, worker, &model->inodes[index].record);
	entry = &model->entries[index - model->count];
	rc = directory_join_directory(model->join, model->inodes[entry->directory].record.ino, &id);
	if (rc)
		return rc;
	return directory_join_entry(model->join, worker, id, model->inodes[entry->child].record.ino,
		entry->child < model->dirs, entry->name, strlen(entry->name));
}

/* Inodes and entries, all mixed up. */
static void feed_all(struct model *model)
{
	const struct pool_options options = {
		.threads = WORKERS,
		.item_bytes = sizeof(int),
		.capacity = 64,
		.work = feed,
		.context = model,
	};
	int all = model->count + model->entry_count;
	int *items = calloc((size_t)all, sizeof(*items));
	struct pool *pool;
	uint32_t root;

	assert_non_null(items);
	assert_int_equal(pool_new(&pool, &options), 0);
	for (int i = 0; i < all; i++) {
		int at = below(model, i + 1);

		items[i] = items[at];
		items[at] = i;
	}
	for (int i = 0; i < all; i++)
		assert_int_equal(pool_push(pool, &items[i]), 0);
	assert_int_equal(pool_join(pool), 0);
	assert_int_equal(
		directory_join_directory(model->join, model->inodes[0].record.ino, &root), 0);
	directory_join_root(model->join, root);
	free(items);
}

static void make_directories(struct model *model, size_t max_rows, struct directories *directories,
	struct failures *failures)
{
	const struct directory_join_options options = {
		.block_bytes = 4096,
		.tiny_bytes = 4096,
		.workers = WORKERS,
		.max_rows = max_rows,
		.now_seconds = NOW,
	};

	directories_init(directories);
	failures_init(failures);
	assert_int_equal(directory_join_new(&model->join, &options), 0);
	feed_all(model);
	assert_int_equal(directory_join_finish(model->join, directories, failures), 0);
	directory_join_free(model->join);
}

static void assert_sums(const struct directory_sums *a, const struct directory_sums *b)
{
	assert_int_equal(a->files, b->files);
	assert_int_equal(a->tiny_files, b->tiny_files);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->allocated_bytes, b->allocated_bytes);
}

/* The directory of the model that a row is of. */
static int model_of(const struct model *model, const struct directories *directories, size_t row)
{
	for (int i = 0; i < model->dirs; i++) {
		if (model->inodes[i].record.ino == directories->rows[row].ino)
			return i;
	}
	return -1;
}

static void compare_row(
	const struct model *model, const struct directories *directories, size_t row)
{
	const struct directory *directory = &directories->rows[row];
	int top = model_of(model, directories, row);
	struct directory_sums own, tree, fast_own, fast_tree;

	assert_int_equal(top < 0, directories_is_unresolved(directories, row));
	slow_sums(model, top, -1, &own, &tree);
	assert_sums(&directory->own, &own);
	assert_sums(&directory->tree, &tree);
	for (uint32_t uid = 0; uid < USERS; uid++) {
		bool is_there = directories_user(directories, row, uid, &fast_own, &fast_tree);

		slow_sums(model, top, (int)uid, &own, &tree);
		if (!is_there && row && tree.files < directories->fold_files)
			continue;
		assert_sums(&fast_own, &own);
		assert_sums(&fast_tree, &tree);
	}
}

/* Ways follow each other without overlap, and each has just the directories of its time. */
static void compare_ways(const struct model *model, const struct directories *directories)
{
	uint64_t told = 0;

	for (size_t i = 0; i < directories->way_count; i++) {
		const struct directory_way *way = &directories->ways[i];
		uint64_t count = 0, bytes = 0, attrs = 0;

		assert_true(way->from_seconds <= way->to_seconds);
		assert_true(!i || way->from_seconds > way[-1].to_seconds);
		for (int d = 0; d < model->dirs; d++) {
			const struct model_inode *inode = &model->inodes[d];

			if (!inode->reached || inode->latest < way->from_seconds ||
				inode->latest > way->to_seconds)
				continue;
			count++;
			bytes += slow_entry_bytes(model, d);
			attrs += min_u64(attr_bytes_of(d), 8 * 65535);
		}
		assert_int_equal(way->directories, count);
		assert_int_equal(way->entry_stream_bytes, bytes);
		assert_int_equal(way->attr_stream_bytes, attrs);
		told += count;
	}
	assert_int_equal(told, directories->seen);
}

static void test_ways(void **state)
{
	struct model *model = malloc(sizeof(*model));

	(void)state;
	for (uint64_t seed = 2000; seed < 2000 + ROUNDS; seed++) {
		struct directories directories;
		struct failures failures;

		make_model(model, seed);
		find_latest(model);
		make_directories(model, seed % 2 ? 0 : 4, &directories, &failures);
		compare_ways(model, &directories);
		directories_fini(&directories);
		failures_fini(&failures);
	}
	free(model);
}

static void test_sums(void **state)
{
	struct model *model = malloc(sizeof(*model));

	(void)state;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		size_t max_rows = seed % 3 ? seed % 7 * 4 : 0;
		struct directories directories;
		struct failures failures;
		uint64_t reached = 0;

		make_model(model, seed);
		make_directories(model, max_rows, &directories, &failures);
		for (int i = 0; i < model->dirs; i++)
			reached += model->inodes[i].reached;
		assert_int_equal(directories.seen, reached);
		assert_int_equal(failures_total(&failures), 0);
		if (max_rows)
			assert_true(directories.count <= max_rows + 2);
		else
			assert_int_equal(directories.count, reached + directories.has_unresolved);
		for (size_t row = 0; row < directories.count; row++)
			compare_row(model, &directories, row);
		directories_fini(&directories);
		failures_fini(&failures);
	}
	free(model);
}

/* --- Hot trees -------------------------------------------------------------------------------- */

/* What @top holds that no hot tree below has taken; notes what is hot. The definition as it is. */
static uint64_t slow_hot(
	const struct model *model, int top, int uid, uint64_t threshold, uint64_t hot[DIRS_MAX])
{
	struct directory_sums own, tree;
	uint64_t left;

	slow_sums(model, top, uid, &own, &tree);
	left = own.tiny_files;
	for (int i = 1; i < model->dirs; i++) {
		if (model->inodes[i].reached && model->inodes[i].parent == top)
			left += slow_hot(model, i, uid, threshold, hot);
	}
	if (left < threshold)
		return left;
	hot[top] = left;
	return 0;
}

/* What makes a tree hot, and what it is a share of: what is resolved, and what is not. */
static uint64_t slow_threshold(const struct model *model, const struct directories *directories,
	int uid, unsigned per_cent, uint64_t *unresolved)
{
	struct directory_sums own, tree;
	uint64_t threshold, all;

	slow_sums(model, -1, uid, &own, &tree);
	*unresolved = tree.tiny_files;
	slow_sums(model, 0, uid, &own, &tree);
	all = tree.tiny_files + *unresolved;
	threshold = (all * per_cent + 99) / 100;
	if (threshold < directories->fold_files)
		threshold = directories->fold_files;
	return threshold ? threshold : 1;
}

/* The most first; of as many, in the order of the rows. */
static void assert_order(const struct hot_trees *found, size_t i)
{
	const struct hot_tree *tree = &found->trees[i];

	assert_true(
		!i || tree->tiny_files < tree[-1].tiny_files ||
		(tree->tiny_files == tree[-1].tiny_files && tree->directory > tree[-1].directory));
}

static void compare_hot(const struct model *model, const struct directories *directories, int uid,
	unsigned per_cent)
{
	uint64_t hot[DIRS_MAX] = {0}, unresolved, threshold;
	uint32_t user = (uint32_t)uid;
	struct hot_trees found;
	size_t expected, met = 0;

	threshold = slow_threshold(model, directories, uid, per_cent, &unresolved);
	expected = unresolved >= threshold;
	slow_hot(model, 0, uid, threshold, hot);
	for (int i = 0; i < model->dirs; i++)
		expected += hot[i] != 0;
	assert_int_equal(
		hot_trees_find(directories, uid < 0 ? NULL : &user, per_cent / 100.0, &found), 0);
	assert_int_equal(found.threshold, threshold);
	for (size_t i = 0; i < found.count; i++, met++) {
		size_t row = found.trees[i].directory;

		assert_order(&found, i);
		assert_int_equal(found.trees[i].tiny_files,
			directories_is_unresolved(directories, row)
				? unresolved
				: hot[model_of(model, directories, row)]);
	}
	assert_int_equal(met, expected);
	hot_trees_fini(&found);
}

static void test_hot_trees(void **state)
{
	struct model *model = malloc(sizeof(*model));

	(void)state;
	for (uint64_t seed = 1000; seed < 1000 + ROUNDS; seed++) {
		static const unsigned shares[] = {1, 5, 7, 30, 57, 100};
		struct directories directories;
		struct failures failures;

		make_model(model, seed);
		make_directories(model, seed % 2 ? 0 : 12, &directories, &failures);
		for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
			for (int uid = -1; uid < USERS; uid++)
				compare_hot(model, &directories, uid, shares[i]);
		}
		directories_fini(&directories);
		failures_fini(&failures);
	}
	free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_hot_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
