// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The odd and the extreme. "odd" keeps sizes below 2^53 and their sums exact in any tool, so that
 * find and awk can confirm a census; "extreme" is where sums must stop at 2^64 - 1 instead of
 * wrapping, and where times lie before 1970 and after 2106.
 */
#include "tests/population/preset.h"

#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ODD_USER = 4100, ODD_PROJECT = 77 };

/* Names that break a tool which prints, quotes, splits or decodes them carelessly. */
static const char *const odd_names[] = {
	"new\nline",
	"tab\there",
	" leading and trailing ",
	"-rf",
	"--help",
	"\"double\" 'single' `back`",
	"back\\slash \\n \\x41",
	"<b>markup&amp;<script>alert(1);",
	"\033[31mred\033[0m\033]0;title\007",
	"carriage\rreturn",
	"latin1 \xe9\xe8",
	"invalid \xff\xfe utf-8 \xc3(",
	"overlong \xc0\xaf",
	"utf-8 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9f",
	("right-to-left \xe2\x80\xae"
	 "abc"),
	"$(reboot) ${HOME} ;|&",
	"=1+1",
	"a,b;c",
	"%s%n%d",
	"*?[]",
	"\x01\x02\x7f",
};

static void odd_named_files(int root)
{
	int dir = make_home(root, "names", ODD_USER);
	char long_name[256];

	become(ODD_USER);
	for (size_t i = 0; i < sizeof(odd_names) / sizeof(odd_names[0]); i++) {
		int sub;

		make_file(dir, odd_names[i], 10 + i);
		snprintf(long_name, sizeof(long_name), "%s.d", odd_names[i]);
		sub = make_dir(dir, long_name);
		make_file(sub, odd_names[i], 100 + i);
		close(sub);
	}
	memset(long_name, 'n', 255);
	long_name[255] = '\0';
	make_file(dir, long_name, 1);
	close(dir);
}

/* Both sides of every edge of a size class up to 1 MiB. */
static void edge_sizes(int root)
{
	int dir = make_home(root, "sizes", ODD_USER + 1);
	char name[32];

	become(ODD_USER + 1);
	make_empty(dir, "0");
	for (unsigned shift = 0; shift <= 20; shift++) {
		for (int delta = -1; delta <= 1; delta++) {
			uint64_t size = (1ULL << shift) + (uint64_t)delta;

			snprintf(name, sizeof(name), "2^%u%+d", shift, delta);
			make_file(dir, name, size);
		}
	}
	close(dir);
}

static void odd_extents(int root)
{
	int dir = make_home(root, "extents", ODD_USER + 2);

	become(ODD_USER + 2);
	make_sparse(dir, "hole only", 1ULL << 30, 0);
	make_sparse(dir, "many pieces", 64ULL << 20, 200);
	make_sparse(dir, "tail", 12345, 1);
	make_preallocated(dir, "unwritten", 300000, 300000);
	make_preallocated(dir, "unwritten beyond the end", 5000, 1U << 20);
	make_preallocated(dir, "empty but allocated", 0, 1U << 16);
	make_file(dir, "one group", 16U << 20);
	make_file(dir, "several groups", (33U << 20) + 17);
	close(dir);
}

static void odd_links(int root)
{
	int dir = make_home(root, "links", ODD_USER + 3);
	int elsewhere = make_home(root, "links elsewhere", ODD_USER + 3);
	char name[32];

	become(ODD_USER + 3);
	make_file(dir, "original", 3000);
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "link %d", i);
		make_link(i % 2 ? dir : elsewhere, name, dir, "original");
	}
	make_symlink(dir, "short symlink", 3);
	make_symlink(dir, "symlink in a block", 1000);
	make_symlink(dir, "symlink longest", 1023);
	make_special(dir, "fifo", S_IFIFO);
	make_link(elsewhere, "fifo too", dir, "fifo");
	make_special(dir, "socket", S_IFSOCK);
	make_special(dir, "character device", S_IFCHR);
	make_special(dir, "block device", S_IFBLK);
	close(elsewhere);
	close(dir);
}

static void odd_attributes(int root)
{
	int dir = make_home(root, "attributes", ODD_USER + 4);

	become(ODD_USER + 4);
	make_file(dir, "inline", 700);
	set_attribute(dir, "inline", "user.note", 10);
	make_file(dir, "block", 700);
	set_attribute(dir, "block", "user.note", 3000);
	make_file(dir, "remote", 700);
	set_attribute(dir, "remote", "user.note", 60000);
	make_file(dir, "removed", 700);
	set_attribute(dir, "removed", "user.note", 10);
	set_attribute(dir, ".", "user.of a directory", 100);
	close(dir);
}

static void odd_projects(int root)
{
	int dir = make_home(root, "project", ODD_USER + 5);
	int large = make_home(root, "project of 32 bits", ODD_USER + 5);
	int nodump = make_home(root, "nodump", ODD_USER + 5);

	become(0);
	set_project(dir, ODD_PROJECT, 0);
	set_project(large, 3000000000U, 0);
	set_project(nodump, 0, FS_XFLAG_NODUMP);
	become(ODD_USER + 5);
	for (int i = 0; i < 10; i++) {
		char name[32];

		snprintf(name, sizeof(name), "file %d", i);
		make_file(dir, name, 500);
		make_file(large, name, 9000);
		make_file(nodump, name, 100);
	}
	close(nodump);
	close(large);
	close(dir);
}

/* A chain of directories whose path is several times PATH_MAX, a file at its end. */
static void deep_tree(int root)
{
	static const char step[] = "a directory name of some forty characters";
	int dir = make_home(root, "deep", ODD_USER + 6);

	become(ODD_USER + 6);
	for (int depth = 0; depth < 300; depth++) {
		int next = make_dir(dir, step);

		close(dir);
		dir = next;
	}
	make_file(dir, "at the bottom", 42);
	close(dir);
}

/* Owners whose ids are large: 2^31 and 2^32 - 2, the last that can own a file. */
static void odd_owners(int root)
{
	static const uint32_t ids[] = {1, 65534, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		char name[32];
		int dir;

		snprintf(name, sizeof(name), "owner %u", ids[i]);
		dir = make_home(root, name, ids[i]);
		become(ids[i]);
		make_file(dir, "file", 1000 + i);
		close(dir);
	}
}

void make_oddities(int root, struct preset_options *options)
{
	(void)options;
	odd_named_files(root);
	edge_sizes(root);
	odd_extents(root);
	odd_links(root);
	odd_attributes(root);
	odd_projects(root);
	deep_tree(root);
	odd_owners(root);
}

void make_odd(int root, struct preset_options *options)
{
	int dir;

	make_oddities(root, options);
	dir = make_home(root, "large", ODD_USER + 7);
	become(ODD_USER + 7);
	make_sparse(dir, "hole of 5 TiB", 5ULL << 40, 1);
	close(dir);
}

void make_extremes(int root, struct preset_options *options)
{
	int dir = make_home(root, "extremes", 4200);
	char name[32];

	(void)options;
	become(4200);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "size 2^63-1, %d", i);
		make_sparse(dir, name, INT64_MAX, 0);
	}
	make_file(dir, "before 1970", 10);
	set_time(dir, "before 1970", -2000000000);
	make_file(dir, "after 2106", 10);
	set_time(dir, "after 2106", 7000000000);
	make_file(dir, "70000 links", 10);
	for (int i = 1; i < 70000; i++) {
		snprintf(name, sizeof(name), "link %d", i);
		make_link(dir, name, dir, "70000 links");
	}
	close(dir);
}
