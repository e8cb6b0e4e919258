// SPDX-License-Identifier: GPL-2.0-or-later
/* See sparkline.h. */
#include "reports/sparkline.h"

#include <math.h>
#include <stdio.h>

/* Less of a change than this share of the value is shown as none. */
#define LEAST_CHANGE 0.01

/* The column of @point among @columns. */
static size_t column_of(
	const struct forecast_point *points, size_t count, size_t columns, size_t point)
{
	double span = points[count - 1].seconds - points[0].seconds;
	double part = span > 0 ? (points[point].seconds - points[0].seconds) / span : 0;
	double column = part * (double)columns;

	return column < (double)columns ? (size_t)fmax(column, 0) : columns - 1;
}

static const char *block(double value, double low, double high)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double part = high > low ? (value - low) / (high - low) : 0; /* flat: nothing changed */

	return blocks[(size_t)(part * 7 + 0.5)];
}

const char *sparkline(const struct forecast_point *points, size_t count, char out[SPARKLINE_BYTES])
{
	size_t columns = count < SPARKLINE_COLUMNS ? count : SPARKLINE_COLUMNS, point = 0, used = 0;
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		low = fmin(low, points[i].value);
		high = fmax(high, points[i].value);
	}
	if (high - low < LEAST_CHANGE * fabs(high))
		high = low;
	out[0] = '\0';
	for (size_t column = 0; column < columns; column++) {
		const char *text = " ";

		while (point < count && column_of(points, count, columns, point) <= column)
			text = block(points[point++].value, low, high);
		used += (size_t)snprintf(out + used, SPARKLINE_BYTES - used, "%s", text);
	}
	return out;
}
