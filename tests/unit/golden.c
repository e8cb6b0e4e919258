// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/golden.h"

#include "tests/unit/test.h"

#include "base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1 << 20)

static char *read_file(const char *path)
{
	FILE *in = fopen(path, "rb");
	char *text = calloc(1, MOST_BYTES);

	if (!in || !text)
		fail_msg("%s is missing: see tests/unit/golden.h", path);
	assert_true(fread(text, 1, MOST_BYTES - 1, in) > 0);
	fclose(in);
	return text;
}

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

void golden_check(const char *name, const char *suffix, const char *text)
{
	const char *mode = getenv("XFSCENSUS_GOLDEN"), *srcdir = getenv("top_srcdir");
	autofree char *path = NULL, *golden = NULL;

	assert_true(asprintf(&path, "%s/tests/golden/reports/%s.%s", srcdir ? srcdir : ".", name,
			    suffix) > 0);
	if (mode && !strcmp(mode, "write"))
		write_file(path, text);
	golden = read_file(path);
	assert_string_equal(text, golden);
}
