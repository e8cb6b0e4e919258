/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that depend on nothing but a seed, so that a sample can be drawn again. */
#ifndef ANALYZER_WINDOW_RANDOM_H
#define ANALYZER_WINDOW_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state; /* the seed; any value */
};

/* The next 64 random bits: splitmix64, a Weyl sequence through a 64-bit mixing function. */
static inline uint64_t random_bits(struct random *random)
{
	uint64_t bits = (random->state += 0x9e3779b97f4a7c15ULL);

	bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
	return bits ^ (bits >> 31);
}

/* A number in [0, @bound), @bound > 0, as likely as any other to within 2^-64 × @bound. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)random_bits(random) * bound) >> 64);
}

/* A real number in [0, 1). */
static inline double random_unit(struct random *random)
{
	return (double)(random_bits(random) >> 11) * 0x1p-53;
}

#endif
