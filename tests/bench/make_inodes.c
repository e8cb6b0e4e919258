// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes COUNT empty files below DIRECTORY, FILES to a directory, quickly: for benchmarks of what
 * reads inodes. Owners go round through OWNERS user ids from 1000 on.
 *
 *	make_inodes DIRECTORY COUNT [FILES [OWNERS]]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_FILES  5000
#define DEFAULT_OWNERS 50
#define FIRST_UID      1000

static void fail(const char *what)
{
	fprintf(stderr, "make_inodes: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !value) {
		errno = EINVAL;
		fail(text);
	}
	return value;
}

/* Makes directory "dN" in @parent and @count files in it. */
static void fill_directory(int parent, unsigned long index, unsigned long count, uid_t owner)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "d%lu", index);
	if (mkdirat(parent, name, 0755) || fchownat(parent, name, owner, 0, 0))
		fail(name);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		fail(name);
	if (seteuid(owner))
		fail("seteuid");
	for (unsigned long i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "f%lu", i);
		if (mknodat(fd, name, S_IFREG | 0644, 0))
			fail(name);
	}
	if (seteuid(0))
		fail("seteuid");
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long count, files, owners;
	int parent;

	if (argc < 3) {
		fprintf(stderr, "usage: make_inodes DIRECTORY COUNT [FILES [OWNERS]]\n");
		return 64;
	}
	count = number(argv[2]);
	files = argc > 3 ? number(argv[3]) : DEFAULT_FILES;
	owners = argc > 4 ? number(argv[4]) : DEFAULT_OWNERS;
	parent = open(argv[1], O_RDONLY | O_DIRECTORY);
	if (parent < 0)
		fail(argv[1]);
	for (unsigned long made = 0, index = 0; made < count; made += files, index++) {
		unsigned long left = count - made;

		fill_directory(parent, index, left < files ? left : files,
			(uid_t)(FIRST_UID + index % owners));
	}
	return 0;
}
