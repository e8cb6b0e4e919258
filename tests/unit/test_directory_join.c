// SPDX-License-Identifier: GPL-2.0-or-later
/* What makes no sense is tallied, ends, and leaves the sums what they are. */
#include "tests/unit/test.h"

#include "analyzer/census/directory_join.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT 128

struct fixture {
	struct directory_join *join;
	struct directories directories;
	struct failures failures;
};

static int setup(void **state)
{
	const struct directory_join_options options = {
		.block_bytes = 4096,
		.tiny_bytes = 4096,
		.workers = 2,
	};
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	*state = fixture;
	directories_init(&fixture->directories);
	failures_init(&fixture->failures);
	return directory_join_new(&fixture->join, &options);
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	directories_fini(&fixture->directories);
	failures_fini(&fixture->failures);
	directory_join_free(fixture->join);
	free(fixture);
	return 0;
}

static void inode(struct fixture *fixture, uint64_t ino, uint16_t type, uint64_t size)
{
	const struct inode_record record = {
		.ino = ino,
		.mode = type,
		.uid = 7,
		.size_bytes = size,
		.allocated_bytes = 4096,
	};

	assert_int_equal(directory_join_inode(fixture->join, 0, &record), 0);
}

static uint32_t directory(struct fixture *fixture, uint64_t ino)
{
	uint32_t id;

	assert_int_equal(directory_join_directory(fixture->join, ino, &id), 0);
	return id;
}

static void bytes_entry(struct fixture *fixture, uint64_t in, const char *name, size_t bytes,
	uint64_t child, bool is_directory)
{
	uint32_t id = directory(fixture, in);

	assert_int_equal(
		directory_join_entry(fixture->join, 1, id, child, is_directory, name, bytes), 0);
}

static void entry(
	struct fixture *fixture, uint64_t in, const char *name, uint64_t child, bool is_directory)
{
	bytes_entry(fixture, in, name, strlen(name), child, is_directory);
}

/* A directory at its place. */
static void branch(struct fixture *fixture, uint64_t in, const char *name, uint64_t ino)
{
	inode(fixture, ino, S_IFDIR, 10);
	entry(fixture, in, name, ino, true);
}

static void leaf(struct fixture *fixture, uint64_t in, const char *name, uint64_t ino)
{
	inode(fixture, ino, S_IFREG, 100);
	entry(fixture, in, name, ino, false);
}

/* Ends the join; the root is there. Each of the @inodes takes 4096 bytes, none is lost. */
static void finish(
	struct fixture *fixture, uint64_t inodes, uint64_t odd_directories, uint64_t odd_entries)
{
	struct directories *directories = &fixture->directories;
	uint64_t allocated = 0;

	directory_join_root(fixture->join, directory(fixture, ROOT));
	assert_int_equal(directory_join_finish(fixture->join, directories, &fixture->failures), 0);
	for (size_t i = 0; i < directories->count; i++) {
		if (directories->rows[i].parent == DIRECTORY_NO_PARENT)
			allocated += directories->rows[i].tree.allocated_bytes;
	}
	assert_int_equal(allocated, inodes * 4096);
	assert_int_equal(fixture->failures.count[FAILURE_DIRECTORY], odd_directories);
	assert_int_equal(fixture->failures.count[FAILURE_ENTRY], odd_entries);
}

/* The files that row @path has itself. */
static uint64_t files_at(const struct fixture *fixture, const char *path)
{
	size_t index;

	if (directories_find(&fixture->directories, "", path, &index))
		fail_msg("no row of %s", path);
	return fixture->directories.rows[index].own.files;
}

static uint64_t files_unresolved(const struct fixture *fixture)
{
	const struct directories *directories = &fixture->directories;

	return directories->has_unresolved ? directories->rows[directories->count - 1].own.files
					   : 0;
}

static void nothing_at_all(void **state)
{
	struct fixture *fixture = *state;

	finish(fixture, 0, 1, 0);
	assert_int_equal(fixture->directories.count, 1);
	assert_string_equal(fixture->failures.examples[FAILURE_DIRECTORY][0].what,
		"inode 128: the root, but it is no directory that is in use");
}

static void a_root_that_is_a_file(void **state)
{
	struct fixture *fixture = *state;

	directory_join_root(fixture->join, directory(fixture, ROOT));
	leaf(fixture, ROOT, "a", 200);
	inode(fixture, ROOT, S_IFREG, 100);
	finish(fixture, 2, 1, 1);
}

static void a_loop_is_left_alone(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	branch(fixture, 300, "a", 200);
	branch(fixture, 200, "b", 300);
	leaf(fixture, 300, "f", 301);
	branch(fixture, 300, "hangs", 400);
	finish(fixture, 5, 1, 0);
	assert_int_equal(files_unresolved(fixture), 1);
	assert_string_equal(fixture->failures.examples[FAILURE_DIRECTORY][0].what,
		"inode 200: a directory below itself");
}

static void a_directory_in_itself(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	entry(fixture, ROOT, "self", ROOT, true);
	branch(fixture, 200, "self", 200);
	leaf(fixture, 200, "f", 201);
	leaf(fixture, ROOT, "g", 202);
	finish(fixture, 4, 2, 0);
	assert_int_equal(fixture->directories.rows[0].name_bytes, 0);
	assert_int_equal(files_unresolved(fixture), 1);
	assert_int_equal(files_at(fixture, "/"), 1);
}

/* While files come and go, only what no change explains is told: nothing is moved into itself. */
static void what_is_certain_in_use(void **state)
{
	const struct directory_join_options options = {
		.block_bytes = 4096, .tiny_bytes = 4096, .workers = 2, .in_use = true};
	struct fixture *fixture = *state;

	directory_join_free(fixture->join);
	assert_int_equal(directory_join_new(&fixture->join, &options), 0);
	inode(fixture, ROOT, S_IFDIR, 10);
	branch(fixture, ROOT, "a", 200);
	entry(fixture, 200, "self", 200, true);
	entry(fixture, 200, "root", ROOT, true);
	entry(fixture, ROOT, "moved", 300, true);
	branch(fixture, 200, "moved", 300);
	entry(fixture, 200, "gone", 400, true);
	directory_join_dotdot(fixture->join, directory(fixture, 300), 200);
	leaf(fixture, 200, "f", 201);
	finish(fixture, 4, 2, 0);
	assert_string_equal(fixture->failures.examples[FAILURE_DIRECTORY][0].what,
		"inode 128: the root, but an entry leads to it");
	assert_string_equal(fixture->failures.examples[FAILURE_DIRECTORY][1].what,
		"inode 200: a directory with an entry for itself");
	assert_int_equal(files_at(fixture, "/a"), 1);
}

static void of_several_parents_the_smallest_counts(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	branch(fixture, ROOT, "b", 300);
	branch(fixture, ROOT, "a", 200);
	branch(fixture, 300, "x", 400);
	entry(fixture, 200, "z", 400, true);
	entry(fixture, 200, "y", 400, true);
	leaf(fixture, 400, "f", 401);
	finish(fixture, 5, 1, 0);
	assert_int_equal(files_at(fixture, "/a/y"), 1);
	assert_int_equal(fixture->directories.count, 4);
}

static void a_link_counts_in_the_smallest_directory(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	branch(fixture, ROOT, "b", 300);
	branch(fixture, ROOT, "a", 200);
	leaf(fixture, 300, "f", 400);
	entry(fixture, 200, "f", 400, false);
	entry(fixture, 300, "g", 400, false);
	finish(fixture, 4, 0, 0);
	assert_int_equal(files_at(fixture, "a"), 1);
	assert_int_equal(files_at(fixture, "b"), 0);
}

static void a_parent_that_lies(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	branch(fixture, ROOT, "a", 200);
	branch(fixture, ROOT, "b", 300);
	directory_join_dotdot(fixture->join, directory(fixture, ROOT), ROOT);
	directory_join_dotdot(fixture->join, directory(fixture, 200), ROOT);
	directory_join_dotdot(fixture->join, directory(fixture, 300), 200);
	finish(fixture, 3, 1, 0);
	assert_string_equal(fixture->failures.examples[FAILURE_DIRECTORY][0].what,
		"inode 300: its \"..\" is not where it is");
}

static void an_entry_to_nowhere(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	entry(fixture, ROOT, "f", 500, false);
	entry(fixture, ROOT, "d", 501, true);
	finish(fixture, 1, 0, 2);
	assert_int_equal(files_at(fixture, "/"), 0);
}

/* They are charged all the same: the inode is there. */
static void impossible_names(void **state)
{
	static const char *const names[] = {"a/b", "", ".", ".."};
	struct fixture *fixture = *state;
	autofree char *path = NULL;

	inode(fixture, ROOT, S_IFDIR, 10);
	for (uint64_t i = 0; i < 4; i++)
		leaf(fixture, ROOT, names[i], 200 + i);
	inode(fixture, 300, S_IFDIR, 10);
	bytes_entry(fixture, ROOT, "x\0/y", 4, 300, true);
	finish(fixture, 6, 0, 5);
	assert_int_equal(files_at(fixture, "/"), 4);
	path = directories_path(&fixture->directories, 1, "/mnt/");
	assert_string_equal(path, "/mnt/x\\x00\\x2fy");
}

/* An entry says directory, the inode says file, in either order; or the other way round. */
static void an_entry_that_mistakes_a_file(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	inode(fixture, 200, S_IFREG, 100);
	entry(fixture, ROOT, "a", 200, true);
	entry(fixture, ROOT, "b", 300, true);
	inode(fixture, 300, S_IFREG, 100);
	leaf(fixture, 200, "below", 201);
	branch(fixture, ROOT, "d", 400);
	entry(fixture, ROOT, "e", 400, false);
	finish(fixture, 5, 0, 3);
	assert_int_equal(files_at(fixture, "/"), 2);
	assert_int_equal(files_unresolved(fixture), 1);
}

/* For entries that do not say: asked once all inodes are in, of what is not there, too. */
static void whether_a_directory_was_met(void **state)
{
	static const uint64_t inos[] = {ROOT, 200, 300, 400};
	struct fixture *fixture = *state;
	bool is_directory;

	inode(fixture, ROOT, S_IFDIR, 10);
	inode(fixture, 200, S_IFREG, 100);
	inode(fixture, 300, S_IFDIR, 10);
	assert_int_equal(directory_join_hand_on(fixture->join), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(inos); i++) {
		assert_int_equal(
			directory_join_is_directory(fixture->join, inos[i], &is_directory), 0);
		assert_int_equal(is_directory, inos[i] == ROOT || inos[i] == 300);
		if (inos[i] != ROOT && inos[i] != 400)
			entry(fixture, ROOT, "a", inos[i], is_directory);
	}
	finish(fixture, 3, 0, 0);
	assert_int_equal(files_at(fixture, "/"), 1);
	assert_int_equal(files_at(fixture, "/a"), 0);
}

/* Which of them comes first is chance, what is tallied must not be. */
static void a_mistake_in_two_directories(void **state)
{
	struct fixture *fixture = *state;

	inode(fixture, ROOT, S_IFDIR, 10);
	branch(fixture, ROOT, "a", 200);
	entry(fixture, ROOT, "x", 300, true);
	entry(fixture, 200, "y", 300, true);
	inode(fixture, 300, S_IFREG, 100);
	finish(fixture, 3, 0, 1);
	assert_int_equal(files_at(fixture, "/"), 1);
}

/* Owners beyond the 65 535 that get a number, sizes and blocks beyond what a place has room for. */
static void what_has_no_room(void **state)
{
	struct fixture *fixture = *state;
	struct inode_record record = {.mode = S_IFREG};
	const uint32_t users = 70000;
	struct directory_sums own, tree;

	inode(fixture, ROOT, S_IFDIR, 10);
	for (uint32_t i = 0; i < users; i++) {
		record.ino = 1000 + i;
		record.uid = i;
		record.size_bytes = i % 2 ? i : 1ULL << 40;
		record.allocated_bytes = i % 3 ? 4096 : 512;
		assert_int_equal(directory_join_inode(fixture->join, 0, &record), 0);
		entry(fixture, ROOT, "f", record.ino, false);
	}
	directory_join_root(fixture->join, directory(fixture, ROOT));
	assert_int_equal(
		directory_join_finish(fixture->join, &fixture->directories, &fixture->failures), 0);
	for (uint32_t i = 0; i < users; i++) {
		assert_true(directories_user(&fixture->directories, 0, i, &own, &tree));
		assert_int_equal(own.files, 1);
		assert_int_equal(own.bytes, i % 2 ? i : 1ULL << 40);
		if (i != 7) /* who has the root too */
			assert_int_equal(own.allocated_bytes, i % 3 ? 4096 : 512);
	}
}

/* A chunk with one inode left of 64 costs little more than an inode. */
static void few_inodes_in_many_chunks(void **state)
{
	struct fixture *fixture = *state;
	const size_t before = directory_join_memory_bytes(fixture->join), chunks = 50000;

	for (uint64_t i = 0; i < chunks; i++)
		inode(fixture, (i << 6) + i % 64, S_IFREG, 100);
	assert_in_range(directory_join_memory_bytes(fixture->join) - before, 0, chunks * 80);
}

/* Full ones are what the memory is measured by: 16 bytes an inode. */
static void many_inodes(void **state)
{
	struct fixture *fixture = *state;
	const size_t before = directory_join_memory_bytes(fixture->join), inodes = 1000000;

	for (uint64_t i = 0; i < inodes; i++)
		inode(fixture, 128 + i, S_IFREG, 100);
	assert_in_range(directory_join_memory_bytes(fixture->join) - before, 0, inodes * 15);
}

/* 128 bytes a directory beside its inode, with a name of 14 bytes, as they come on average. */
static void many_directories(void **state)
{
	struct fixture *fixture = *state;
	const size_t before = directory_join_memory_bytes(fixture->join), directories = 200000;
	char name[16];

	for (uint64_t i = 0; i < directories; i++) {
		snprintf(name, sizeof(name), "name%010u", (unsigned)i);
		branch(fixture, ROOT, name, ROOT + 1 + i);
	}
	assert_in_range(
		directory_join_memory_bytes(fixture->join) - before, 0, directories * (15 + 90));
}

static void sums_stop_at_the_end(void **state)
{
	struct fixture *fixture = *state;
	const struct inode_record record = {
		.ino = 300, .mode = S_IFREG, .size_bytes = UINT64_MAX, .allocated_bytes = 4096};

	inode(fixture, ROOT, S_IFDIR, 10);
	entry(fixture, ROOT, "a", 300, false);
	assert_int_equal(directory_join_inode(fixture->join, 0, &record), 0);
	leaf(fixture, ROOT, "b", 301);
	finish(fixture, 3, 0, 0);
	assert_int_equal(fixture->directories.rows[0].own.bytes, UINT64_MAX);
	assert_int_equal(fixture->directories.rows[0].tree.bytes, UINT64_MAX);
}

/* A chain as long as memory allows costs no stack. */
static void a_long_chain(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t levels = 100000;
	uint64_t depth = 0;

	inode(fixture, ROOT, S_IFDIR, 10);
	for (uint64_t i = levels; i > 0; i--)
		branch(fixture, ROOT + i - 1, "d", ROOT + i);
	leaf(fixture, ROOT + levels, "f", ROOT + levels + 1);
	finish(fixture, levels + 2, 0, 0);
	assert_int_equal(fixture->directories.count, levels + 1);
	for (size_t i = levels; i > 0; i = fixture->directories.rows[i].parent)
		depth++;
	assert_int_equal(depth, levels);
	assert_int_equal(fixture->directories.rows[0].tree.files, 1);
	assert_int_equal(fixture->directories.rows[0].tree_directories, levels);
}

/* What user @uid has in directory @which: many sizes, and in one of them but one file each. */
static uint64_t crowd_files(uint32_t uid, unsigned which)
{
	return which == 2 ? 1 : 1 + uid * (which + 1) % 37;
}

/* @users users with files in each of three directories, and at most @max_rows rows. */
static void join_crowd(struct fixture *fixture, uint32_t users, size_t max_rows)
{
	const struct directory_join_options options = {
		.block_bytes = 4096, .tiny_bytes = 4096, .workers = 2, .max_rows = max_rows};
	struct inode_record record = {.ino = 1000, .mode = S_IFREG};

	directory_join_free(fixture->join);
	directories_fini(&fixture->directories);
	assert_int_equal(directory_join_new(&fixture->join, &options), 0);
	inode(fixture, ROOT, S_IFDIR, 10);
	branch(fixture, ROOT, "a", 200);
	branch(fixture, ROOT, "b", 201);
	branch(fixture, ROOT, "c", 202);
	for (record.uid = 0; record.uid < users; record.uid++) {
		for (unsigned i = 0; i < 3; i++) {
			for (uint64_t k = 0; k < crowd_files(record.uid, i); k++, record.ino++) {
				assert_int_equal(
					directory_join_inode(fixture->join, 0, &record), 0);
				entry(fixture, 200 + i, "f", record.ino, false);
			}
		}
	}
	directory_join_root(fixture->join, directory(fixture, ROOT));
	assert_int_equal(
		directory_join_finish(fixture->join, &fixture->directories, &fixture->failures), 0);
}

/* How many rows of users below the root there would be. */
static size_t crowd_rows(uint32_t users, uint64_t fold_files)
{
	size_t count = 0;

	for (uint32_t uid = 0; uid < users; uid++)
		for (unsigned i = 0; i < 3; i++)
			count += crowd_files(uid, i) >= fold_files;
	return count;
}

/* Rows of users are few, too: no row for each file where everybody has one everywhere. */
static void many_users_are_folded(void **state)
{
	static const uint32_t crowds[] = {10, 17, 30, 200, 3000};
	struct fixture *fixture = *state;
	struct directory_sums own, tree;

	for (size_t i = 0; i < ARRAY_LENGTH(crowds); i++) {
		const uint64_t most = 5ULL * DIRECTORY_USERS_A_ROW;
		uint64_t fold = 0;

		while (crowd_rows(crowds[i], fold) > most)
			fold = fold ? 2 * fold : 1;
		join_crowd(fixture, crowds[i], 5);
		assert_int_equal(fixture->directories.fold_files, fold);
		assert_int_equal(fixture->directories.user_count,
			max_u64(crowds[i], 8) + crowd_rows(crowds[i], fold));
		for (uint32_t uid = 0; uid < crowds[i]; uid++) {
			assert_true(directories_user(&fixture->directories, 0, uid, &own, &tree));
			assert_int_equal(tree.files,
				crowd_files(uid, 0) + crowd_files(uid, 1) + crowd_files(uid, 2));
		}
	}
	assert_true(directories_fold(&fixture->directories, 1ULL << 40) == 0);
	assert_int_equal(fixture->directories.count, 1);
	assert_int_equal(fixture->directories.user_count, 3000);
}

/* In place, with other users' files, by two workers. */
static void in_place(void **state)
{
	struct fixture *fixture = *state;
	struct inode_record record = {
		.ino = ROOT, .mode = S_IFDIR, .uid = 7, .allocated_bytes = 4096};
	struct directory_sums own, tree;
	uint32_t root, below;

	assert_int_equal(directory_join_place(fixture->join, 0, "", &record, &root), 0);
	record.ino = 200;
	assert_int_equal(directory_join_place(fixture->join, root, "below", &record, &below), 0);
	record.mode = S_IFREG;
	for (uint32_t i = 0; i < 100; i++) {
		record.uid = 7 + i % 2;
		record.size_bytes = i < 50 ? 100 : 5000;
		assert_int_equal(
			directory_join_charge(fixture->join, i % 2, i % 4 ? below : root, &record),
			0);
	}
	directory_join_root(fixture->join, root);
	assert_int_equal(
		directory_join_finish(fixture->join, &fixture->directories, &fixture->failures), 0);
	assert_int_equal(fixture->directories.count, 2);
	assert_int_equal(fixture->directories.rows[0].own.files, 25);
	assert_int_equal(fixture->directories.rows[1].own.tiny_files, 37);
	assert_true(directories_user(&fixture->directories, 1, 8, &own, &tree));
	assert_int_equal(own.files, 50);
	assert_int_equal(own.tiny_files, 25);
	assert_false(directories_user(&fixture->directories, 1, 9, &own, &tree));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_at_all, setup, teardown),
		cmocka_unit_test_setup_teardown(a_root_that_is_a_file, setup, teardown),
		cmocka_unit_test_setup_teardown(a_loop_is_left_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(a_directory_in_itself, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_certain_in_use, setup, teardown),
		cmocka_unit_test_setup_teardown(
			of_several_parents_the_smallest_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_link_counts_in_the_smallest_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(a_parent_that_lies, setup, teardown),
		cmocka_unit_test_setup_teardown(an_entry_to_nowhere, setup, teardown),
		cmocka_unit_test_setup_teardown(impossible_names, setup, teardown),
		cmocka_unit_test_setup_teardown(an_entry_that_mistakes_a_file, setup, teardown),
		cmocka_unit_test_setup_teardown(whether_a_directory_was_met, setup, teardown),
		cmocka_unit_test_setup_teardown(a_mistake_in_two_directories, setup, teardown),
		cmocka_unit_test_setup_teardown(what_has_no_room, setup, teardown),
		cmocka_unit_test_setup_teardown(few_inodes_in_many_chunks, setup, teardown),
		cmocka_unit_test_setup_teardown(many_inodes, setup, teardown),
		cmocka_unit_test_setup_teardown(many_directories, setup, teardown),
		cmocka_unit_test_setup_teardown(sums_stop_at_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(a_long_chain, setup, teardown),
		cmocka_unit_test_setup_teardown(many_users_are_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(in_place, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
