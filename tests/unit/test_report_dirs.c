// SPDX-License-Identifier: GPL-2.0-or-later
/* The reports on directories, on a small tree with an odd name, a shared folder and orphans. */
#include "tests/unit/test.h"

#include "base/cleanup.h"
#include "reports/render.h"
#include "reports/report.h"
#include "reports/summary_trees.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files are tiny throughout, of 10 bytes each. */
#define SUMS(n)                                                                                  \
	{                                                                                        \
		.files = (n), .tiny_files = (n), .bytes = 10 * (n), .allocated_bytes = 512 * (n) \
	}

static char names[] = "\0home\0alice\0a\tb/c\0old\0";

static struct directory rows[] = {
	{.ino = 128, .parent = DIRECTORY_NO_PARENT, .is_shared = true, .tree = SUMS(2000)},
	{.ino = 1, .parent = 0, .name = 1, .name_bytes = 4, .is_shared = true, .tree = SUMS(2000)},
	{.ino = 2,
		.parent = 1,
		.name = 6,
		.name_bytes = 5,
		.uid = 7,
		.own = SUMS(5),
		.tree = SUMS(1205)},
	{.ino = 3,
		.parent = 2,
		.name = 12,
		.name_bytes = 5,
		.uid = 7,
		.own = SUMS(1200),
		.tree = SUMS(1200)},
	{.ino = 4,
		.parent = 1,
		.name = 18,
		.name_bytes = 3,
		.is_shared = true,
		.own = SUMS(795),
		.tree = SUMS(795)},
	{.parent = DIRECTORY_NO_PARENT, .own = SUMS(3), .tree = SUMS(3)},
};

static struct directory_user users[] = {
	{.directory = 0, .uid = 0, .tree = SUMS(95)},
	{.directory = 0, .uid = 7, .tree = SUMS(1905)},
	{.directory = 1, .uid = 0, .tree = SUMS(95)},
	{.directory = 1, .uid = 7, .tree = SUMS(1905)},
	{.directory = 4, .uid = 0, .own = SUMS(95), .tree = SUMS(95)},
	{.directory = 4, .uid = 7, .own = SUMS(700), .tree = SUMS(700)},
};

static const struct directories directories = {
	.present = true,
	.seen = 5,
	.rows = rows,
	.count = ARRAY_LENGTH(rows),
	.has_unresolved = true,
	.users = users,
	.user_count = ARRAY_LENGTH(users),
	.names = names,
	.names_bytes = sizeof(names),
};

static const struct directories *shown = &directories; /* what reports are made of */

typedef int (*report_fn)(
	const struct report_input *input, struct document *document, struct err *err);

/* The report, whole or what went wrong with it; to be freed. */
static char *render(report_fn make, const struct report_options *options, enum render_format format)
{
	static char mount_point[] = "/srv/";
	const struct scan_info scan = {
		.scan_id = 3, .mount_point = mount_point, .whole_filesystem = true};
	const struct report_input input = {.scan = &scan, .directories = shown, .options = options};
	const struct render_options how = {.format = format, .width = 100};
	struct document document;
	struct err err = {0};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	if (make(&input, &document, &err))
		fprintf(out, "%d: %s", err.code, err.message);
	else
		assert_int_equal(render_document(&document, &how, out), 0);
	document_fini(&document);
	fclose(out);
	return text;
}

static void assert_report(report_fn make, struct report_options options, enum render_format format,
	const char *expected)
{
	autofree char *text = render(make, &options, format);

	assert_string_equal(text, expected);
}

#define HEADINGS                                                                       \
	"path,user,files,tiny_files,bytes,allocated_bytes,tree_files,tree_tiny_files," \
	"tree_allocated_bytes\r\n"

#define HOT_LINES(count, share)                                                            \
#count " trees are hot: each holds at least 1 % of the tiny files, without those " \
	       "in hot trees below it;\ntogether " share ".\n\n"
#define TREE_HEADINGS                                                                     \
	"path,depth,user,tree_tiny_files,tree_files,hot_tiny_files,explained_tiny_files," \
	"files,tiny_files\r\n"

static void rows_of_dirs(void **state)
{
	(void)state;
	assert_report(report_dirs, (struct report_options){0}, RENDER_CSV,
		HEADINGS
		"/srv/home/alice/a\\x09b\\x2fc,7,1200,1200,12000,614400,1200,1200,614400\r\n"
		"/srv/home/old,0,795,795,7950,407040,795,795,407040\r\n"
		"/srv/home/alice,7,5,5,50,2560,1205,1205,616960\r\n"
		"(unresolved),,3,3,30,1536,3,3,1536\r\n"
		"/srv,0,0,0,0,0,2000,2000,1024000\r\n"
		"/srv/home,0,0,0,0,0,2000,2000,1024000\r\n");
}

static void a_part_of_dirs(void **state)
{
	(void)state;
	assert_report(report_dirs,
		(struct report_options){
			.under = "/srv/home", .has_depth = true, .depth = 1, .sort = "path"},
		RENDER_CSV,
		HEADINGS "/srv/home,0,0,0,0,0,2000,2000,1024000\r\n"
			 "/srv/home/alice,7,5,5,50,2560,1205,1205,616960\r\n"
			 "/srv/home/old,0,795,795,7950,407040,795,795,407040\r\n");
	assert_report(report_dirs,
		(struct report_options){.under = "/home/old/", .has_user = true, .user = 7},
		RENDER_CSV, HEADINGS "/srv/home/old,0,700,700,7000,358400,700,700,358400\r\n");
	assert_report(report_dirs,
		(struct report_options){.has_user = true, .sort = "tree_files", .top = 2},
		RENDER_CSV,
		HEADINGS "/srv,0,0,0,0,0,95,95,48640\r\n"
			 "/srv/home,0,0,0,0,0,95,95,48640\r\n");
}

/* Whether the rows of @csv come in this order. */
static void assert_order(const char *csv, const char *const paths[ARRAY_LENGTH(rows)])
{
	const char *at = csv;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		size_t length = strlen(paths[i]);

		at = strstr(at, "\r\n");
		assert_non_null(at);
		at += 2;
		if (strncmp(at, paths[i], length) != 0 || at[length] != ',')
			fail_msg("%s is not row %zu of %s", paths[i], i, csv);
	}
}

/* Numbers biggest first, names and ids ascending, what is equal in the order of the tree. */
static void sorted_by_any_column(void **state)
{
#define A   "/srv/home/alice/a\\x09b\\x2fc"
#define OLD "/srv/home/old"
	static const char *const orders[][ARRAY_LENGTH(rows)] = {
		{A, OLD, "/srv/home/alice", "(unresolved)", "/srv", "/srv/home"},
		{"/srv", "/srv/home", "/srv/home/alice", A, OLD, "(unresolved)"},
		{"(unresolved)", "/srv", "/srv/home", "/srv/home/alice", A, OLD},
		{"/srv", "/srv/home", OLD, "/srv/home/alice", A, "(unresolved)"},
	};
	static const struct {
		const char *key;
		size_t order;
	} keys[] = {{"files", 0}, {"tiny_files", 0}, {"bytes", 0}, {"allocated_bytes", 0},
		{"tree_files", 1}, {"tree_tiny_files", 1}, {"tree_allocated_bytes", 1}, {"path", 2},
		{"user", 3}};
#undef A
#undef OLD

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		const struct report_options options = {.sort = keys[i].key};
		autofree char *csv = render(report_dirs, &options, RENDER_CSV);

		assert_order(csv, orders[keys[i].order]);
	}
	assert_report(report_dirs, (struct report_options){.sort = "owner"}, RENDER_CSV,
		"-22: this report has no column \"owner\" to sort by; it has path, user, files, "
		"tiny_files, bytes, allocated_bytes, tree_files, tree_tiny_files, "
		"tree_allocated_bytes");
}

/* What has no row of its own any more is added up, but for trees, which lie in each other. */
static void few_rows(void **state)
{
	(void)state;
	assert_report(report_dirs, (struct report_options){.top = 1, .under = "/srv/home/alice"},
		RENDER_TEXT,
		"2 of 5 directories\n\n"
		"DIRECTORY                    OWNER  FILES   TINY   BYTES  ALLOCATED  IN TREE  "
		"TINY IN TREE\n"
		"/srv/home/alice/a\\x09b\\x2fc  uid 7  1 200  1 200  12 KiB    600 KiB    1 200  "
		"       1 200\n"
		"1 other                      -          5      5    50 B    2.5 KiB        -  "
		"           -\n");
}

/* Where it leads to, if it is not in the scan as it was said. */
static void under_what_a_path_means(void **state)
{
	static const char only_old[] =
		HEADINGS "/srv/home/old,0,795,795,7950,407040,795,795,407040\r\n";

	(void)state;
	assert_report(report_dirs,
		(struct report_options){.under = "/old", .under_here = "/srv/home/old"}, RENDER_CSV,
		only_old);
	assert_report(report_dirs,
		(struct report_options){.under = "/srv/./home/old/", .under_here = "/srv/home/old"},
		RENDER_CSV, only_old);
	assert_report(report_dirs,
		(struct report_options){.under = "/home/old", .under_here = "/srv/home/alice"},
		RENDER_CSV, only_old);
	assert_report(report_dirs, (struct report_options){.under = "/x", .under_here = "/x"},
		RENDER_CSV, "-22: --under: no directory /x in the scan");
	assert_report(report_dirs, (struct report_options){.under = "/x", .under_here = "/y"},
		RENDER_CSV,
		"-22: --under: no directory /x in the scan, neither from its root nor as /y");
}

static void what_is_not_there(void **state)
{
	struct directories folded = directories;

	(void)state;
	assert_report(report_dirs, (struct report_options){.under = "home/x\n"}, RENDER_CSV,
		"-22: --under: no directory home/x\\x0a in the scan");
	folded.fold_files = 1000;
	shown = &folded;
	assert_report(report_dirs, (struct report_options){.under = "/srv/home/bob"}, RENDER_CSV,
		"-22: --under: no directory /srv/home/bob in the scan, or its tree has fewer files "
		"than 1000 and is folded into the one above");
	shown = &directories;
	assert_report(report_tree, (struct report_options){.sort = "files"}, RENDER_CSV,
		"-22: the tree has an order of its own: --sort is for dirs");
}

static void a_tree(void **state)
{
	(void)state;
	assert_report(report_tree, (struct report_options){0}, RENDER_TEXT,
		"4 of 5 directories\n" HOT_LINES(
			2, ">99 %") "TREE                     OWNER  TINY IN TREE  OF ALL TINY  IN "
				    "TREE    HOT  IN HOT\n"
				    "/srv                     uid 0         2 000        >99 %    "
				    "2 000      -   1 995\n"
				    "└─ home                  uid 0         2 000        >99 %    "
				    "2 000      -   1 995\n"
				    "   ├─ alice/a\\x09b\\x2fc  uid 7         1 200         60 %   "
				    " 1 200  1 200   1 200\n"
				    "   └─ old                uid 0           795         40 %     "
				    " 795    795     795\n");
	assert_report(report_tree, (struct report_options){.has_user = true, .user = 99},
		RENDER_TEXT,
		"0 of 5 directories\n"
		"No tree is hot: none holds 1 % of the tiny files.\n"
		"No files.\n");
}

/* What is in no directory is nobody's, and explains tiny files all the same. */
static void a_tree_of_nobody(void **state)
{
	struct directory mostly_lost[ARRAY_LENGTH(rows)];
	struct directories lost = directories;

	(void)state;
	memcpy(mostly_lost, rows, sizeof(rows));
	mostly_lost[5].own = mostly_lost[5].tree = (struct directory_sums)SUMS(6000);
	lost.rows = mostly_lost;
	shown = &lost;
	assert_report(report_tree, (struct report_options){.hot_share = 0.5}, RENDER_CSV,
		TREE_HEADINGS "(unresolved),0,,6000,6000,6000,6000,6000,6000\r\n"
			      "/srv,0,0,2000,2000,,0,0,0\r\n");
	assert_report(report_tree, (struct report_options){.hot_share = 0.5}, RENDER_TEXT,
		"1 of 5 directories\n"
		"1 tree is hot: each holds at least 50 % of the tiny files, without those in hot "
		"trees below it;\ntogether 75 %.\n\n"
		"TREE          OWNER  TINY IN TREE  OF ALL TINY  IN TREE    HOT  IN HOT\n"
		"(unresolved)  -             6 000         75 %    6 000  6 000   6 000\n"
		"/srv          uid 0         2 000         25 %    2 000      -       0\n");
	shown = &directories;
}

/* With a share of its own: what holds 60 % takes in what the smaller ones hold. */
static void a_tree_by_share(void **state)
{
	(void)state;
	assert_report(report_tree, (struct report_options){.hot_share = 0.5}, RENDER_CSV,
		TREE_HEADINGS
		"/srv,0,0,2000,2000,,1200,0,0\r\n"
		"/srv/home/alice/a\\x09b\\x2fc,1,7,1200,1200,1200,1200,1200,1200\r\n");
	assert_report(report_tree, (struct report_options){.hot_share = 0.7}, RENDER_CSV,
		TREE_HEADINGS "/srv,0,0,2000,2000,,2000,0,0\r\n"
			      "/srv/home,1,0,2000,2000,2000,2000,0,0\r\n");
}

/* /a with runs 00 to 11, of 489 to 500 files, and one with 5 000; of two owners. */
static void make_runs(struct directories *runs)
{
	static char run_names[3 + 13 * 3];
	static struct directory run_rows[15];

	*runs = (struct directories){
		.present = true,
		.seen = 15,
		.rows = run_rows,
		.count = ARRAY_LENGTH(run_rows),
		.names = run_names,
		.names_bytes = sizeof(run_names),
	};
	strcpy(run_names + 1, "a");
	run_rows[0] = (struct directory){.ino = 1, .parent = DIRECTORY_NO_PARENT};
	run_rows[1] = (struct directory){.ino = 2, .parent = 0, .name = 1, .name_bytes = 1};
	for (unsigned i = 0; i < 13; i++) {
		const struct directory_sums sums = SUMS(i < 12 ? 489 + i : 5000);
		size_t name = 3 + 3 * (size_t)i;

		snprintf(run_names + name, 3, "%02u", i);
		run_rows[2 + i] = (struct directory){.ino = 3 + i,
			.parent = 1,
			.uid = 7,
			.name = name,
			.name_bytes = 2,
			.own = sums,
			.tree = sums};
		directory_sums_add(&run_rows[0].tree, &sums);
		directory_sums_add(&run_rows[1].tree, &sums);
	}
}

/* How many lines @make gives for the runs. */
static size_t count_lines(struct report_options options, enum render_format format)
{
	autofree char *text = render(report_tree, &options, format);
	size_t lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	return lines;
}

/* Many alike are one row for people, and a row each for programs and for those who ask. */
static void trees_alike(void **state)
{
	struct directories runs;

	(void)state;
	make_runs(&runs);
	shown = &runs;
	assert_report(report_tree, (struct report_options){0}, RENDER_TEXT,
		"15 directories\n" HOT_LINES(
			13, "100 %") "TREE                                             OWNER  TINY "
				     "IN TREE  OF ALL TINY    HOT  IN HOT\n"
				     "/srv                                             uid 0       "
				     " 10.9 k        100 %      -  10.9 k\n"
				     "└─ a                                             uid 0       "
				     " 10.9 k        100 %      -  10.9 k\n"
				     "   ├─ 12                                         uid 7       "
				     "  5 000         46 %  5 000   5 000\n"
				     "   └─ 12 hot trees of 489 – 500 tiny files each  uid 7       "
				     "  5 934         54 %  5 934   5 934\n");
	assert_int_equal(count_lines((struct report_options){0}, RENDER_CSV), 16);
	assert_int_equal(count_lines((struct report_options){0}, RENDER_TEXT), 9);
	assert_int_equal(count_lines((struct report_options){.all_rows = true}, RENDER_TEXT), 20);
	assert_int_equal(
		count_lines((struct report_options){.has_depth = true, .depth = 9}, RENDER_TEXT),
		20);
	shown = &directories;
}

/* --- In the summary --------------------------------------------------------------------------- */

static int worst_trees(const struct report_input *input, struct document *document, struct err *err)
{
	(void)err;
	document_init(document, "trees");
	summary_trees_add(document, input);
	return document->code;
}

static void assert_worst(struct report_options options, const char *line)
{
	autofree char *expected = NULL;

	if (asprintf(&expected, "%s%s%s", *line ? "Trees with most tiny files: " : "", line,
		    *line ? "\n" : "") < 0)
		fail();
	assert_report(worst_trees, options, RENDER_TEXT, expected);
}

/* A root, directories a to d in it, and e in a; each with so many tiny files itself. */
static void make_letters(struct directories *letters, struct directory rows_of[6], uint64_t own[6])
{
	static char letter_names[] = "\0a\0e\0b\0c\0d";
	static const uint32_t parents[] = {DIRECTORY_NO_PARENT, 0, 1, 0, 0, 0};

	*letters = (struct directories){
		.present = true, .rows = rows_of, .count = 6, .names = letter_names};
	for (unsigned i = 6; i-- > 0;)
		rows_of[i] = (struct directory){.parent = parents[i],
			.name = i ? 2 * (size_t)i - 1 : 0,
			.name_bytes = i > 0,
			.own = {.files = own[i], .tiny_files = own[i]},
			.tree = {.files = own[i], .tiny_files = own[i]}};
	for (unsigned i = 6; i-- > 1;)
		directory_sums_add(&rows_of[parents[i]].tree, &rows_of[i].tree);
}

/* Three at most, of a tenth of the tiny files each; of as many, the first by their paths. */
static void the_worst_trees(void **state)
{
	struct directory rows_of[6];
	struct directories letters;

	(void)state;
	assert_worst((struct report_options){0},
		"/srv/home/alice/a\\x09b\\x2fc 1 200 · /srv/home/old 795");
	assert_worst((struct report_options){.has_user = true, .user = 7},
		"/srv/home/alice/a\\x09b\\x2fc 1 200 · /srv/home/old 700");
	assert_worst((struct report_options){.has_user = true, .user = 99}, "");
	shown = &letters;
	make_letters(&letters, rows_of, (uint64_t[]){0, 0, 0, 0, 0, 0});
	assert_worst((struct report_options){0}, "");
	make_letters(&letters, rows_of, (uint64_t[]){0, 5, 0, 5, 5, 5});
	assert_worst((struct report_options){0}, "/srv/a 5 · /srv/b 5 · /srv/c 5");
	make_letters(&letters, rows_of, (uint64_t[]){0, 5, 0, 5, 5, 6});
	assert_worst((struct report_options){0}, "/srv/d 6 · /srv/a 5 · /srv/b 5");
	make_letters(&letters, rows_of, (uint64_t[]){0, 40, 50, 0, 9, 1});
	assert_worst((struct report_options){0},
		"/srv/a/e 50 · elsewhere in /srv/a 40 · elsewhere in /srv 10");
	make_letters(&letters, rows_of, (uint64_t[]){0, 100, 20, 40, 30, 10});
	assert_worst((struct report_options){0}, "/srv/a 120 · /srv/b 40 · /srv/c 30");
	shown = &directories;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_dirs),
		cmocka_unit_test(a_part_of_dirs),
		cmocka_unit_test(sorted_by_any_column),
		cmocka_unit_test(few_rows),
		cmocka_unit_test(under_what_a_path_means),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(a_tree),
		cmocka_unit_test(a_tree_of_nobody),
		cmocka_unit_test(a_tree_by_share),
		cmocka_unit_test(trees_alike),
		cmocka_unit_test(the_worst_trees),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
