/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making inodes, the same ones for the same seed.
 *
 * Every function works relative to a directory descriptor, so that depth and odd names do not
 * matter, and ends the program with a message if the system refuses: a population that is not
 * what its preset says would make tests lie.
 */
#ifndef TESTS_POPULATION_MAKE_H
#define TESTS_POPULATION_MAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A generator of numbers that depend on the seed alone (SplitMix64). */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *rng);

/* A number in [low, high]. */
uint64_t rng_between(struct rng *rng, uint64_t low, uint64_t high);

/* A number whose logarithm is even between those of 2^@low and 2^@high: how file sizes fall. */
uint64_t rng_log2_between(struct rng *rng, unsigned low, unsigned high);

/* Ends the program with "populate: NAME: why" and status 1. */
void die_errno(const char *name) __attribute__((noreturn));

/*
 * From here on, what is made belongs to @id (user and group). Without root it stays the caller's.
 * Directories are entered as root, so an owner needs one made for him by make_home().
 */
void become(uint32_t id);

/* Makes a directory as the current owner and opens it. */
int make_dir(int parent, const char *name);

/* Makes a directory as root, gives it to @id, and opens it. */
int make_home(int parent, const char *name, uint32_t id);

/* Makes an empty regular file. */
void make_empty(int dir, const char *name);

/* Makes a regular file of @size_bytes that hold noise. */
void make_file(int dir, const char *name, uint64_t size_bytes);

/* Adds @size_bytes of noise to the end of a file, which is made if missing. */
void append(int dir, const char *name, uint64_t size_bytes);

/* Makes a file of @size_bytes that holds nothing but @pieces blocks of 4 KiB, evenly spread. */
void make_sparse(int dir, const char *name, uint64_t size_bytes, unsigned pieces);

/* Makes a file of @size_bytes with @allocated_bytes preallocated, none of them written. */
void make_preallocated(int dir, const char *name, uint64_t size_bytes, uint64_t allocated_bytes);

/* Makes a symbolic link with a target of @length bytes that leads nowhere. */
void make_symlink(int dir, const char *name, unsigned length);

/* Makes a further name of a file. */
void make_link(int dir, const char *name, int to_dir, const char *to_name);

/* Makes a fifo, socket or device node: @mode has the type. Devices are left out without root. */
void make_special(int dir, const char *name, mode_t mode);

/* Sets an extended attribute of @size_bytes; left out where the filesystem has none. */
void set_attribute(int dir, const char *name, const char *attribute, unsigned size_bytes);

/* Sets modification and access time. */
void set_time(int dir, const char *name, int64_t seconds);

/*
 * Gives an inode a project id (0: as it is) and extra flags (FS_XFLAG_*). What is made in such a
 * directory inherits its project. Left out, with false, where the filesystem has no projects.
 */
bool set_project(int fd, uint32_t projid, uint32_t xflags);

#endif
