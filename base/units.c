// SPDX-License-Identifier: GPL-2.0-or-later
/* See units.h. Parsing is locale-free on purpose: options must mean the same everywhere. */
#include "base/units.h"

#include "base/checked.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Digits of a whole number. Moves @text past them. */
static int parse_digits(const char **text, uint64_t *number)
{
	const char *p = *text;
	uint64_t value = 0;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++) {
		if (!checked_mul_u64(value, 10, &value) ||
			!checked_add_u64(value, (uint64_t)(*p - '0'), &value))
			return -ERANGE;
	}
	*text = p;
	*number = value;
	return 0;
}

/* The digits after a decimal point as a fraction below 1. Moves @text past them. */
static int parse_fraction(const char **text, double *fraction)
{
	double place = 0.1;

	*fraction = 0;
	if (**text != '.')
		return 0;
	(*text)++;
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (; isdigit((unsigned char)**text); (*text)++, place /= 10)
		*fraction += (**text - '0') * place;
	return 0;
}

/* The power of @base that the letter at @text stands for; 0 if none. */
static uint64_t scale_of(char letter, const char *letters, uint64_t base)
{
	const char *found = letter ? strchr(letters, toupper((unsigned char)letter)) : NULL;
	uint64_t scale = 1;

	if (!found)
		return 0;
	for (long i = 0; i <= found - letters; i++)
		scale *= base;
	return scale;
}

int unit_parse_u64(const char *text, uint64_t *number)
{
	int rc = parse_digits(&text, number);

	return rc ? rc : *text ? -EINVAL : 0;
}

int unit_parse_count(const char *text, uint64_t *count)
{
	uint64_t scale;
	int rc = parse_digits(&text, count);

	if (rc || !*text)
		return rc;
	scale = scale_of(*text, "KMG", 1000);
	if (!scale || text[1])
		return -EINVAL;
	return checked_mul_u64(*count, scale, count) ? 0 : -ERANGE;
}

int unit_parse_bytes(const char *text, uint64_t *bytes)
{
	uint64_t scale;
	double fraction;
	int rc = parse_digits(&text, bytes);

	if (!rc)
		rc = parse_fraction(&text, &fraction);
	if (rc)
		return rc;
	scale = scale_of(*text, "KMGTPE", 1024);
	if (scale)
		text += text[1] == 'i' && text[2] == 'B' ? 3 : text[1] == 'B' ? 2 : 1;
	else
		scale = 1;
	if (*text || (fraction > 0 && scale == 1))
		return -EINVAL;
	if (!checked_mul_u64(*bytes, scale, bytes) ||
		!checked_add_u64(*bytes, (uint64_t)(fraction * (double)scale), bytes))
		return -ERANGE;
	return 0;
}

/* One "NUMBER UNIT" of a duration in seconds; @alone says that no unit means seconds. */
static int parse_term(const char **text, bool alone, double *seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"min", 60}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
	uint64_t whole;
	double fraction;
	int rc = parse_digits(text, &whole);

	if (!rc)
		rc = parse_fraction(text, &fraction);
	if (rc)
		return rc;
	*seconds = (double)whole + fraction;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].name);

		if (!strncmp(*text, units[i].name, length)) {
			*text += length;
			*seconds *= units[i].seconds;
			return 0;
		}
	}
	return alone && !**text ? 0 : -EINVAL;
}

int unit_parse_seconds(const char *text, double *seconds)
{
	bool alone = true;

	*seconds = 0;
	do {
		double term;
		int rc = parse_term(&text, alone, &term);

		if (rc)
			return rc;
		*seconds += term;
		alone = false;
	} while (*text);
	return 0;
}

/* @value with at most three significant digits and @unit. */
static const char *format_scaled(double value, const char *unit, char *out)
{
	int decimals = value < 9.95 ? 1 : 0;

	snprintf(out, UNIT_TEXT_BYTES, "%.*f %s", decimals, value, unit);
	return out;
}

const char *unit_format_bytes(uint64_t bytes, char out[UNIT_TEXT_BYTES])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	size_t unit = 0;

	if (bytes < 1000) {
		snprintf(out, UNIT_TEXT_BYTES, "%u B", (unsigned)bytes);
		return out;
	}
	if (bytes == INT64_MAX) {
		snprintf(out, UNIT_TEXT_BYTES, "≥ 8 EiB");
		return out;
	}
	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1024;
		unit++;
	}
	if (value < 10 && value == floor(value))
		snprintf(out, UNIT_TEXT_BYTES, "%.0f %s", value, units[unit]);
	else
		format_scaled(value, units[unit], out);
	return out;
}

const char *unit_format_count(uint64_t count, char out[UNIT_TEXT_BYTES])
{
	static const char *const units[] = {"k", "M", "G", "T", "P", "E"};
	double value = (double)count / 1000;
	size_t unit = 0;

	if (count < 1000) {
		snprintf(out, UNIT_TEXT_BYTES, "%u", (unsigned)count);
	} else if (count < 10000) {
		snprintf(out, UNIT_TEXT_BYTES, "%u %03u", (unsigned)(count / 1000),
			(unsigned)(count % 1000));
	} else {
		for (; value >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
			value /= 1000;
		snprintf(out, UNIT_TEXT_BYTES, "%.1f %s", value, units[unit]);
	}
	return out;
}

const char *unit_format_seconds(double seconds, char out[UNIT_TEXT_BYTES])
{
	double minutes = floor(seconds / 60 + 0.5), hours = floor(seconds / 3600 + 0.5);

	if (!(seconds >= 0) || seconds > 1e12)
		snprintf(out, UNIT_TEXT_BYTES, "%s", seconds > 1e12 ? "for ever" : "unknown");
	else if (seconds > 0 && seconds < 0.0000095)
		snprintf(out, UNIT_TEXT_BYTES, "<10 µs");
	else if (seconds > 0 && seconds < 0.0009995)
		snprintf(out, UNIT_TEXT_BYTES, "%.0f µs", seconds * 1e6);
	else if (seconds > 0 && seconds < 0.0995)
		snprintf(out, UNIT_TEXT_BYTES, "%.*f ms", seconds < 0.00995, seconds * 1e3);
	else if (seconds < 9.95)
		snprintf(out, UNIT_TEXT_BYTES, "%.1f s", seconds);
	else if (seconds < 119.5)
		snprintf(out, UNIT_TEXT_BYTES, "%.0f s", seconds);
	else if (floor(seconds + 0.5) < 3600)
		snprintf(out, UNIT_TEXT_BYTES, "%.0f min %02.0f", floor(floor(seconds + 0.5) / 60),
			fmod(floor(seconds + 0.5), 60));
	else if (hours < 48)
		snprintf(out, UNIT_TEXT_BYTES, "%.0f h %02.0f", floor(minutes / 60),
			fmod(minutes, 60));
	else
		snprintf(out, UNIT_TEXT_BYTES, "%.0f d %.0f h", floor(hours / 24), fmod(hours, 24));
	return out;
}

const char *unit_format_rate(double bytes_per_second, char out[UNIT_TEXT_BYTES])
{
	static const char *const units[] = {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"};
	size_t unit = 0;

	for (; bytes_per_second >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		bytes_per_second /= 1000;
	return format_scaled(bytes_per_second, units[unit], out);
}

const char *unit_format_share(double part, double whole, char out[UNIT_TEXT_BYTES])
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	if (percent > 0 && percent < 1)
		snprintf(out, UNIT_TEXT_BYTES, "<1 %%");
	else if (percent < 100 && percent > 99)
		snprintf(out, UNIT_TEXT_BYTES, ">99 %%");
	else
		snprintf(out, UNIT_TEXT_BYTES, "%.0f %%", percent);
	return out;
}
