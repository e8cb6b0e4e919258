/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic on numbers that come from a disk or a user.
 *
 * checked_*() report an overflow, for lengths and offsets; sat_*() stop at the type's end, for
 * totals, where the largest number is a better answer than a small wrong one.
 */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

static inline bool checked_mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

static inline uint64_t sat_add_u64(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t sat_mul_u64(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline int64_t sat_add_i64(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* What @before must change by to become @after; stops at the ends of the type. */
static inline int64_t change_i64(uint64_t before, uint64_t after)
{
	int64_t change;

	if (__builtin_sub_overflow(after, before, &change))
		return after < before ? INT64_MIN : INT64_MAX;
	return change;
}

static inline uint64_t div_ceil_u64(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* @a rounded up to a multiple of @unit (> 0); UINT64_MAX where that does not fit. */
static inline uint64_t round_up_u64(uint64_t a, uint64_t unit)
{
	return sat_mul_u64(div_ceil_u64(a, unit), unit);
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What a signed 64-bit column holds of @a: INT64_MAX where it does not fit. */
static inline int64_t clamp_i64(uint64_t a)
{
	return a > INT64_MAX ? INT64_MAX : (int64_t)a;
}

#endif
