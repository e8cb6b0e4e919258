// SPDX-License-Identifier: GPL-2.0-or-later
/* What is stored comes back as it was; what is selected, listed and deleted is what was meant. */
#include "tests/unit/store_support.h"

#include <errno.h>
#include <math.h>

static void nothing_comes_back_as_nothing(void **state)
{
	struct store *store = open_store(in_folder("empty.db"), STORE_WRITE);
	struct scan_info info = {.fs_id = "x"};
	struct census census;

	(void)state;
	census_init(&census, 4096, -3);
	save_scan(store, &info, &census);
	assert_stored(store, &info, &census);
	census_fini(&census);
	store_close(store);
}

static void random_censuses_come_back(void **state)
{
	struct store *store = open_store(in_folder("random.db"), STORE_WRITE);

	(void)state;
	for (size_t cells = 1; cells < 5000; cells = cells * 3 + 1) {
		struct scan_info info = make_info("a", cells % 2 ? "/srv" : NULL);
		struct census census;

		make_census(&census, cells, 200);
		save_scan(store, &info, &census);
		assert_stored(store, &info, &census);
		census_fini(&census);
		scan_info_fini(&info);
	}
	store_close(store);
}

static void the_resolution_of_ages_comes_back(void **state)
{
	struct store *store = open_store(in_folder("ages.db"), STORE_WRITE);

	(void)state;
	for (enum ages_resolution resolution = AGES_BY_AGE; resolution <= AGES_NONE; resolution++) {
		struct scan_info info = make_info("a", "/srv");
		struct census census;

		census_init(&census, 4096, 19700);
		census.ages.resolution = resolution;
		random_cells(&census, 500, 10);
		census_sort(&census);
		assert_int_equal(census.ages.resolution, resolution);
		save_scan(store, &info, &census);
		assert_stored(store, &info, &census);
		census_fini(&census);
		scan_info_fini(&info);
	}
	store_close(store);
}

static void seventy_thousand_users_come_back(void **state)
{
	struct store *store = open_store(in_folder("users.db"), STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");
	struct census census;

	(void)state;
	census_init(&census, 4096, 19700);
	for (uint32_t user = 0; user < 70000; user++) {
		const struct cube_key key = {.uid = UINT32_MAX - user, .gid = user};
		const struct cube_sums sums = {.inodes = user + 1};

		assert_int_equal(cube_add(&census.cube, &key, &sums), 0);
	}
	census_sort(&census);
	save_scan(store, &info, &census);
	assert_stored(store, &info, &census);
	store_close(store);
	assert_int_equal(query_i64(in_folder("users.db"), "SELECT count(*) FROM v_user"), 70000);
	assert_int_equal(
		query_i64(in_folder("users.db"), "SELECT files FROM v_user WHERE uid = 4294967295"),
		1);
	census_fini(&census);
	scan_info_fini(&info);
}

/* An unsorted census is stored as well. */
static void any_order_is_stored(void **state)
{
	struct store *store = open_store(in_folder("order.db"), STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");
	struct census census;

	(void)state;
	census_init(&census, 4096, 19700);
	random_cells(&census, 3000, 300);
	save_scan(store, &info, &census);
	census_sort(&census);
	assert_stored(store, &info, &census);
	census_fini(&census);
	scan_info_fini(&info);
	store_close(store);
}

static void numbers_at_the_edges_are_held(void **state)
{
	struct store *store = open_store(in_folder("edges.db"), STORE_WRITE);
	struct scan_info info = make_info("a", "/srv");
	const struct cube_key key = {UINT32_MAX, UINT32_MAX, UINT32_MAX, KIND_OTHER, 64};
	const struct cube_sums sums = {UINT64_MAX, UINT64_MAX, 1ULL << 63, INT64_MAX, UINT64_MAX};
	const struct ages_key ages_key = {UINT32_MAX, 0, KIND_OTHER, 64};
	const struct ages_sums ages_sums = {UINT64_MAX, 0, 1ULL << 63, INT64_MAX};
	struct census census;

	(void)state;
	info.capacity_bytes = info.inode_chunks = info.errors = UINT64_MAX;
	info.unlinked = info.unknown_inodes = UINT64_MAX;
	info.block_bytes = info.jobs = UINT32_MAX;
	info.started_seconds = INT64_MIN;
	info.tiny_bytes = 1ULL << 63;
	info.whole_filesystem = false;
	memset(info.fs_id, 'f', sizeof(info.fs_id) - 1);
	memset(info.engine, 'e', sizeof(info.engine) - 1);
	census_init(&census, 4096, AGES_DAY_MAX);
	assert_int_equal(cube_add(&census.cube, &key, &sums), 0);
	assert_int_equal(ages_add(&census.ages, &ages_key, INT64_MIN, &ages_sums), 0);
	assert_int_equal(ages_add(&census.ages, &ages_key, INT64_MAX, &ages_sums), 0);
	assert_int_equal(ages_add(&census.ages, &ages_key, -1, &ages_sums), 0);
	census_sort(&census);
	save_scan(store, &info, &census);
	assert_stored(store, &info, &census);
	census_fini(&census);
	scan_info_fini(&info);
	store_close(store);
}

static void every_tiny_edge_comes_back(void **state)
{
	struct store *store = open_store(in_folder("tiny.db"), STORE_WRITE);
	struct census census;

	(void)state;
	make_census(&census, 10, 3);
	for (int bit = -1; bit < 64; bit++) {
		struct scan_info info = make_info("a", "/srv");

		info.tiny_bytes = bit < 0 ? 0 : 1ULL << bit;
		save_scan(store, &info, &census);
		assert_stored(store, &info, &census);
		scan_info_fini(&info);
	}
	census_fini(&census);
	store_close(store);
}

static void what_cannot_be_stored_is_refused(void **state)
{
	struct store *store = open_store(in_folder("refused.db"), STORE_WRITE);
	struct scan_info info = make_info("", "/srv");
	struct store_scan_list list;
	struct census census;
	struct err err = {0};

	(void)state;
	census_init(&census, 4096, 0);
	assert_int_equal(store_save_scan(store, &info, &census, &err), -EINVAL);
	err_clear(&err);
	info.fs_id[0] = 'a';
	info.tiny_bytes = 4095;
	assert_int_equal(store_save_scan(store, &info, &census, &err), -EINVAL);
	err_clear(&err);
	info.tiny_bytes = 4096;
	info.seconds = INFINITY;
	assert_int_equal(store_save_scan(store, &info, &census, &err), -EINVAL);
	err_clear(&err);
	info.seconds = NAN;
	assert_int_equal(store_save_scan(store, &info, &census, &err), -EINVAL);
	assert_int_equal(info.scan_id, 0);
	err_clear(&err);
	assert_int_equal(store_list_scans(store, NULL, &list, &err), 0);
	assert_int_equal(list.count, 0);
	store_scan_list_fini(&list);
	census_fini(&census);
	scan_info_fini(&info);
	store_close(store);
}

/* A cell that a CHECK forbids fails the whole scan. */
static void a_failed_save_leaves_nothing(void **state)
{
	struct store *store = open_store(in_folder("failed.db"), STORE_WRITE);
	const struct cube_key key = {.kind = KIND_OTHER, .size_class = 65};
	struct scan_info info = make_info("a", "/srv");
	struct census census;
	struct err err = {0};

	(void)state;
	make_census(&census, 10, 3);
	assert_int_equal(cube_add(&census.cube, &key, &(struct cube_sums){.inodes = 1}), 0);
	assert_int_equal(store_save_scan(store, &info, &census, &err), -EINVAL);
	assert_non_null(strstr(err.message, "CHECK"));
	assert_int_equal(info.scan_id, 0);
	store_close(store);
	assert_int_equal(query_i64(in_folder("failed.db"), "SELECT count(*) FROM filesystem"), 0);
	assert_int_equal(query_i64(in_folder("failed.db"), "SELECT count(*) FROM cube"), 0);
	census_fini(&census);
	scan_info_fini(&info);
}

/* --- Selecting -------------------------------------------------------------------------------- */

/* Stores an empty scan, of @tree alone unless that is NULL, and returns its id. */
static int64_t add_scan(struct store *store, const char *fs_id, const char *mount_point,
	const char *device, const char *tree)
{
	struct scan_info info = make_info(fs_id, mount_point);
	struct census census;
	int64_t id;

	free(info.device);
	info.device = strdup(device);
	info.whole_filesystem = !tree;
	if (tree) {
		free(info.path);
		info.path = strdup(tree);
	}
	census_init(&census, 4096, 0);
	id = save_scan(store, &info, &census);
	census_fini(&census);
	scan_info_fini(&info);
	return id;
}

/* The id of the scan that is selected, or the error. */
static int64_t selected(struct store *store, struct store_selector selector, struct err *err)
{
	struct scan_info info;
	int64_t id = store_load_scan(store, &selector, &info, err);

	if (id)
		return id;
	id = info.scan_id;
	scan_info_fini(&info);
	return id;
}

#define SELECTED(...) selected(store, (struct store_selector){__VA_ARGS__}, &err)

static void scans_are_selected(void **state)
{
	struct store *store = open_store(in_folder("select.db"), STORE_WRITE);
	int64_t first = add_scan(store, "a", "/srv", "/dev/sda", NULL);
	int64_t other = add_scan(store, "b", "/home", "/dev/sdb", NULL);
	int64_t tree = add_scan(store, "a", "/srv", "/dev/sdc", "/srv/home");
	int64_t alone = add_scan(store, "c", "/mnt", "/dev/sdd", "/mnt/x");
	struct err err = {0};

	(void)state;
	assert_int_equal(SELECTED(0), other);
	assert_int_equal(SELECTED(.scan_id = first), first);
	assert_int_equal(SELECTED(.scan_id = tree, .whole_filesystem = true), tree);
	assert_int_equal(SELECTED(.whole_filesystem = true), other);
	assert_int_equal(SELECTED(.fs = "a"), first);
	assert_int_equal(SELECTED(.fs = "a", .whole_filesystem = true), first);
	assert_int_equal(SELECTED(.fs = "/srv//"), first);
	assert_int_equal(SELECTED(.fs = "/dev/sdb"), other);
	assert_int_equal(SELECTED(.fs = "/dev/sdc"), first);
	assert_int_equal(SELECTED(.fs = "/dev/sda"), first);
	assert_int_equal(SELECTED(.fs = "/srv/home"), tree);
	assert_int_equal(SELECTED(.fs = "/srv/home", .whole_filesystem = true), -ENOENT);
	assert_non_null(strstr(err.message, "no scan of a whole filesystem of /srv/home in "));
	err_clear(&err);
	assert_int_equal(SELECTED(.fs = "/mnt"), alone);
	assert_int_equal(SELECTED(.fs = "/dev/sd"), -ENOENT);
	assert_non_null(strstr(err.message, "no scan of /dev/sd in "));
	assert_non_null(strstr(err.message, "`xfscensus scans` lists them"));
	err_clear(&err);
	assert_int_equal(SELECTED(.scan_id = 99), -ENOENT);
	assert_non_null(strstr(err.message, "no scan 99 in "));
	store_close(store);
}

/* A mount point that another filesystem took over means the one scanned last. */
static void a_mount_point_may_change_hands(void **state)
{
	struct store *store = open_store(in_folder("hands.db"), STORE_WRITE);
	struct store_scan_list list;
	struct err err = {0};
	int64_t second;

	(void)state;
	add_scan(store, "a", "/srv", "/dev/sda", NULL);
	second = add_scan(store, "b", "/srv", "/dev/sda", NULL);
	assert_int_equal(SELECTED(.fs = "/srv"), second);
	assert_int_equal(store_list_scans(store, "/srv", &list, &err), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.scans[0].scan_id, second);
	store_scan_list_fini(&list);
	store_close(store);
}

/* Not mounted today, a filesystem is still found by where it was. */
static void a_mount_point_is_remembered(void **state)
{
	struct store *store = open_store(in_folder("remember.db"), STORE_WRITE);
	struct scan_info info;
	struct err err = {0};
	int64_t image;

	(void)state;
	add_scan(store, "a", "/srv", "/dev/sda", NULL);
	image = add_scan(store, "a", NULL, "/images/srv.img", NULL);
	assert_int_equal(SELECTED(.fs = "/srv"), image);
	assert_int_equal(store_load_scan(store, &(struct store_selector){0}, &info, &err), 0);
	assert_null(info.mount_point);
	scan_info_fini(&info);
	store_close(store);
}

/* Scanned through a bind mount since, or elsewhere, it is still found by where it was scanned. */
static void every_mount_point_of_a_scan_is_found(void **state)
{
	struct store *store = open_store(in_folder("bind.db"), STORE_WRITE);
	struct err err = {0};
	int64_t bind, other;

	(void)state;
	add_scan(store, "a", "/srv", "/dev/sda", NULL);
	bind = add_scan(store, "a", "/bind", "/dev/sda", NULL);
	assert_int_equal(SELECTED(.fs = "/srv"), bind);
	assert_int_equal(SELECTED(.fs = "/bind/"), bind);
	other = add_scan(store, "b", "/srv", "/dev/sdb", NULL);
	assert_int_equal(SELECTED(.fs = "/srv"), other);
	add_scan(store, "a", "/bind", "/dev/sda", NULL);
	assert_int_equal(SELECTED(.fs = "/srv"), other);
	assert_int_equal(store_check_filesystem(store, "/srv", &err), 0);
	assert_int_equal(store_check_filesystem(store, "/sr", &err), -ENOENT);
	store_close(store);
}

static void an_empty_database_says_so(void **state)
{
	struct store *store = open_store(in_folder("none.db"), STORE_WRITE);
	struct store_scan_list list;
	struct cube cube;
	struct err err = {0};

	(void)state;
	assert_int_equal(SELECTED(0), -ENOENT);
	assert_non_null(strstr(err.message, "run `xfscensus scan` first"));
	err_clear(&err);
	assert_int_equal(store_list_scans(store, "/srv", &list, &err), -ENOENT);
	assert_int_equal(list.count, 0);
	err_clear(&err);
	assert_int_equal(store_list_scans(store, NULL, &list, &err), 0);
	assert_int_equal(list.count, 0);
	cube_init(&cube);
	assert_int_equal(store_load_cube(store, 1, &cube, &err), -ENOENT);
	cube_fini(&cube);
	err_clear(&err);
	assert_int_equal(delete_scan(store, 1, &err), -ENOENT);
	store_close(store);
}

/* --- Listing and deleting --------------------------------------------------------------------- */

static void a_list_has_totals(void **state)
{
	struct store *store = open_store(in_folder("list.db"), STORE_WRITE);
	struct census_totals totals[5];
	struct store_scan_list list;
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct scan_info info = make_info("a", "/srv");
		struct census census;

		info.tiny_bytes = 1ULL << (10 * i);
		census_init(&census, 4096, 0);
		for (unsigned k = 0; k < 60; k++)
			cube_add(&census.cube,
				&(struct cube_key){
					.uid = k, .kind = k % 4, .size_class = (uint8_t)k},
				&(struct cube_sums){k, k << 20, k << 21, k, k << 22});
		save_scan(store, &info, &census);
		census_total(&census.cube, info.tiny_bytes, &totals[i]);
		census_fini(&census);
		scan_info_fini(&info);
	}
	assert_int_equal(store_list_scans(store, "a", &list, &err), 0);
	assert_int_equal(list.count, 5);
	assert_memory_equal(list.totals, totals, sizeof(totals));
	assert_true(list.scans[0].scan_id < list.scans[4].scan_id);
	store_scan_list_fini(&list);
	store_close(store);
}

static void deleting_leaves_nothing_behind(void **state)
{
	const char *path = in_folder("delete.db");
	struct err err = {0};
	struct stat before, after;
	struct store *store;

	(void)state;
	make_database(path, 5000);
	make_database(path, 10);
	store = open_store(path, STORE_WRITE);
	add_scan(store, "b", "/home", "/dev/sdb", NULL);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(delete_scan(store, 1, &err), 0);
	assert_int_equal(delete_scan(store, 3, &err), 0);
	assert_int_equal(store_vacuum(store, &err), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_true(after.st_size < before.st_size / 4);
	assert_int_equal(add_scan(store, "a", "/srv", "/dev/sda", NULL), 4);
	store_close(store);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM cube WHERE scan_id <> 2"), 0);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM age WHERE scan_id <> 2"), 0);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM failure WHERE scan_id <> 2"), 0);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM failure_example"), 3);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM filesystem WHERE fs_id = 'b'"), 0);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_comes_back_as_nothing),
		cmocka_unit_test(random_censuses_come_back),
		cmocka_unit_test(the_resolution_of_ages_comes_back),
		cmocka_unit_test(seventy_thousand_users_come_back),
		cmocka_unit_test(any_order_is_stored),
		cmocka_unit_test(numbers_at_the_edges_are_held),
		cmocka_unit_test(every_tiny_edge_comes_back),
		cmocka_unit_test(what_cannot_be_stored_is_refused),
		cmocka_unit_test(a_failed_save_leaves_nothing),
		cmocka_unit_test(scans_are_selected),
		cmocka_unit_test(a_mount_point_may_change_hands),
		cmocka_unit_test(a_mount_point_is_remembered),
		cmocka_unit_test(every_mount_point_of_a_scan_is_found),
		cmocka_unit_test(an_empty_database_says_so),
		cmocka_unit_test(a_list_has_totals),
		cmocka_unit_test(deleting_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
