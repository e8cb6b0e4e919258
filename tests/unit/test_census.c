// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/census/census.h"
#include "analyzer/census/size_class.h"

#include <stdlib.h>

#define TODAY 20787

static void classes_have_the_edges_they_should(void **state)
{
	(void)state;
	assert_int_equal(size_class_of(0), 0);
	assert_int_equal(size_class_of(1), 1);
	assert_int_equal(size_class_of(2), 2);
	assert_int_equal(size_class_of(4095), 12);
	assert_int_equal(size_class_of(4096), 13);
	assert_int_equal(size_class_of(UINT64_MAX), 64);
	assert_int_equal(size_class_of(1ULL << 63), 64);
	for (unsigned k = 1; k < SIZE_CLASSES; k++) {
		assert_int_equal(size_class_of(size_class_low(k)), k);
		if (k < 64)
			assert_int_equal(size_class_of(size_class_high(k)), k + 1);
		assert_int_equal(size_class_of(size_class_high(k) - 1), k);
	}
	assert_int_equal(size_class_below(4096), 13);
}

static struct inode_record file(uint32_t uid, uint64_t size)
{
	return (struct inode_record){.ino = 1,
		.uid = uid,
		.size_bytes = size,
		.mode = S_IFREG | 0644,
		.nlink = 1,
		.allocated_bytes = 4096,
		.extents = 1};
}

static void totals_follow_the_definitions(void **state)
{
	struct inode_record inodes[] = {file(1, 0), file(1, 4095), file(2, 4096),
		file(UINT32_MAX, 100), file(0, 1), file(0, 1)};
	struct census_totals totals;
	struct census census;

	(void)state;
	inodes[4].mode = S_IFDIR | 0755;
	inodes[5].mode = S_IFLNK | 0777;
	census_init(&census, 4096, TODAY);
	for (size_t i = 0; i < sizeof(inodes) / sizeof(inodes[0]); i++)
		assert_int_equal(census_add(&census, &inodes[i]), 0);
	census_total(&census.cube, 4096, &totals);
	assert_int_equal(totals.inodes, 6);
	assert_int_equal(totals.regular_files, 4);
	assert_int_equal(totals.directories, 1);
	assert_int_equal(totals.symlinks, 1);
	assert_int_equal(totals.tiny_files, 3);
	assert_int_equal(totals.tiny_bytes, 4195);
	assert_int_equal(totals.bytes, 4195 + 4096);
	assert_int_equal(totals.allocated_bytes, 6 * 4096);
	census_fini(&census);
}

/* Three sparse files of 8 EiB are more than 64 bits hold. */
static void sums_saturate(void **state)
{
	struct inode_record huge = file(7, INT64_MAX);
	struct census_totals totals;
	struct census census;

	(void)state;
	census_init(&census, 4096, TODAY);
	for (int i = 0; i < 3; i++)
		assert_int_equal(census_add(&census, &huge), 0);
	census_total(&census.cube, 4096, &totals);
	assert_true(totals.bytes == UINT64_MAX);
	assert_int_equal(totals.regular_files, 3);
	assert_int_equal(totals.tiny_files, 0);
	census_fini(&census);
}

static void times_of_any_size_are_counted(void **state)
{
	static const int64_t times[] = {INT64_MIN, -1, 0, INT64_MAX, 4102444800};
	struct census census;
	uint64_t inodes = 0;

	(void)state;
	census_init(&census, 4096, TODAY);
	for (size_t i = 0; i < 5; i++) {
		struct inode_record inode = file(1, 1);

		inode.mtime_seconds = inode.ctime_seconds = times[i];
		assert_int_equal(census_add(&census, &inode), 0);
	}
	for (size_t i = 0; i < ages_count(&census.ages); i++) {
		struct ages_key key;

		inodes += ages_at(&census.ages, i, &key)->inodes;
	}
	assert_int_equal(inodes, 5);
	census_fini(&census);
}

static void seventy_thousand_users_are_kept_apart(void **state)
{
	struct census census;

	(void)state;
	census_init(&census, 4096, TODAY);
	for (uint32_t uid = 0; uid < 70000; uid++) {
		struct inode_record inode = file(UINT32_MAX - uid, uid);

		assert_int_equal(census_add(&census, &inode), 0);
	}
	assert_int_equal(cube_count(&census.cube), 70000);
	census_sort(&census);
	for (size_t i = 1; i < cube_count(&census.cube); i++) {
		struct cube_key before, key;

		cube_at(&census.cube, i - 1, &before);
		cube_at(&census.cube, i, &key);
		assert_true(before.uid < key.uid);
	}
	census_fini(&census);
}

static void assert_same_cube(const struct cube *a, const struct cube *b)
{
	assert_int_equal(cube_count(a), cube_count(b));
	for (size_t i = 0; i < cube_count(a); i++) {
		struct cube_key key_a, key_b;
		const struct cube_sums *sums_a = cube_at(a, i, &key_a);
		const struct cube_sums *sums_b = cube_at(b, i, &key_b);

		assert_int_equal(key_a.uid, key_b.uid);
		assert_int_equal(key_a.gid, key_b.gid);
		assert_int_equal(key_a.projid, key_b.projid);
		assert_int_equal(key_a.kind, key_b.kind);
		assert_int_equal(key_a.size_class, key_b.size_class);
		assert_memory_equal(sums_a, sums_b, sizeof(*sums_a));
	}
}

static struct inode_record random_inode(unsigned *seed)
{
	static const uint16_t modes[] = {S_IFREG, S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO, S_IFSOCK};
	struct inode_record inode =
		file((uint32_t)rand_r(seed) % 30, (uint64_t)rand_r(seed) >> (rand_r(seed) % 31));

	inode.gid = (uint32_t)rand_r(seed) % 5;
	inode.projid = (uint32_t)rand_r(seed) % 3;
	inode.mode = modes[rand_r(seed) % 6];
	inode.mtime_seconds = rand_r(seed) * 2LL - 1000000000;
	inode.ctime_seconds = rand_r(seed);
	inode.flags = rand_r(seed) % 4 ? 0 : INODE_ATTR_FORK;
	inode.nlink = (uint32_t)rand_r(seed) % 3;
	return inode;
}

/* However the inodes are dealt out to workers and merged, the census is the same. */
static void parts_merge_to_the_whole(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct census whole, parts[4];
		unsigned seed = round;

		census_init(&whole, 4096, TODAY);
		for (int i = 0; i < 4; i++)
			census_init(&parts[i], 4096, TODAY);
		for (int i = 0; i < 2000; i++) {
			struct inode_record inode = random_inode(&seed);

			assert_int_equal(census_add(&whole, &inode), 0);
			assert_int_equal(census_add(&parts[rand_r(&seed) % 4], &inode), 0);
		}
		for (unsigned i = 1; i < 4; i++)
			assert_int_equal(
				census_merge(&parts[round % 4], &parts[(round + i) % 4]), 0);
		census_sort(&whole);
		census_sort(&parts[round % 4]);
		assert_same_cube(&whole.cube, &parts[round % 4].cube);
		assert_int_equal(whole.inodes, parts[round % 4].inodes);
		assert_int_equal(whole.unlinked, parts[round % 4].unlinked);
		census_fini(&whole);
		for (int i = 0; i < 4; i++)
			census_fini(&parts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_have_the_edges_they_should),
		cmocka_unit_test(totals_follow_the_definitions),
		cmocka_unit_test(sums_saturate),
		cmocka_unit_test(times_of_any_size_are_counted),
		cmocka_unit_test(seventy_thousand_users_are_kept_apart),
		cmocka_unit_test(parts_merge_to_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
