/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers with units, as people write and read them. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

/* Enough for whatever the unit_format_*() functions write, the final NUL included. */
#define UNIT_TEXT_BYTES 32

/*
 * Reads a size in bytes: a whole number or a decimal fraction and one of K M G T P E (powers of
 * 1024, an optional "iB" or "B" after it). Returns 0; -EINVAL for anything else, trailing
 * characters included; -ERANGE above 2^64 - 1.
 */
int unit_parse_bytes(const char *text, uint64_t *bytes);

/*
 * Reads a duration in seconds: numbers, each with one of s, m(in), h, d, w ("90s", "1h30m"); a
 * single number without a unit is seconds. Returns 0, -EINVAL or -ERANGE.
 */
int unit_parse_seconds(const char *text, double *seconds);

/* Reads a count: digits and an optional k, M or G (powers of 1000). Returns 0, -EINVAL, -ERANGE. */
int unit_parse_count(const char *text, uint64_t *count);

/* Reads a plain decimal number without sign or space. Returns 0, -EINVAL, -ERANGE. */
int unit_parse_u64(const char *text, uint64_t *number);

/*
 * "0 B", "999 B", "4 KiB", "1.4 TiB", "31 GiB": at most three significant digits. Stored sums stop
 * at INT64_MAX, which is "≥ 8 EiB". Returns @out.
 */
const char *unit_format_bytes(uint64_t bytes, char out[UNIT_TEXT_BYTES]);

/* "999", "9 999", "10.0 k", "13.1 M": at most four digits. Returns @out. */
const char *unit_format_count(uint64_t count, char out[UNIT_TEXT_BYTES]);

/* "25 µs", "1.2 ms", "0.8 s", "58 s", "4 min 10", "18 h 14", "3 d 4 h" (UTF-8). Returns @out. */
const char *unit_format_seconds(double seconds, char out[UNIT_TEXT_BYTES]);

/* "800 KB/s", "4.0 MB/s": powers of 1000, as disks and networks are sold. Returns @out. */
const char *unit_format_rate(double bytes_per_second, char out[UNIT_TEXT_BYTES]);

/* "0 %", "<1 %", "54 %", ">99 %", "100 %": 0 and 100 only where they are exact. Returns @out. */
const char *unit_format_share(double part, double whole, char out[UNIT_TEXT_BYTES]);

/* The ending of a noun after @count: none for one, else "s". */
static inline const char *unit_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
