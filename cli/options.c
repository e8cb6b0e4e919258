// SPDX-License-Identifier: GPL-2.0-or-later
/* See options.h. getopt_long() finds the options; the table gives the values their types. */
#include "cli/options.h"

#include "base/units.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 64

static const char *const format_names[] = {"text", "json", "csv", "html", NULL};

const struct option_spec common_options[] = {
	{.name = "db",
		.type = OPTION_TEXT,
		.offset = offsetof(struct common_args, db),
		.value = "FILE",
		.help = "the database of scans"},
	{.name = "format",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct common_args, format),
		.value = "text|json|csv|html",
		.choices = format_names,
		.help = "how to write the result"},
	{.name = "output",
		.type = OPTION_TEXT,
		.offset = offsetof(struct common_args, output),
		.value = "FILE",
		.help = "write the result there, whole or not at all, instead of to standard "
			"output, which is also -"},
	{.name = "bytes",
		.type = OPTION_FLAG,
		.offset = offsetof(struct common_args, bytes),
		.help = "text: exact numbers in tables instead of rounded ones"},
	{.name = "quiet",
		.type = OPTION_FLAG,
		.offset = offsetof(struct common_args, quiet),
		.help = "no progress line and no notes"},
	{.name = "help",
		.type = OPTION_FLAG,
		.offset = offsetof(struct common_args, help),
		.help = "show this help"},
	{0},
};

bool option_is_replaced(const struct option_spec *options, const char *name)
{
	for (; options && options->name; options++) {
		if (!strcmp(options->name, name))
			return true;
	}
	return false;
}

/* Both tables as one list, the command's first as it goes before, and as getopt_long() wants it. */
struct parser {
	const struct option_spec *specs[MAX_OPTIONS];
	struct option longs[MAX_OPTIONS + 1];
	int count;
};

static void parser_add(struct parser *parser, const struct option_spec *table)
{
	for (; table && table->name && parser->count < MAX_OPTIONS; table++) {
		parser->specs[parser->count] = table;
		parser->longs[parser->count++] = (struct option){
			.name = table->name,
			.has_arg = table->type == OPTION_FLAG ? no_argument : required_argument,
		};
	}
}

static int set_choice(const struct option_spec *spec, int *value, const char *text, struct err *err)
{
	for (int i = 0; spec->choices[i]; i++) {
		if (!strcmp(spec->choices[i], text)) {
			*value = i;
			return 0;
		}
	}
	return err_set(
		err, -EINVAL, "--%s: \"%.100s\" is none of %s", spec->name, text, spec->value);
}

static int set_number(
	const struct option_spec *spec, uint64_t *value, const char *text, struct err *err)
{
	bool bytes = spec->type == OPTION_BYTES;
	uint64_t max = spec->max ? spec->max : UINT64_MAX;
	int rc = bytes ? unit_parse_bytes(text, value) : unit_parse_count(text, value);

	if (rc == -EINVAL)
		return err_set(err, rc, "--%s: \"%.100s\" is not a %s", spec->name, text,
			bytes ? "size such as 4096, 4K or 1.5G" : "count such as 20 or 10k");
	if (rc || *value < spec->min || *value > max)
		return err_set(err, -EINVAL, "--%s: %.100s is not in the range %llu to %llu",
			spec->name, text, (unsigned long long)spec->min, (unsigned long long)max);
	return 0;
}

static int set_percent(
	const struct option_spec *spec, double *share, const char *text, struct err *err)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || strcmp(end, *end == '%' ? "%" : "") != 0 || !(percent > 0) ||
		percent > 100)
		return err_set(err, -EINVAL,
			"--%s: \"%.100s\" is not a percentage above 0 and up to 100, such as 0.5",
			spec->name, text);
	*share = percent / 100;
	return 0;
}

static int add_text(const struct option_spec *spec, struct option_texts *texts, const char *text,
	struct err *err)
{
	if (!*text)
		return err_set(err, -EINVAL, "--%s: an empty %s", spec->name, spec->value);
	if (texts->count == OPTION_TEXTS_MAX)
		return err_set(err, -EINVAL, "--%s: no more than %d of them", spec->name,
			OPTION_TEXTS_MAX);
	texts->items[texts->count++] = text;
	return 0;
}

static int set_value(const struct option_spec *spec, void *args, const char *text, struct err *err)
{
	void *value = (char *)args + spec->offset;

	switch (spec->type) {
	case OPTION_FLAG:
		*(bool *)value = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)value = text;
		return *text ? 0
			     : err_set(err, -EINVAL, "--%s: an empty %s", spec->name, spec->value);
	case OPTION_COUNT:
	case OPTION_BYTES:
		return set_number(spec, value, text, err);
	case OPTION_SECONDS:
		if (unit_parse_seconds(text, value))
			return err_set(err, -EINVAL,
				"--%s: \"%.100s\" is not a duration such as 90s or 1h30m",
				spec->name, text);
		return 0;
	case OPTION_PERCENT:
		return set_percent(spec, value, text, err);
	case OPTION_CHOICE:
		return set_choice(spec, value, text, err);
	case OPTION_TEXTS:
		return add_text(spec, value, text, err);
	}
	return -EINVAL;
}

/* What getopt_long() did not like: the argument before optind. */
static int bad_option(const struct parser *parser, int argc, char **argv, struct err *err)
{
	const char *bad = optind > 0 && optind <= argc ? argv[optind - 1] : "?";
	size_t length = strcspn(bad, "=");

	if (optopt)
		return err_set(err, -EINVAL, "there is no option \"-%c\"", optopt);
	for (int i = 0; i < parser->count && !strncmp(bad, "--", 2); i++) {
		if (strncmp(parser->specs[i]->name, bad + 2, length - 2) ||
			parser->specs[i]->name[length - 2])
			continue;
		if (parser->specs[i]->type == OPTION_FLAG)
			return err_set(err, -EINVAL, "%.*s takes no value", (int)length, bad);
		return err_set(err, -EINVAL, "%s wants a value: --%s=%s", bad,
			parser->specs[i]->name, parser->specs[i]->value);
	}
	return err_set(
		err, -EINVAL, "there is no option \"%.*s\"", length < 100 ? (int)length : 100, bad);
}

/* "-" is standard output, as with other programs, and no file of that name. */
static void replace_dash(struct common_args *common)
{
	if (common->output && !strcmp(common->output, "-"))
		common->output = NULL;
}

int options_parse(const struct option_spec *options, void *args, int argc, char **argv,
	char ***operands, int *count, struct err *err)
{
	struct parser parser = {0};
	int index, found;

	parser_add(&parser, options);
	parser_add(&parser, common_options);
	opterr = 0;
	optind = 0;
	while ((found = getopt_long(argc, argv, "h", parser.longs, &index)) != -1) {
		if (found == 'h')
			((struct common_args *)args)->help = true;
		else if (found)
			return bad_option(&parser, argc, argv, err);
		else if (set_value(parser.specs[index], args, optarg, err))
			return err->code;
	}
	replace_dash(args);
	*operands = argv + optind;
	*count = argc - optind;
	return 0;
}
