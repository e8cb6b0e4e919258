// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See rates.h. Rates become a calibration whose only run has read a thousand files of each class at
 * just these rates: what is made of a calibration can then be made of rates, and no model needs to
 * know of both.
 */
#include "analyzer/window/rates.h"

#include "base/cleanup.h"
#include "base/ini_file.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_FILES 1000
#define BIG_SHIFT    40 /* a sampled file has 1 TiB at most */
#define BLANKS       " \t"
#define SMALLEST     1e-12 /* of bytes a second and of seconds: beyond, sums would not be finite */
#define LARGEST      1e18

/* A number with its unit, in the base unit, by what it counts. */
struct unit {
	const char *name;
	double scale;
};

static const struct unit byte_units[] = {
	{"B", 1},
	{"KB", 1e3},
	{"kB", 1e3}, /* as the SI has it */
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"KiB", 0x1p10},
	{"MiB", 0x1p20},
	{"GiB", 0x1p30},
	{"TiB", 0x1p40},
};

static const struct unit time_units[] = {
	{"s", 1},
	{"ms", 1e-3},
	{"us", 1e-6},
	{"µs", 1e-6},      /* micro sign */
	{"\u03bcs", 1e-6}, /* Greek letter */
	{"ns", 1e-9},
};

/* --- Values ----------------------------------------------------------------------------------- */

/* Takes a number above 0, plain decimal in any locale, and the blanks around it. */
static bool take_number(const char **text, double *number)
{
	double place = 1;
	const char *p = *text + strspn(*text, BLANKS), *start = p;

	*number = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		*number = *number * 10 + (*p - '0');
	if (p == start)
		return false;
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++)
			*number += (*p - '0') * (place /= 10);
	}
	*text = p + strspn(p, BLANKS);
	return *number > 0 && isfinite(*number);
}

/* Takes a unit, "/" and @per, and the blanks after them. */
static bool take_unit(
	const char **text, const struct unit *units, size_t count, const char *per, double *scale)
{
	size_t length = strcspn(*text, "/" BLANKS);

	for (size_t i = 0; i < count; i++) {
		const char *rest = *text + length;

		if (strlen(units[i].name) != length || strncmp(units[i].name, *text, length) != 0)
			continue;
		rest += strspn(rest, BLANKS);
		if (*rest++ != '/')
			return false;
		rest += strspn(rest, BLANKS);
		if (strncmp(rest, per, strlen(per)) != 0)
			return false;
		rest += strlen(per);
		rest += strspn(rest, BLANKS);
		if (*rest && *rest != '+')
			return false;
		*scale = units[i].scale;
		*text = rest;
		return true;
	}
	return false;
}

/* A number and its unit, in the base unit; @text and @value stay as they are where it is none. */
static bool take_value(
	const char **text, const struct unit *units, size_t count, const char *per, double *value)
{
	const char *at = *text;
	double number, scale;

	if (!take_number(&at, &number) || !take_unit(&at, units, count, per, &scale) ||
		number * scale < SMALLEST || number * scale > LARGEST)
		return false;
	*value = number * scale;
	*text = at;
	return true;
}

/* "80 MB/s" in bytes a second. */
static bool take_rate(const char **text, double *bytes_per_second)
{
	return take_value(text, byte_units, ARRAY_LENGTH(byte_units), "s", bytes_per_second);
}

/* "1.2 ms/file" in seconds. */
static bool take_time(const char **text, const char *per, double *seconds)
{
	return take_value(text, time_units, ARRAY_LENGTH(time_units), per, seconds);
}

/* "40 MB/s", "1.2 ms/file", or both joined by "+". */
static bool parse_class_rate(const char *text, struct class_rate *rate)
{
	rate->seconds_per_file = 0;
	rate->bytes_per_second = INFINITY;
	for (;;) {
		if (!(isinf(rate->bytes_per_second) && take_rate(&text, &rate->bytes_per_second)) &&
			!(rate->seconds_per_file == 0 &&
				take_time(&text, "file", &rate->seconds_per_file)))
			return false;
		if (*text != '+')
			return !*text;
		text++;
	}
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* The classes below the edge that @text says. */
static bool parse_edge(const char *text, size_t length, unsigned *classes)
{
	char buffer[32];
	uint64_t bytes;

	while (length && strchr(BLANKS, text[length - 1]))
		length--;
	for (; length && strchr(BLANKS, *text); text++)
		length--;
	if (!length || length >= sizeof(buffer))
		return false;
	memcpy(buffer, text, length);
	buffer[length] = '\0';
	if (unit_parse_bytes(buffer, &bytes) || !bytes || bytes & (bytes - 1))
		return false;
	*classes = size_class_below(bytes);
	return true;
}

/* "below 4K", "4K-64K", "from 64K", "all": the classes from @first to before @end. */
static bool parse_sizes(const char *key, unsigned *first, unsigned *end)
{
	const char *dash = strchr(key, '-');

	*first = 0;
	*end = SIZE_CLASSES;
	if (!strcmp(key, "all"))
		return true;
	if (!strncmp(key, "below ", 6))
		return parse_edge(key + 6, strlen(key + 6), end);
	if (!strncmp(key, "from ", 5))
		return parse_edge(key + 5, strlen(key + 5), first);
	return dash && parse_edge(key, (size_t)(dash - key), first) &&
	       parse_edge(dash + 1, strlen(dash + 1), end) && *first < *end;
}

static int take_class_rate(struct rates *rates, const struct ini_setting *setting, struct err *err)
{
	struct class_rate rate = {.line = setting->line};
	unsigned first, end;

	if (!parse_sizes(setting->key, &first, &end))
		return ini_error(err, -EINVAL, setting,
			"\"below 4K\", \"4K-64K\", \"from 64K\" or \"all\" is wanted, with sizes "
			"that are powers of two");
	if (!parse_class_rate(setting->value, &rate))
		return ini_error(err, -EINVAL, setting,
			"\"%s\" is none of \"0.8 MB/s\", \"1.2 ms/file\", or both joined by \"+\"",
			setting->value);
	for (unsigned i = first; i < end; i++) {
		if (rates->classes[i].line)
			return ini_error(err, -EINVAL, setting,
				"line %u has a rate for some of these sizes already",
				rates->classes[i].line);
		rates->classes[i] = rate;
	}
	return 0;
}

static int take_pass(struct rates *rates, const struct ini_setting *setting, struct err *err)
{
	static const struct {
		const char *key;
		enum calibration_pass_kind pass;
		const char *per;
	} passes[] = {
		{"inode map", PASS_INODE_MAP, "inode"},
		{"inodes", PASS_INODES, "inode"},
		{"directories", PASS_DIRECTORIES, "directory"},
	};
	const char *value = setting->value;

	for (size_t i = 0; i < ARRAY_LENGTH(passes); i++) {
		double *seconds = &rates->pass_seconds[passes[i].pass];

		if (strcmp(passes[i].key, setting->key) != 0)
			continue;
		if (*seconds > 0)
			return ini_error(err, -EINVAL, setting, "it is there twice");
		if (take_time(&value, passes[i].per, seconds) && !*value)
			return 0;
		return ini_error(err, -EINVAL, setting, "\"%s\" is no time like \"7 us/%s\"",
			setting->value, passes[i].per);
	}
	return ini_error(
		err, -EINVAL, setting, "\"inode map\", \"inodes\" or \"directories\" is wanted");
}

static int take_sink(struct rates *rates, const struct ini_setting *setting, struct err *err)
{
	const char *value = setting->value;

	if (strcmp(setting->key, "rate") != 0)
		return ini_error(err, -EINVAL, setting, "\"rate\" is wanted");
	if (isfinite(rates->sink_bytes_per_second))
		return ini_error(err, -EINVAL, setting, "it is there twice");
	if (take_rate(&value, &rates->sink_bytes_per_second) && !*value)
		return 0;
	return ini_error(
		err, -EINVAL, setting, "\"%s\" is no rate like \"80 MB/s\"", setting->value);
}

static int take_setting(void *context, const struct ini_setting *setting, struct err *err)
{
	if (!strcmp(setting->section, "rates"))
		return setting->key ? take_class_rate(context, setting, err) : 0;
	if (!strcmp(setting->section, "metadata"))
		return setting->key ? take_pass(context, setting, err) : 0;
	if (!strcmp(setting->section, "sink"))
		return setting->key ? take_sink(context, setting, err) : 0;
	return ini_error(err, -EINVAL, setting,
		"%s none of the sections [rates], [metadata], [sink]",
		setting->key ? "it stands in" : "is");
}

/* --- Files ------------------------------------------------------------------------------------ */

static void begin(struct rates *rates)
{
	*rates = (struct rates){.sink_bytes_per_second = INFINITY};
}

/* That there is a rate for every size. */
static int check(const char *file, const struct rates *rates, struct err *err)
{
	char size[UNIT_TEXT_BYTES];

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		if (!rates->classes[i].line)
			return err_set(err, -EINVAL,
				"%s: [rates] has none for files of %s: cover all sizes from "
				"\"below …\" to \"from …\"",
				file, unit_format_bytes(size_class_low(i), size));
	}
	return 0;
}

int rates_read(const char *path, struct rates *rates, struct err *err)
{
	int rc;

	begin(rates);
	rc = ini_read_file(path, take_setting, rates, err);
	return rc ? rc : check(path, rates, err);
}

int rates_parse(
	const char *file, const char *text, size_t length, struct rates *rates, struct err *err)
{
	int rc;

	begin(rates);
	rc = ini_read_text(file, text, length, take_setting, rates, err);
	return rc ? rc : check(file, rates, err);
}

/* --- As a calibration ------------------------------------------------------------------------- */

static int add_class(
	struct calibration *calibration, unsigned size_class, const struct class_rate *rate)
{
	struct calibration_cell *cell = calibration_add_cell(calibration, 0, size_class);
	uint64_t bytes = size_class_low(size_class < BIG_SHIFT ? size_class : BIG_SHIFT);

	if (!cell)
		return -ENOMEM;
	cell->files = SAMPLE_FILES;
	cell->bytes = SAMPLE_FILES * bytes;
	cell->stream_bytes = SAMPLE_FILES * (bytes + KIB);
	cell->file_seconds = SAMPLE_FILES * rate->seconds_per_file;
	cell->data_seconds = (double)cell->stream_bytes / rate->bytes_per_second;
	return 0;
}

static int add_sink(struct calibration *calibration, double bytes_per_second)
{
	struct sink *sink = &calibration->sink;

	if (isinf(bytes_per_second))
		return 0;
	sink->kind = SINK_RATE;
	sink->bytes_per_second = bytes_per_second;
	return asprintf(&sink->spec, "rate:%.0f", ceil(bytes_per_second)) < 0 ? -ENOMEM : 0;
}

int rates_calibration(const struct rates *rates, const char *name, struct calibration *calibration)
{
	int rc = 0;

	*calibration = (struct calibration){.runs = 1, .runs_in_all = 1, .path = strdup(name)};
	if (!calibration->path)
		return -ENOMEM;
	for (unsigned i = 0; i < SIZE_CLASSES && !rc; i++)
		rc = add_class(calibration, i, &rates->classes[i]);
	for (int i = 0; i < CALIBRATION_PASSES; i++) {
		if (rates->pass_seconds[i] > 0)
			calibration->passes[i] = (struct calibration_pass){
				.kind = i,
				.units = UINT32_MAX,
				.seconds = rates->pass_seconds[i] * UINT32_MAX,
			};
	}
	return rc ? rc : add_sink(calibration, rates->sink_bytes_per_second);
}
