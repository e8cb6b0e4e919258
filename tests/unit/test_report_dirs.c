// SPDX-License-Identifier: GPL-2.0-or-later
/* The reports on directories, on a small tree with an odd name, a shared folder and orphans. */
#include "tests/unit/test.h"

#include "base/cleanup.h"
#include "reports/render.h"
#include "reports/report.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files are tiny throughout, of 10 bytes each. */
#define SUMS(n)                                                    \
	{                                                          \
		.files = (n), .tiny_files = (n), .bytes = 10 * (n) \
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

typedef int (*report_fn)(
	const struct report_input *input, struct document *document, struct err *err);

/* The report, whole or what went wrong with it; to be freed. */
static char *render(report_fn make, const struct report_options *options, enum render_format format)
{
	static char mount_point[] = "/srv/";
	const struct scan_info scan = {
		.scan_id = 3, .mount_point = mount_point, .whole_filesystem = true};
	const struct report_input input = {
		.scan = &scan, .directories = &directories, .options = options};
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

#define HEADINGS "path,user,files,tiny_files,bytes,tree_files,tree_tiny_files\r\n"

static void rows_of_dirs(void **state)
{
	(void)state;
	assert_report(report_dirs, (struct report_options){0}, RENDER_CSV,
		HEADINGS "/srv/home/alice/a\\x09b\\x2fc,7,1200,1200,12000,1200,1200\r\n"
			 "/srv/home/old,0,795,795,7950,795,795\r\n"
			 "/srv/home/alice,7,5,5,50,1205,1205\r\n"
			 "(unresolved),0,3,3,30,3,3\r\n"
			 "/srv,0,0,0,0,2000,2000\r\n"
			 "/srv/home,0,0,0,0,2000,2000\r\n");
}

static void a_part_of_dirs(void **state)
{
	(void)state;
	assert_report(report_dirs,
		(struct report_options){
			.under = "/srv/home", .has_depth = true, .depth = 1, .sort = "path"},
		RENDER_CSV,
		HEADINGS "/srv/home,0,0,0,0,2000,2000\r\n"
			 "/srv/home/alice,7,5,5,50,1205,1205\r\n"
			 "/srv/home/old,0,795,795,7950,795,795\r\n");
	assert_report(report_dirs,
		(struct report_options){.under = "/home/old/", .has_user = true, .user = 7},
		RENDER_CSV, HEADINGS "/srv/home/old,7,700,700,7000,700,700\r\n");
	assert_report(report_dirs,
		(struct report_options){.has_user = true, .sort = "tree_files", .top = 2},
		RENDER_CSV,
		HEADINGS "/srv,0,0,0,0,95,95\r\n"
			 "/srv/home,0,0,0,0,95,95\r\n");
}

static void what_is_not_there(void **state)
{
	(void)state;
	assert_report(report_dirs, (struct report_options){.under = "home/x\n"}, RENDER_CSV,
		"-22: --under: no directory home/x\\x0a in the scan");
	assert_report(report_tree, (struct report_options){.sort = "files"}, RENDER_CSV,
		"-22: the tree has an order of its own: --sort is for dirs");
}

static void a_tree(void **state)
{
	(void)state;
	assert_report(report_tree, (struct report_options){0}, RENDER_TEXT,
		"5 directories\n"
		"Hot trees hold 1 % of the tiny files or more, without those in hot trees below.\n"
		"\n"
		"TREE                     OWNER  TINY IN TREE  IN TREE    HOT\n"
		"/srv                     uid 0         2 000    2 000      -\n"
		"└─ home                  uid 0         2 000    2 000      -\n"
		"   ├─ alice/a\\x09b\\x2fc  uid 7         1 200    1 200  1 200\n"
		"   └─ old                uid 0           795      795    795\n");
	assert_report(report_tree, (struct report_options){.has_user = true, .user = 99},
		RENDER_TEXT,
		"5 directories\n"
		"Hot trees hold 1 % of the tiny files or more, without those in hot trees below.\n"
		"No files.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_dirs),
		cmocka_unit_test(a_part_of_dirs),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(a_tree),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
