/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of storage share: a folder of their own, censuses to store, and comparing them. */
#ifndef TESTS_UNIT_STORE_SUPPORT_H
#define TESTS_UNIT_STORE_SUPPORT_H

#include "tests/unit/test.h"

#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "storage/sql.h"
#include "storage/store.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Enough for a folder made here and a name in it. */
#define PATH_BYTES 512

/* A folder that a group of tests writes into. */
static char support_folder[PATH_BYTES / 2];

static inline int support_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(support_folder, sizeof(support_folder), "%s/xfscensus-store-XXXXXX",
		tmp ? tmp : "/tmp");
	return mkdtemp(support_folder) ? 0 : -1;
}

static inline int support_teardown(void **state)
{
	pid_t child = fork();
	int status = 1;

	(void)state;
	if (child == 0) {
		execlp("rm", "rm", "-rf", support_folder, (char *)NULL);
		_exit(1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status ? 0 : -1;
}

/* FOLDER/@name in one of a few buffers that take turns. */
static inline const char *in_folder(const char *name)
{
	static char paths[4][PATH_BYTES];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_BYTES, "%s/%s", support_folder, name);
	return path;
}

static inline struct store *open_store(const char *path, enum store_mode mode)
{
	struct err err = {0};
	struct store *store = NULL;

	if (store_open(&store, path, mode, &err))
		fail_msg("%s", err.message);
	return store;
}

/* That opening fails with @code and one line that holds @part. */
static inline void assert_open_fails(
	const char *path, enum store_mode mode, int code, const char *part)
{
	struct err err = {0};
	struct store *store = NULL;

	assert_int_equal(store_open(&store, path, mode, &err), code);
	assert_null(store);
	assert_int_equal(err.code, code);
	assert_null(strchr(err.message, '\n'));
	if (!strstr(err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", err.message, part);
}

/* What is known of a scan of the filesystem @fs_id on @mount_point. To be freed. */
static inline struct scan_info make_info(const char *fs_id, const char *mount_point)
{
	struct scan_info info = {
		.block_bytes = 4096,
		.capacity_bytes = 1ULL << 40,
		.inode_chunks = 17,
		.whole_filesystem = true,
		.started_seconds = 1700000000,
		.seconds = 1.5,
		.jobs = 2,
		.tiny_bytes = DEFAULT_TINY_BYTES,
	};

	snprintf(info.fs_id, sizeof(info.fs_id), "%s", fs_id);
	snprintf(info.fs_type, sizeof(info.fs_type), "xfs");
	snprintf(info.engine, sizeof(info.engine), "bulkstat");
	info.mount_point = mount_point ? strdup(mount_point) : NULL;
	info.device = strdup("/dev/\xff\xfe sda");
	info.path = strdup("/srv/home");
	info.engine_reason = strdup("the device cannot be read");
	return info;
}

/* Pseudo-random numbers, the same in each run (xorshift64). */
static uint64_t random_state = 88172645463325252ULL;

static inline uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Small numbers mostly, up to 2^63 - 1 at times. */
static inline uint64_t random_count(void)
{
	return random_u64() >> (1 + random_u64() % 63);
}

static inline void random_cells(struct census *census, size_t cells, uint32_t users)
{
	for (size_t i = 0; i < cells; i++) {
		uint32_t uid = random_u64() % 50 ? (uint32_t)(random_u64() % users) : UINT32_MAX;
		const struct cube_key key = {uid, (uint32_t)random_u64(),
			(uint32_t)random_u64() % 3, (uint8_t)(random_u64() % INODE_KINDS),
			(uint8_t)(random_u64() % SIZE_CLASSES)};
		const struct cube_sums sums = {random_count(), random_count(), random_count(),
			random_count(), random_count()};
		const struct ages_key ages_key = {uid, 0, key.kind, key.size_class};
		const struct ages_sums ages_sums = {
			random_count(), random_count(), random_count(), random_count()};
		int64_t day = (int64_t)(random_u64() % 60000) - 20000;

		assert_int_equal(cube_add(&census->cube, &key, &sums), 0);
		assert_int_equal(ages_add(&census->ages, &ages_key, day, &ages_sums), 0);
	}
}

/* Choices and ranges of a dump, as many as @cells allow. */
static inline void random_dump_facts(struct census *census, size_t cells, uint32_t users)
{
	const unsigned range_shift = census->dump.ranges.shift;
	const unsigned recent_shift = census->dump.recent.shift;

	for (size_t i = 0; i < cells; i++) {
		const struct dump_choice_key key = {(uint32_t)(random_u64() % users),
			(uint8_t)random_u64(), (uint8_t)(random_u64() % INODE_KINDS),
			(uint8_t)(random_u64() % SIZE_CLASSES),
			(uint16_t)(random_u64() % DUMP_CHOICE_ALLOCATION_CLASSES)};
		const struct dump_choice_sums sums = {
			.told = {random_count(), random_count(), random_count(), random_count(),
				random_count()},
			.surplus = {(int64_t)random_u64(), -(int64_t)random_count()}};
		const struct dump_change change = {random_count(), random_count(), random_count(),
			{(int64_t)random_u64(), -(int64_t)random_count()}};
		struct dump_range range = {.weight_bytes = random_count()};
		unsigned part = (unsigned)(random_u64() % DUMP_RANGE_PARTS);

		range.parts[part] = (struct dump_range_sums){random_count() | 1, random_count()};
		assert_int_equal(dump_choices_add(&census->dump.choices, &key, &sums), 0);
		assert_int_equal(dump_facts_put_change(&census->dump,
					 1 + random_u64() % (RECENCIES - 1), &change),
			0);
		assert_int_equal(dump_ranges_add(&census->dump.ranges, range_shift,
					 random_u64() % 5000, &range),
			0);
		assert_int_equal(dump_ranges_add(&census->dump.recent, recent_shift,
					 random_u64() % 3000, &range),
			0);
		census->dump.parts[part] = (struct dump_part){random_count() | 1, random_count(),
			random_count(), random_count(), random_count(), random_count(),
			random_count(), random_count()};
	}
}

static inline struct directory_sums random_sums(void)
{
	return (struct directory_sums){
		random_count(), random_count(), random_count(), random_count()};
}

/* @count rows of a random tree with names of any bytes, a few of them with users. */
static inline void random_directories(struct directories *directories, size_t count)
{
	directories->present = true;
	directories->fold_files = random_u64() % 1000;
	directories->count = count;
	directories->seen = count + random_count() / 2;
	directories->entry_stream_bytes = random_count();
	directories->way_count = count / 2;
	directories->ways = calloc(directories->way_count + 1, sizeof(*directories->ways));
	for (size_t i = 0; i < directories->way_count; i++)
		directories->ways[i] =
			(struct directory_way){(int64_t)i * 10 - 100, (int64_t)(random_u64() >> 1),
				random_count(), random_count(), random_count()};
	directories->rows = calloc(count, sizeof(*directories->rows));
	directories->users = calloc(count, sizeof(*directories->users));
	directories->names = calloc(count, 9);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t name = random_u64();

		directories->rows[i] = (struct directory){
			.ino = random_count(),
			.parent = i ? (uint32_t)(random_u64() % i) : DIRECTORY_NO_PARENT,
			.uid = (uint32_t)random_u64(),
			.name_bytes = i ? 1 + (uint32_t)(name % 8) : 0,
			.is_shared = random_u64() % 2,
			.name = directories->names_bytes,
			.subdirectories = random_count(),
			.tree_directories = random_count(),
			.own = random_sums(),
			.tree = random_sums(),
		};
		memcpy(directories->names + directories->names_bytes, &name,
			directories->rows[i].name_bytes);
		directories->names_bytes += directories->rows[i].name_bytes + 1;
		if (directories->rows[i].is_shared)
			directories->users[directories->user_count++] = (struct directory_user){
				i, (uint32_t)random_u64(), random_sums(), random_sums()};
	}
}

/* A census of @cells random cells, some of which fall together. */
static inline void make_census(struct census *census, size_t cells, uint32_t users)
{
	census_init(census, 4096, 19700);
	random_cells(census, cells, users);
	random_dump_facts(census, cells, users);
	random_directories(&census->directories, 1 + cells / 4);
	failures_add(&census->failures, FAILURE_INODE, 3, -5, "inode 77");
	failures_add(&census->failures, FAILURE_INODE, UINT64_MAX, 0, "inode 13");
	failures_add(&census->failures, FAILURE_STAT, 0, -13, "/srv/\\xff/a b");
	census_sort(census);
}

static inline int64_t save_scan(
	struct store *store, struct scan_info *info, const struct census *census)
{
	struct err err = {0};

	if (store_save_scan(store, info, census, &err))
		fail_msg("%s", err.message);
	return info->scan_id;
}

static inline int delete_scan(struct store *store, int64_t scan_id, struct err *err)
{
	const struct store_prune_rule rule = {.kind = PRUNE_IDS, .ids = &scan_id, .id_count = 1};
	uint64_t deleted;
	int rc = store_prune(store, &rule, &deleted, err);

	assert_int_equal(deleted, rc ? 0 : 1);
	return rc;
}

static inline void assert_same_string(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_ptr_equal(a, b);
}

static inline void assert_same_info(const struct scan_info *a, const struct scan_info *b)
{
	assert_int_equal(a->scan_id, b->scan_id);
	assert_string_equal(a->fs_id, b->fs_id);
	assert_string_equal(a->fs_type, b->fs_type);
	assert_same_string(a->mount_point, b->mount_point);
	assert_same_string(a->device, b->device);
	assert_int_equal(a->block_bytes, b->block_bytes);
	assert_int_equal(clamp_i64(a->capacity_bytes), clamp_i64(b->capacity_bytes));
	assert_int_equal(clamp_i64(a->inode_chunks), clamp_i64(b->inode_chunks));
	assert_same_string(a->path, b->path);
	assert_int_equal(a->whole_filesystem, b->whole_filesystem);
	assert_string_equal(a->engine, b->engine);
	assert_same_string(a->engine_reason, b->engine_reason);
	assert_int_equal(a->started_seconds, b->started_seconds);
	assert_true(a->seconds >= b->seconds && a->seconds <= b->seconds);
	assert_int_equal(a->jobs, b->jobs);
	assert_int_equal(a->tiny_bytes, b->tiny_bytes);
	assert_int_equal(clamp_i64(a->errors), clamp_i64(b->errors));
	assert_int_equal(clamp_i64(a->unlinked), clamp_i64(b->unlinked));
	assert_int_equal(clamp_i64(a->unknown_inodes), clamp_i64(b->unknown_inodes));
}

/*
 * All sums of a cell are 64-bit numbers, the first @counts of them without a sign; what is stored
 * of @a is in @b.
 */
static inline void assert_same_sums_of(
	const struct hashmap *a, const struct hashmap *b, size_t counts)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const uint64_t *x = hashmap_value_at(a, i), *y = hashmap_value_at(b, i);

		assert_memory_equal(
			hashmap_key_at(a, i), hashmap_key_at(b, i), sizeof(struct hashmap_key));
		for (size_t j = 0; j < a->value_bytes / sizeof(*x); j++)
			assert_int_equal(j < counts ? (uint64_t)clamp_i64(x[j]) : x[j], y[j]);
	}
}

static inline void assert_same_cells(const struct hashmap *a, const struct hashmap *b)
{
	assert_same_sums_of(a, b, a->value_bytes / sizeof(uint64_t));
}

static inline void assert_same_failures(const struct failures *a, const struct failures *b)
{
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		assert_int_equal(clamp_i64(a->count[kind]), b->count[kind]);
		assert_int_equal(clamp_i64(a->inodes[kind]), b->inodes[kind]);
		for (int i = 0; i < FAILURE_EXAMPLES; i++) {
			assert_int_equal(a->examples[kind][i].code, b->examples[kind][i].code);
			assert_same_string(a->examples[kind][i].what, b->examples[kind][i].what);
		}
	}
}

static inline void assert_same_sums(const struct directory_sums *a, const struct directory_sums *b)
{
	assert_int_equal(a->files, b->files);
	assert_int_equal(a->tiny_files, b->tiny_files);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->allocated_bytes, b->allocated_bytes);
}

static inline void assert_same_directory(
	const struct directories *a, const struct directories *b, size_t index)
{
	const struct directory *x = &a->rows[index], *y = &b->rows[index];

	assert_int_equal(x->ino, y->ino);
	assert_int_equal(x->parent, y->parent);
	assert_int_equal(x->uid, y->uid);
	assert_int_equal(x->is_shared, y->is_shared);
	assert_int_equal(x->subdirectories, y->subdirectories);
	assert_int_equal(x->tree_directories, y->tree_directories);
	assert_int_equal(x->name_bytes, y->name_bytes);
	assert_memory_equal(a->names + x->name, b->names + y->name, x->name_bytes + 1);
	assert_same_sums(&x->own, &y->own);
	assert_same_sums(&x->tree, &y->tree);
}

static inline void assert_same_directories(const struct directories *a, const struct directories *b)
{
	assert_int_equal(a->present, b->present);
	assert_int_equal(a->fold_files, b->fold_files);
	assert_int_equal(a->seen, b->seen);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->user_count, b->user_count);
	for (size_t i = 0; i < a->count; i++)
		assert_same_directory(a, b, i);
	for (size_t i = 0; i < a->user_count; i++) {
		assert_int_equal(a->users[i].directory, b->users[i].directory);
		assert_int_equal(a->users[i].uid, b->users[i].uid);
		assert_same_sums(&a->users[i].own, &b->users[i].own);
		assert_same_sums(&a->users[i].tree, &b->users[i].tree);
	}
}

static inline void assert_same_dump_size(const struct directories *directories,
	const struct dump_facts *a, const struct dump_facts *b)
{
	assert_int_equal(directories->entry_stream_bytes, b->entry_stream_bytes);
	assert_memory_equal(a->parts, b->parts, sizeof(a->parts));
	assert_int_equal(directories->way_count, b->way_count);
	if (b->way_count)
		assert_memory_equal(directories->ways, b->ways, b->way_count * sizeof(*b->ways));
	assert_same_sums_of(&a->changes, &b->changes, 3);
}

/* That the scan loads back as it was; @census is sorted. */
static inline void assert_stored(
	struct store *store, const struct scan_info *info, const struct census *census)
{
	const struct store_selector selector = {.scan_id = info->scan_id};
	struct scan_info loaded_info = {0};
	struct census loaded;
	struct err err = {0};

	census_init(&loaded, 4096, 0);
	if (store_load_scan(store, &selector, &loaded_info, &err) ||
		store_load_cube(store, info->scan_id, &loaded.cube, &err) ||
		store_load_ages(store, info->scan_id, &loaded.ages, &err) ||
		store_load_dump(store, info->scan_id, &loaded.dump, &err) ||
		store_load_failures(store, info->scan_id, &loaded.failures, &err) ||
		store_load_directories(store, info->scan_id, &loaded.directories, &err))
		fail_msg("%s", err.message);
	assert_same_info(info, &loaded_info);
	assert_same_cells(&census->cube.cells, &loaded.cube.cells);
	assert_same_cells(&census->ages.cells, &loaded.ages.cells);
	assert_int_equal(census->ages.today, loaded.ages.today);
	assert_int_equal(census->ages.resolution, loaded.ages.resolution);
	assert_true(loaded.dump.present);
	assert_same_sums_of(&census->dump.choices.cells, &loaded.dump.choices.cells,
		sizeof(struct cube_sums) / sizeof(uint64_t));
	assert_int_equal(census->dump.ranges.shift, loaded.dump.ranges.shift);
	assert_same_cells(&census->dump.ranges.ranges, &loaded.dump.ranges.ranges);
	assert_int_equal(census->dump.recent.shift, loaded.dump.recent.shift);
	assert_int_equal(census->dump.recent_from, loaded.dump.recent_from);
	assert_same_cells(&census->dump.recent.ranges, &loaded.dump.recent.ranges);
	assert_same_dump_size(&census->directories, &census->dump, &loaded.dump);
	assert_same_failures(&census->failures, &loaded.failures);
	assert_same_directories(&census->directories, &loaded.directories);
	scan_info_fini(&loaded_info);
	census_fini(&loaded);
}

/* A statement on the database at @path that returns one integer. */
static inline int64_t query_i64(const char *path, const char *text)
{
	struct err err = {0};
	struct sql *sql = NULL;
	int64_t value = 0;

	if (sql_open(&sql, path, SQL_READ, &err) || sql_exec_i64(sql, text, &value, &err))
		fail_msg("%s", err.message);
	sql_close(sql);
	return value;
}

/* Makes a database with one scan of @cells cells. */
static inline void make_database(const char *path, size_t cells)
{
	struct store *store = open_store(path, STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");
	struct census census;

	make_census(&census, cells, 40);
	save_scan(store, &info, &census);
	store_close(store);
	census_fini(&census);
	scan_info_fini(&info);
}

/* Entries of a folder, "." and ".." left out. */
static inline size_t count_entries(const char *folder)
{
	DIR *stream = opendir(folder);
	size_t count = 0;

	assert_non_null(stream);
	while (readdir(stream))
		count++;
	closedir(stream);
	return count - 2;
}

#endif
