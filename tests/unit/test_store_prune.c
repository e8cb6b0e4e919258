// SPDX-License-Identifier: GPL-2.0-or-later
/* What a rule to prune means, also for several who prune at once. */
#include "tests/unit/store_support.h"

#include <errno.h>

#define PRUNERS 6

static int64_t store_empty(struct store *store, struct scan_info *info)
{
	struct census census;
	int64_t id;

	census_init(&census, 4096, 0);
	id = save_scan(store, info, &census);
	census_fini(&census);
	scan_info_fini(info);
	return id;
}

/* Stores an empty scan that started at @started_seconds. */
static int64_t add_scan(struct store *store, const char *fs_id, int64_t started_seconds)
{
	struct scan_info info = make_info(fs_id, fs_id);

	info.started_seconds = started_seconds;
	return store_empty(store, &info);
}

/* Stores one of @tree alone, or of the whole filesystem if that is NULL. */
static void add_tree_scan(struct store *store, const char *tree)
{
	struct scan_info info = make_info("a", "/a");

	info.whole_filesystem = !tree;
	free(info.path);
	info.path = strdup(tree ? tree : "/a");
	store_empty(store, &info);
}

/* Scans 1, 2, 4, 5 of a and 3, 6 of b; the clock of 4 was wrong. */
static struct store *make_scans(const char *path)
{
	struct store *store = open_store(path, STORE_WRITE);

	add_scan(store, "a", 100);
	add_scan(store, "a", 200);
	add_scan(store, "b", 300);
	add_scan(store, "a", INT64_MIN);
	add_scan(store, "a", 400);
	add_scan(store, "b", INT64_MAX);
	return store;
}

/* The ids that are left, as digits. */
static const char *left(struct store *store)
{
	static char ids[16];
	struct store_scan_list list;
	struct err err = {0};

	if (store_list_scans(store, NULL, &list, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < list.count; i++)
		ids[i] = (char)('0' + list.scans[i].scan_id);
	ids[list.count] = '\0';
	store_scan_list_fini(&list);
	return ids;
}

/* That the rule leaves just those. */
static void assert_leaves(const struct store_prune_rule *rule, const char *expected)
{
	const char *path = in_folder("rule.db");
	struct store *store = make_scans(path);
	struct err err = {0};
	uint64_t deleted;

	if (store_prune(store, rule, &deleted, &err))
		fail_msg("%s", err.message);
	assert_string_equal(left(store), expected);
	assert_int_equal(deleted, 6 - strlen(expected));
	store_close(store);
	assert_int_equal(query_i64(path, "SELECT count(*) FROM filesystem"),
		(strpbrk(expected, "1245") != NULL) + (strpbrk(expected, "36") != NULL));
	assert_int_equal(unlink(path), 0);
}

static void rules_mean_what_they_say(void **state)
{
	static const int64_t twice[] = {5, 1, 5, 1};
	const struct {
		struct store_prune_rule rule;
		const char *left;
	} cases[] = {
		{{.kind = PRUNE_KEEP, .keep = 1}, "56"},
		{{.kind = PRUNE_KEEP, .keep = 2}, "3456"},
		{{.kind = PRUNE_KEEP, .keep = UINT64_MAX}, "123456"},
		{{.kind = PRUNE_KEEP, .keep = 0}, ""},
		{{.kind = PRUNE_KEEP, .keep = 0, .fs = "a"}, "36"},
		{{.kind = PRUNE_KEEP, .keep = 3, .fs = "a"}, "23456"},
		{{.kind = PRUNE_OLDER, .started_seconds = 200}, "2356"},
		{{.kind = PRUNE_OLDER, .started_seconds = INT64_MAX}, "56"},
		{{.kind = PRUNE_OLDER, .started_seconds = INT64_MAX, .fs = "b"}, "12456"},
		{{.kind = PRUNE_OLDER, .started_seconds = INT64_MIN}, "123456"},
		{{.kind = PRUNE_IDS, .ids = twice, .id_count = 4}, "2346"},
		{{.kind = PRUNE_IDS, .ids = twice, .id_count = 4, .fs = "a"}, "2346"},
		{{.kind = PRUNE_IDS}, "123456"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_leaves(&cases[i].rule, cases[i].left);
}

static void assert_refused(struct store *store, struct store_prune_rule rule, const char *part)
{
	struct err err = {0};
	uint64_t deleted;

	assert_int_equal(store_prune(store, &rule, &deleted, &err), -ENOENT);
	assert_int_equal(deleted, 0);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", err.message, part);
	assert_string_equal(left(store), "123456");
}

static void one_wrong_id_deletes_nothing(void **state)
{
	struct store *store = make_scans(in_folder("wrong.db"));

	(void)state;
	assert_refused(store,
		(struct store_prune_rule){.ids = (const int64_t[]){1, 2, 7}, .id_count = 3},
		"no scan 7 in");
	assert_refused(store,
		(struct store_prune_rule){.ids = (const int64_t[]){1, 0}, .id_count = 2},
		"no scan 0 in");
	assert_refused(store,
		(struct store_prune_rule){.fs = "a", .ids = (const int64_t[]){1, 3}, .id_count = 2},
		"scan 3 is not one of a");
	assert_refused(store, (struct store_prune_rule){.kind = PRUNE_KEEP, .fs = "c"}, "of c in");
	store_close(store);
}

/* All of them succeed, since each looks and deletes in one transaction. */
static void many_prune_at_once(void **state)
{
	const char *path = in_folder("many.db");
	const struct store_prune_rule rule = {.kind = PRUNE_KEEP, .keep = 1};
	pid_t children[PRUNERS];
	int status;

	(void)state;
	store_close(make_scans(path));
	for (int i = 0; i < PRUNERS; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct store *store = NULL;
			uint64_t deleted;

			_exit(store_open(&store, path, STORE_WRITE, NULL) ||
				store_set_patience(store, 60, NULL) ||
				store_prune(store, &rule, &deleted, NULL));
		}
	}
	for (int i = 0; i < PRUNERS; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(query_i64(path, "SELECT group_concat(scan_id, '') FROM scan"), 56);
}

/* Of a tree and of the whole, the newest stay each for itself. */
static void a_tree_does_not_drive_out_the_whole(void **state)
{
	static const char *const trees[] = {NULL, "/a/x", "/a/x", "/a/y"};
	struct store *store = open_store(in_folder("trees.db"), STORE_WRITE);
	struct err err = {0};
	uint64_t deleted;

	(void)state;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
		add_tree_scan(store, trees[i]);
	assert_int_equal(
		store_prune(store, &(struct store_prune_rule){.kind = PRUNE_KEEP, .keep = 1},
			&deleted, &err),
		0);
	assert_string_equal(left(store), "134");
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_mean_what_they_say),
		cmocka_unit_test(one_wrong_id_deletes_nothing),
		cmocka_unit_test(a_tree_does_not_drive_out_the_whole),
		cmocka_unit_test(many_prune_at_once),
	};

	return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
