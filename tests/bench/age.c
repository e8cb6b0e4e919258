// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fills a directory with an aged population: several rounds of creating and deleting, so that the
 * order of inodes and the order of data on the disk part.
 *
 * usage: age DIRECTORY SEED FILES
 *
 * Two users (2041, 2177) own 85 % of the files, all below 4 KiB; twenty others have files up to
 * 12 MiB. Some files carry an extended attribute. The same seed makes the same tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ROUNDS       5
#define DELETED      0.35 /* of the files, after each round but the last */
#define BLOCK_BYTES  (1 << 20)
#define FIRST_USER   2041
#define SECOND_USER  2177
#define ORDINARY_UID 3000

static uint64_t state;
static char block[BLOCK_BYTES];

static uint64_t bits(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static double unit(void)
{
	return (double)(bits() >> 11) * 0x1p-53;
}

static void check(int bad, const char *what)
{
	if (!bad)
		return;
	fprintf(stderr, "age: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* 2^x for an x that is equally likely anywhere in [@low, @high). */
static size_t log_uniform(double low, double high)
{
	return (size_t)exp2(low + (high - low) * unit());
}

static size_t draw_size(int tiny)
{
	double kind = unit();

	if (tiny)
		return kind < 0.02 ? 0 : log_uniform(0, 12);
	if (kind < 0.35)
		return log_uniform(6, 12);
	if (kind < 0.75)
		return log_uniform(12, 16);
	if (kind < 0.96)
		return log_uniform(16, 20);
	return log_uniform(20, 23.5);
}

static void make_folder(unsigned uid, unsigned folder, char *path, size_t path_bytes)
{
	snprintf(path, path_bytes, "u%u", uid);
	check(mkdir(path, 0755) && errno != EEXIST, path);
	snprintf(path, path_bytes, "u%u/d%u", uid, folder);
	check(mkdir(path, 0755) && errno != EEXIST, path);
}

/* Makes file number @number; returns its path, to be freed. */
static char *make_file(unsigned number)
{
	double who = unit();
	unsigned uid = who < 0.45   ? FIRST_USER
		       : who < 0.85 ? SECOND_USER
				    : ORDINARY_UID + (unsigned)(bits() % 20);
	int tiny = uid < ORDINARY_UID;
	size_t left = draw_size(tiny);
	char folder[64], *path;
	int fd;

	make_folder(uid, (unsigned)(bits() % (tiny ? 400 : 20)), folder, sizeof(folder));
	check(asprintf(&path, "%s/f%u", folder, number) < 0, "memory");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	check(fd < 0, path);
	while (left) {
		ssize_t put = write(fd, block, left < BLOCK_BYTES ? left : BLOCK_BYTES);

		check(put <= 0, path);
		left -= (size_t)put;
	}
	if (unit() < 0.03)
		check(fsetxattr(fd, "user.note", block, 10 + bits() % 290, 0), path);
	check(fchown(fd, uid, uid), path);
	close(fd);
	return path;
}

/* Deletes a random part of the @count files and returns how many are left. */
static unsigned delete_some(char **files, unsigned count)
{
	unsigned deleted = (unsigned)(count * DELETED);

	for (unsigned i = 0; i < deleted; i++) {
		unsigned drawn = (unsigned)(bits() % count);

		check(unlink(files[drawn]), files[drawn]);
		free(files[drawn]);
		files[drawn] = files[--count];
	}
	return count;
}

int main(int argc, char **argv)
{
	unsigned wanted, count = 0, number = 0;
	char **files;

	if (argc != 4) {
		fprintf(stderr, "usage: age DIRECTORY SEED FILES\n");
		return 64;
	}
	check(chdir(argv[1]), argv[1]);
	state = strtoull(argv[2], NULL, 0);
	wanted = (unsigned)strtoul(argv[3], NULL, 0);
	files = calloc(wanted, sizeof(*files));
	check(!files, "memory");
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)bits();
	for (unsigned round = 0; round < ROUNDS; round++) {
		int last = round == ROUNDS - 1;
		unsigned target = last ? wanted : (unsigned)(wanted * (0.7 + 0.075 * round));

		while (count < target)
			files[count++] = make_file(number++);
		sync();
		if (!last)
			count = delete_some(files, count);
	}
	while (count)
		free(files[--count]);
	free(files);
	return 0;
}
