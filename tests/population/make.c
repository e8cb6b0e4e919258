// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hundred thousand files want few system calls each. Owners are set by setfsuid() before the
 * inode is made, which saves a chown() and its transaction; the noise comes from one buffer at
 * an offset that depends on size and name, so that no two files compress or deduplicate alike.
 */
#include "tests/population/make.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NOISE_BYTES (1U << 20)
#define BLOCK_BYTES 4096U

uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint64_t rng_between(struct rng *rng, uint64_t low, uint64_t high)
{
	return low + rng_next(rng) % (high - low + 1);
}

uint64_t rng_log2_between(struct rng *rng, unsigned low, unsigned high)
{
	uint64_t floor = 1ULL << rng_between(rng, low, high - 1);

	return rng_between(rng, floor, 2 * floor - 1);
}

void die_errno(const char *name)
{
	fprintf(stderr, "populate: %s: %s\n", name, strerror(errno));
	exit(1);
}

void become(uint32_t id)
{
	if (geteuid() != 0)
		return;
	setfsuid(0); /* to have the right to change the group */
	setfsgid(id);
	setfsuid(id);
}

static int open_dir(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		die_errno(name);
	return fd;
}

int make_dir(int parent, const char *name)
{
	if (mkdirat(parent, name, 0755) < 0 && errno != EEXIST)
		die_errno(name);
	return open_dir(parent, name);
}

int make_home(int parent, const char *name, uint32_t id)
{
	int fd;

	become(0);
	fd = make_dir(parent, name);
	if (geteuid() == 0 && fchown(fd, id, id) < 0)
		die_errno(name);
	return fd;
}

static int open_new(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0644);

	if (fd < 0)
		die_errno(name);
	return fd;
}

static const unsigned char *noise(void)
{
	static unsigned char *buffer;
	struct rng rng = {0x6e6f697365};

	if (buffer)
		return buffer;
	buffer = malloc(2UL * NOISE_BYTES);
	if (!buffer)
		die_errno("noise");
	for (size_t i = 0; i < 2UL * NOISE_BYTES; i += sizeof(uint64_t)) {
		uint64_t number = rng_next(&rng);

		memcpy(buffer + i, &number, sizeof(number));
	}
	return buffer;
}

static void write_noise(int fd, const char *name, uint64_t size_bytes)
{
	struct rng rng = {size_bytes};

	for (const char *c = name; *c; c++)
		rng.state = rng.state * 31 + (unsigned char)*c;
	while (size_bytes) {
		size_t count = size_bytes < NOISE_BYTES ? size_bytes : NOISE_BYTES;
		ssize_t written = write(fd, noise() + rng_next(&rng) % NOISE_BYTES, count);

		if (written < 0)
			die_errno(name);
		size_bytes -= (uint64_t)written;
	}
}

void make_empty(int dir, const char *name)
{
	close(open_new(dir, name, O_EXCL));
}

void make_file(int dir, const char *name, uint64_t size_bytes)
{
	int fd = open_new(dir, name, O_EXCL);

	write_noise(fd, name, size_bytes);
	close(fd);
}

void append(int dir, const char *name, uint64_t size_bytes)
{
	int fd = open_new(dir, name, O_APPEND);

	write_noise(fd, name, size_bytes);
	close(fd);
}

void make_sparse(int dir, const char *name, uint64_t size_bytes, unsigned pieces)
{
	int fd = open_new(dir, name, O_EXCL);

	for (unsigned i = 0; i < pieces; i++) {
		uint64_t offset = size_bytes / pieces * i / BLOCK_BYTES * BLOCK_BYTES;

		if (pwrite(fd, noise() + i, BLOCK_BYTES, (off_t)offset) < 0)
			die_errno(name);
	}
	if (ftruncate(fd, (off_t)size_bytes) < 0)
		die_errno(name);
	close(fd);
}

void make_preallocated(int dir, const char *name, uint64_t size_bytes, uint64_t allocated_bytes)
{
	int fd = open_new(dir, name, O_EXCL);

	if (ftruncate(fd, (off_t)size_bytes) < 0)
		die_errno(name);
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)allocated_bytes) < 0)
		die_errno(name);
	close(fd);
}

void make_symlink(int dir, const char *name, unsigned length)
{
	char target[1024];

	memset(target, 'x', sizeof(target));
	target[length < sizeof(target) ? length : sizeof(target) - 1] = '\0';
	if (symlinkat(target, dir, name) < 0)
		die_errno(name);
}

void make_link(int dir, const char *name, int to_dir, const char *to_name)
{
	if (linkat(to_dir, to_name, dir, name, 0) < 0)
		die_errno(name);
}

void make_special(int dir, const char *name, mode_t mode)
{
	bool device = S_ISCHR(mode) || S_ISBLK(mode);

	if (device && geteuid() != 0)
		return;
	if (device)
		become(0);
	/* the null device, or a block device that no driver owns */
	if (mknodat(dir, name, mode | 0644, S_ISCHR(mode) ? makedev(1, 3) : makedev(0, 0)) < 0)
		die_errno(name);
}

void set_attribute(int dir, const char *name, const char *attribute, unsigned size_bytes)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		die_errno(name);
	if (fsetxattr(fd, attribute, noise(), size_bytes, 0) < 0 && errno != EOPNOTSUPP)
		die_errno(attribute);
	close(fd);
}

void set_time(int dir, const char *name, int64_t seconds)
{
	const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

	if (utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		die_errno(name);
}

bool set_project(int fd, uint32_t projid, uint32_t xflags)
{
	struct fsxattr attr;
	struct stat st;

	if (fstat(fd, &st) < 0 || ioctl(fd, FS_IOC_FSGETXATTR, &attr) < 0)
		return false;
	if (projid)
		attr.fsx_projid = projid;
	if (projid && S_ISDIR(st.st_mode))
		xflags |= FS_XFLAG_PROJINHERIT;
	attr.fsx_xflags |= xflags;
	return ioctl(fd, FS_IOC_FSSETXATTR, &attr) == 0;
}
