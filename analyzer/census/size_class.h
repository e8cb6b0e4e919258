/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Size classes: 0 for size 0, k for sizes in [2^(k-1), 2^k), 1 ≤ k ≤ 64.
 *
 * Censuses are stored at that resolution. What reports call a band is a run of classes.
 */
#ifndef ANALYZER_CENSUS_SIZE_CLASS_H
#define ANALYZER_CENSUS_SIZE_CLASS_H

#include <stdint.h>

#define SIZE_CLASSES 65

/* What is called tiny unless the user says otherwise: sizes below 4096 bytes. */
#define DEFAULT_TINY_BYTES 4096

static inline unsigned size_class_of(uint64_t size_bytes)
{
	return size_bytes ? 64 - (unsigned)__builtin_clzll(size_bytes) : 0;
}

/* The smallest size in @size_class. */
static inline uint64_t size_class_low(unsigned size_class)
{
	return size_class ? 1ULL << (size_class - 1) : 0;
}

/* The first size above @size_class; 2^64, which does not fit, is UINT64_MAX. */
static inline uint64_t size_class_high(unsigned size_class)
{
	return size_class < 64 ? 1ULL << size_class : UINT64_MAX;
}

/* The number of classes that lie below @edge_bytes, a power of two: tiny is class < this. */
static inline unsigned size_class_below(uint64_t edge_bytes)
{
	return size_class_of(edge_bytes);
}

#endif
