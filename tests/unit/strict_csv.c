// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/strict_csv.h"

#include <stdlib.h>
#include <string.h>

/* Reads a cell from @in into @out; both move on. Returns 0 or -1. */
static int read_cell(const char **in, char **out)
{
	const char *p = *in;
	char *to = *out;

	if (*p == '"') {
		for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
			p += *p == '"';
			*to++ = *p;
		}
		if (*p++ != '"')
			return -1;
	} else {
		while (*p && !strchr(",\r\n\"", *p))
			*to++ = *p++;
	}
	*to++ = '\0';
	*in = p;
	*out = to;
	return 0;
}

/* Reads a row and its CRLF. Returns its cells, 0 if it is no row. */
static size_t read_row(const char **in, char **out, char **cells, size_t room)
{
	for (size_t count = 0; count < room; (*in)++) {
		cells[count++] = *out;
		if (read_cell(in, out))
			return 0;
		if (**in == ',')
			continue;
		if (strncmp(*in, "\r\n", 2))
			return 0;
		*in += 2;
		return count;
	}
	return 0;
}

int strict_csv_read(const char *text, struct strict_csv *csv)
{
	char *out = malloc(2 * strlen(text) + 2);

	*csv = (struct strict_csv){.text = out};
	while (out && *text) {
		size_t used = csv->rows * csv->columns;
		size_t cells = read_row(&text, &out, csv->cells + used, CSV_MAX_CELLS - used);

		if (!cells || (csv->rows && cells != csv->columns))
			return -1;
		csv->columns = cells;
		csv->rows++;
	}
	return csv->rows ? 0 : -1;
}

void strict_csv_fini(struct strict_csv *csv)
{
	free(csv->text);
}
