/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of the schema, schema_N.c each, and the columns that they have in common. What is
 * written here is part of steps that are released: it is not changed either.
 */
#ifndef STORAGE_SCHEMA_STEPS_H
#define STORAGE_SCHEMA_STEPS_H

#include "storage/schema.h"

extern const char *const schema_to_1[];
extern const char *const schema_to_2[];
extern const char *const schema_to_3[];
extern const char *const schema_to_4[];
extern const char *const schema_to_5[];
extern const char *const schema_to_6[];
extern const char *const schema_to_7[];
extern const char *const schema_to_8[];
extern const char *const schema_to_9[];
extern const char *const schema_to_10[];
extern const char *const schema_to_11[];

/* A time in seconds since 1970 for people, as a column of a view. */
#define UTC(seconds) "strftime('%Y-%m-%dT%H:%M:%SZ', " seconds ", 'unixepoch')"

#define MAX_I64 "9223372036854775807"

/*
 * Columns of a table: a count, an id of 32 bits, a small number, seconds, text and bytes. A bitwise
 * operator makes an integer of what it is given: only an integer is equal to the outcome, and with
 * a mask only one that is in range. A save of many rows takes a third less than with typeof().
 */
#define MASKED(name, mask) name " INTEGER NOT NULL CHECK (" name " & " mask " = " name ")"
#define COUNT(name)        MASKED(name, MAX_I64)
#define ID32(name)         MASKED(name, "4294967295")
#define INTEGER(name)      name " INTEGER NOT NULL CHECK (" name " | 0 = " name ")"
#define RANGE(name, low, high)                                                            \
	name " INTEGER NOT NULL CHECK (" name " | 0 = " name " AND " name " BETWEEN " low \
	     " AND " high ")"
#define SECONDS(name)                                                                \
	name " REAL NOT NULL CHECK (typeof(" name ") = 'real' AND " name " BETWEEN " \
	     "0 AND 1e300)"
#define TEXT(name)     name " TEXT NOT NULL CHECK (typeof(" name ") = 'text')"
#define TEXT_OR(name)  name " TEXT CHECK (typeof(" name ") IN ('text', 'null'))"
#define BYTES_OR(name) name " BLOB CHECK (typeof(" name ") IN ('blob', 'null'))"

/*
 * A sum that stops at 2^63 - 1, where sum() would fail with "integer overflow": the upper and the
 * lower 32 bits are added on their own, which cannot overflow, and put together.
 */
#define HIGH(x) "(sum((" x ") >> 32) + (sum((" x ") & 4294967295) >> 32))"
#define LOW(x)  "(sum((" x ") & 4294967295) & 4294967295)"
#define SUM(x)                                             \
	"CASE WHEN " HIGH(x) " > 2147483647 THEN " MAX_I64 \
			     " ELSE (" HIGH(x) " << 32) | " LOW(x) " END"

/* The first size of a class, and the first above it. */
#define CLASS_LOW                                                            \
	"CASE WHEN size_class = 0 THEN 0 WHEN size_class = 64 THEN " MAX_I64 \
	" ELSE 1 << (size_class - 1) END"
#define CLASS_HIGH "CASE WHEN size_class >= 63 THEN " MAX_I64 " ELSE 1 << size_class END"

#endif
