/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Populations that tests, benches and the demonstration share, by name. */
#ifndef TESTS_POPULATION_PRESET_H
#define TESTS_POPULATION_PRESET_H

#include "tests/population/make.h"

#include <stdint.h>

struct preset_options {
	uint64_t inodes; /* how many files, for presets that can be of any size */
	struct rng rng;
};

struct preset {
	const char *name;
	const char *summary;     /* one line for --help */
	uint64_t default_inodes; /* 0: the preset has one size */
	void (*make)(int root, struct preset_options *options);
};

/* By name; ends with an entry without a name. */
extern const struct preset presets[];

/* Every kind of inode and of name that a census must survive, about five hundred of them. */
void make_oddities(int root, struct preset_options *options);

/* The same and a file of 5 TiB, which would look out of place in a demonstration. */
void make_odd(int root, struct preset_options *options);

/* What the lab predicts dumps of: homes full of tiny files, and an archive of recordings. */
void make_homes(int root, struct preset_options *options);
void make_archive(int root, struct preset_options *options);

/* Values that do not fit where a careless program keeps them. */
void make_extremes(int root, struct preset_options *options);

#endif
