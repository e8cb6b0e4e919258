// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/census/dump_facts.h"

#include <string.h>

#define INODES 20000

static const struct dump_measure not_measured = {
	.stream_bytes = DUMP_NOT_MEASURED, .attrs = DUMP_ATTRS_INLINE};

static void allocation_classes_meet_at_their_edges(void **state)
{
	(void)state;
	assert_int_equal(allocation_class_of(0), 0);
	assert_int_equal(allocation_class_of(DUMP_CHOICE_SMALL_BYTES), 0);
	assert_int_equal(allocation_class_of(DUMP_CHOICE_SMALL_BYTES + 1), 1);
	assert_int_equal(allocation_class_high(0), DUMP_CHOICE_SMALL_BYTES);
	for (unsigned class = 1; class + 1 < DUMP_CHOICE_ALLOCATION_CLASSES; class ++) {
		uint64_t low = allocation_class_low(class), high = allocation_class_high(class);

		assert_true(low < high);
		assert_int_equal(allocation_class_of(low), class - 1);
		assert_int_equal(allocation_class_of(low + 1), class);
		assert_int_equal(allocation_class_of(high), class);
	}
	assert_int_equal(allocation_class_of(UINT64_MAX), DUMP_CHOICE_ALLOCATION_CLASSES - 1);
}

static void powers_of_two_are_edges(void **state)
{
	(void)state;
	for (unsigned power = DUMP_CHOICE_SMALL_POWER; power < 64; power++) {
		uint64_t edge = 1ULL << power;
		unsigned class = allocation_class_of(edge + 1);

		assert_int_equal(allocation_class_low(class), edge);
	}
}

/* An inode of some kind, by its number alone. */
static void take(struct dump_facts *facts, uint64_t number)
{
	uint64_t mixed = number * 0x9e3779b97f4a7c15ULL;
	const struct dump_measure seen = {
		mixed >> 40, mixed >> 41, 272 + (mixed >> 50), DUMP_ATTRS_SEEN};
	const struct inode_record inode = {
		.ino = mixed >> 24,
		.mode = number % 7   ? S_IFREG
			: number % 2 ? S_IFDIR
				     : S_IFLNK,
		.nlink = number % 50 != 0,
		.size_bytes = mixed >> 44,
		.allocated_bytes = mixed >> 44,
		.extents = number % 3,
		.flags = (uint8_t)(mixed >> 20 & 7),
		.uid = (uint32_t)(number % 5),
		.mtime_seconds = (int64_t)(mixed >> 43),
	};
	const struct cube_key key = {
		.uid = inode.uid,
		.kind = (uint8_t)inode_kind_of(inode.mode),
		.size_class = (uint8_t)size_class_of(inode.size_bytes),
	};
	const struct cube_sums sums = {.inodes = 1, .stream_bytes = inode.size_bytes};

	assert_int_equal(
		dump_facts_add(facts, &inode, &key, &sums, number % 4 ? &seen : &not_measured), 0);
}

static void assert_equal_ranges(const struct dump_ranges *a, const struct dump_ranges *b)
{
	assert_int_equal(a->shift, b->shift);
	assert_int_equal(dump_ranges_count(a), dump_ranges_count(b));
	for (size_t i = 0; i < dump_ranges_count(a); i++) {
		uint64_t x, y;
		const struct dump_range *left = dump_ranges_at(a, i, &x);
		const struct dump_range *right = dump_ranges_at(b, i, &y);

		assert_int_equal(x, y);
		assert_memory_equal(left, right, sizeof(*left));
	}
}

static void assert_equal(const struct dump_facts *a, const struct dump_facts *b)
{
	assert_int_equal(dump_choices_count(&a->choices), dump_choices_count(&b->choices));
	for (size_t i = 0; i < dump_choices_count(&a->choices); i++) {
		struct dump_choice_key x, y;
		const struct dump_choice_sums *left = dump_choices_at(&a->choices, i, &x);
		const struct dump_choice_sums *right = dump_choices_at(&b->choices, i, &y);

		assert_true(x.uid == y.uid && x.flags == y.flags && x.kind == y.kind &&
			    x.size_class == y.size_class &&
			    x.allocation_class == y.allocation_class);
		assert_memory_equal(left, right, sizeof(*left));
	}
	assert_equal_ranges(&a->ranges, &b->ranges);
	assert_equal_ranges(&a->recent, &b->recent);
	assert_int_equal(a->changes.count, b->changes.count);
	for (size_t i = 0; i < a->changes.count; i++) {
		assert_int_equal(
			hashmap_key_at(&a->changes, i)->low, hashmap_key_at(&b->changes, i)->low);
		assert_memory_equal(hashmap_value_at(&a->changes, i),
			hashmap_value_at(&b->changes, i), sizeof(struct dump_change));
	}
}

static void the_result_does_not_depend_on_the_parts(void **state)
{
	struct dump_facts whole, sum, parts[3];

	(void)state;
	dump_facts_init(&whole, 100);
	dump_facts_init(&sum, 100);
	for (int i = 0; i < 3; i++)
		dump_facts_init(&parts[i], 100);
	for (uint64_t i = 0; i < INODES; i++) {
		take(&whole, i);
		take(&parts[i % 10 ? 0 : 1 + i % 2], INODES - 1 - i);
	}
	for (int i = 2; i >= 0; i--) {
		assert_int_equal(dump_facts_merge(&sum, &parts[i]), 0);
		dump_facts_fini(&parts[i]);
	}
	dump_facts_sort(&whole);
	dump_facts_sort(&sum);
	assert_equal(&whole, &sum);
	assert_true(dump_ranges_count(&whole.ranges) <= DUMP_RANGES_MAX);
	assert_true(dump_ranges_count(&whole.ranges) > DUMP_RANGES_MAX / 4);
	dump_facts_fini(&whole);
	dump_facts_fini(&sum);
}

/* A part takes what was measured, and where attributes are, of what has a link. */
static void parts_take_what_was_measured(void **state)
{
	const struct dump_measure seen = {5000, 4900, 400, DUMP_ATTRS_SEEN};
	const struct dump_measure in_blocks = {
		.stream_bytes = DUMP_NOT_MEASURED, .attrs = DUMP_ATTRS_BLOCKS};
	const struct cube_key key = {.kind = KIND_REGULAR, .size_class = 13};
	const struct cube_sums sums = {.inodes = 1, .stream_bytes = 4688};
	struct inode_record inode = {
		.mode = S_IFREG, .nlink = 1, .size_bytes = 4096, .flags = INODE_ATTR_FORK};
	struct dump_facts facts, other;
	const struct dump_part *part = &facts.parts[13];

	(void)state;
	dump_facts_init(&facts, 100);
	dump_facts_init(&other, 100);
	assert_int_equal(dump_facts_add(&facts, &inode, &key, &sums, &seen), 0);
	assert_int_equal(dump_facts_add(&other, &inode, &key, &sums, &in_blocks), 0);
	inode.extents = DUMP_FEW_EXTENTS + 1;
	assert_int_equal(dump_facts_add(&other, &inode, &key, &sums, &not_measured), 0);
	inode.nlink = 0;
	assert_int_equal(dump_facts_add(&other, &inode, &key, &sums, &seen), 0);
	assert_int_equal(dump_facts_merge(&facts, &other), 0);
	assert_int_equal(part->stream_bytes, 5000);
	assert_int_equal(part->bare_bytes, 4900);
	assert_int_equal(part->told_bytes, 4688 - 272);
	assert_int_equal(part->told_many, 4688 - 272);
	assert_int_equal(part->attr_bytes, 400);
	assert_int_equal(part->attr_seen, 1);
	assert_int_equal(part->attr_inline, 1);
	assert_int_equal(part->attr_blocks, 1);
	dump_facts_fini(&facts);
	dump_facts_fini(&other);
}

/* What choices take beyond what is told of them is noted with the choice, and by time. */
static void a_surplus_goes_to_choice_and_time(void **state)
{
	const struct dump_measure more = {5000, 4900, 400, DUMP_ATTRS_SEEN};
	const struct dump_measure less = {4000, 3900, 272, DUMP_ATTRS_SEEN};
	const struct cube_key key = {.kind = KIND_REGULAR, .size_class = 13};
	const struct cube_key directory = {.kind = KIND_DIRECTORY, .size_class = 13};
	const struct cube_sums sums = {.inodes = 1, .stream_bytes = 4688};
	struct inode_record inode = {.mode = S_IFREG, .nlink = 1, .flags = INODE_ATTR_FORK};
	const struct dump_choice_sums *choice;
	const struct dump_change *change;
	struct dump_choice_key choice_key;
	struct dump_facts facts;

	(void)state;
	dump_facts_init(&facts, 100);
	facts.now_seconds = 1000;
	inode.ctime_seconds = 900;
	assert_int_equal(dump_facts_add(&facts, &inode, &key, &sums, &more), 0);
	assert_int_equal(dump_facts_add(&facts, &inode, &key, &sums, &less), 0);
	choice = dump_choices_at(&facts.choices, 0, &choice_key);
	assert_int_equal(choice->told.stream_bytes, 2 * 4688);
	assert_int_equal(choice->surplus.data_bytes, 9000 - 2 * (4688 - 272));
	assert_int_equal(choice->surplus.attr_bytes, 400 - 272);
	assert_int_equal(facts.changes.count, 1);
	assert_int_equal(
		hashmap_key_at(&facts.changes, 0)->low, recency_of(900, facts.now_seconds));
	change = hashmap_value_at(&facts.changes, 0);
	assert_int_equal(change->attr_forks, 2);
	assert_int_equal(change->unseen_forks, 0);
	assert_int_equal(change->unseen_bytes, 0);
	assert_memory_equal(&change->surplus, &choice->surplus, sizeof(change->surplus));
	/* what is not seen has none; directories are found on the way to a change */
	inode.ctime_seconds = 800;
	assert_int_equal(dump_facts_add(&facts, &inode, &key, &sums, &not_measured), 0);
	assert_int_equal(facts.changes.count, 2);
	change = hashmap_value_at(&facts.changes, 1);
	assert_int_equal(change->attr_forks, 1);
	assert_int_equal(change->unseen_forks, 1);
	assert_int_equal(change->unseen_bytes, 4688 - 272);
	assert_int_equal(change->surplus.data_bytes, 0);
	inode.mode = S_IFDIR;
	assert_int_equal(dump_facts_add(&facts, &inode, &directory, &sums, &more), 0);
	inode.mode = S_IFREG;
	inode.nlink = 0;
	assert_int_equal(dump_facts_add(&facts, &inode, &key, &sums, &more), 0);
	assert_int_equal(change->attr_forks, 1);
	dump_facts_fini(&facts);
}

static void only_what_options_tell_apart_is_a_choice(void **state)
{
	struct dump_facts facts;
	struct inode_record inode = {.ino = 100, .mode = S_IFREG, .nlink = 1, .extents = 1};
	const struct cube_key key = {.kind = KIND_REGULAR, .size_class = 1};
	const struct cube_key directory = {.kind = KIND_DIRECTORY, .size_class = 17};
	const struct cube_sums sums = {.inodes = 1};

	(void)state;
	dump_facts_init(&facts, 100);
	inode.allocated_bytes = DUMP_CHOICE_SMALL_BYTES;
	assert_int_equal(dump_facts_add(&facts, &inode, &key, &sums, &not_measured), 0);
	assert_int_equal(dump_choices_count(&facts.choices), 0);
	inode.allocated_bytes++;
	assert_int_equal(dump_facts_add(&facts, &inode, &key, &sums, &not_measured), 0);
	assert_int_equal(dump_choices_count(&facts.choices), 1);
	inode.mode = S_IFDIR;
	assert_int_equal(dump_facts_add(&facts, &inode, &directory, &sums, &not_measured), 0);
	assert_int_equal(dump_choices_count(&facts.choices), 1);
	inode.flags = INODE_NODUMP;
	assert_int_equal(dump_facts_add(&facts, &inode, &directory, &sums, &not_measured), 0);
	assert_int_equal(dump_choices_count(&facts.choices), 2);
	dump_facts_fini(&facts);
}

/* As xfsdump weighs: blocks of regular files, and extent headers of all but directories. */
static void ranges_weigh_as_xfsdump_does(void **state)
{
	struct dump_ranges ranges;
	struct inode_record inode = {
		.ino = 64, .mode = S_IFREG, .nlink = 1, .allocated_bytes = 8192, .extents = 2};
	const struct dump_range *range;
	uint64_t index;

	(void)state;
	dump_ranges_init(&ranges, DUMP_RANGE_INODE_SHIFT);
	assert_int_equal(
		dump_ranges_add_inode(&ranges, inode.ino, 13, dump_range_weight(&inode), 9000), 0);
	inode.mode = S_IFLNK;
	inode.extents = 0;
	assert_int_equal(dump_ranges_add_inode(&ranges, inode.ino, dump_range_part(KIND_SYMLINK, 5),
				 dump_range_weight(&inode), 300),
		0);
	assert_int_equal(dump_ranges_count(&ranges), 1);
	range = dump_ranges_at(&ranges, 0, &index);
	assert_int_equal(index, 1);
	assert_int_equal(range->weight_bytes, 8192 + 3 * 32 + 32);
	assert_int_equal(range->parts[13].inodes, 1);
	assert_int_equal(range->parts[DUMP_RANGE_SPECIALS].stream_bytes, 300);
	dump_ranges_fini(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocation_classes_meet_at_their_edges),
		cmocka_unit_test(powers_of_two_are_edges),
		cmocka_unit_test(the_result_does_not_depend_on_the_parts),
		cmocka_unit_test(parts_take_what_was_measured),
		cmocka_unit_test(a_surplus_goes_to_choice_and_time),
		cmocka_unit_test(only_what_options_tell_apart_is_a_choice),
		cmocka_unit_test(ranges_weigh_as_xfsdump_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
