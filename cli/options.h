/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as a table: one entry feeds the parser, the help text and the manual page.
 *
 * A command keeps its arguments in a struct of its own whose first member is a struct
 * common_args; an entry says where in that struct its value goes.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_FLAG,    /* bool: set by its presence */
	OPTION_TEXT,    /* const char *: points into argv */
	OPTION_COUNT,   /* uint64_t: digits, k M G as powers of 1000 */
	OPTION_BYTES,   /* uint64_t: digits, K M G T P E as powers of 1024 */
	OPTION_SECONDS, /* double: "90s", "8h", "1h30m" */
	OPTION_PERCENT, /* double, a share: "0.5" or "0.5%"; above 0, up to 100 */
	OPTION_CHOICE,  /* int: index into choices */
	OPTION_TEXTS,   /* struct option_texts: may be given several times */
};

/* What an option was given as, in order; into argv. */
#define OPTION_TEXTS_MAX 16

struct option_texts {
	size_t count;
	const char *items[OPTION_TEXTS_MAX];
};

/* The default of an OPTION_COUNT for which every number means something. */
#define OPTION_NOT_GIVEN UINT64_MAX

struct option_spec {
	const char *name; /* without the dashes; NULL ends a table */
	enum option_type type;
	size_t offset;              /* of the value in the command's arguments */
	const char *value;          /* what stands after '=' in help: "FILE"; NULL for a flag */
	const char *help;           /* what it does, one sentence without full stop */
	const char *const *choices; /* OPTION_CHOICE: the words, NULL-terminated */
	uint64_t min;               /* OPTION_COUNT, OPTION_BYTES: smallest value allowed */
	uint64_t max;               /* largest value allowed; 0 for no bound */
	bool hidden;                /* for tests and experts: left out of --help */
};

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML, FORMAT_OPENMETRICS };

/* What every command understands. */
struct common_args {
	const char *db;     /* NULL: the default place */
	int format;         /* enum output_format */
	const char *output; /* NULL: standard output, also where "-" was given */
	bool bytes;         /* exact numbers in text */
	bool quiet;         /* no progress, no notes */
	bool help;
};

extern const struct option_spec common_options[];

/*
 * Whether a command's own table has an entry of that name too; it then takes the place of the
 * common one, for a command that takes more there than others.
 */
bool option_is_replaced(const struct option_spec *options, const char *name);

/*
 * Parses argv[1…] by @options and common_options into @args, wherever options and operands stand;
 * "--" ends the options. Sets *@operands to the first operand in the permuted argv and *@count to
 * their number. Returns 0, or -EINVAL with a message that names the option and what it takes.
 */
int options_parse(const struct option_spec *options, void *args, int argc, char **argv,
	char ***operands, int *count, struct err *err);

#endif
