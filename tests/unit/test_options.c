// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/cleanup.h"
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct args {
	struct common_args common;
	bool flag;
	const char *text;
	uint64_t count;
	uint64_t size;
	double seconds;
	double share;
	int choice;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct option_spec options[] = {
	{.name = "flag", .type = OPTION_FLAG, .offset = offsetof(struct args, flag)},
	{.name = "text",
		.type = OPTION_TEXT,
		.offset = offsetof(struct args, text),
		.value = "TEXT"},
	{.name = "count",
		.type = OPTION_COUNT,
		.offset = offsetof(struct args, count),
		.value = "N",
		.min = 1,
		.max = 1000},
	{.name = "size",
		.type = OPTION_BYTES,
		.offset = offsetof(struct args, size),
		.value = "SIZE"},
	{.name = "time",
		.type = OPTION_SECONDS,
		.offset = offsetof(struct args, seconds),
		.value = "TIME"},
	{.name = "share",
		.type = OPTION_PERCENT,
		.offset = offsetof(struct args, share),
		.value = "PERCENT"},
	{.name = "choice",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct args, choice),
		.value = "red|green",
		.choices = colours},
	{0},
};

/* Parses a line of words; getopt reorders the array, which is the test's own. */
static int parse(const char *line, struct args *args, char ***operands, int *count, struct err *err)
{
	static char copy[256], *argv[20];
	char *rest = copy, *word;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	memset(args, 0, sizeof(*args));
	memset(err, 0, sizeof(*err));
	while ((word = strsep(&rest, " ")))
		argv[argc++] = word;
	argv[argc] = NULL;
	return options_parse(options, args, argc, argv, operands, count, err);
}

static void options_and_operands_mix(void **state)
{
	struct args args;
	struct err err;
	char **operands;
	int count;

	(void)state;
	assert_int_equal(parse("cmd one --flag --count=7 two --size=4K --time=1h30m --choice green "
			       "--text=x --db=/d --format=json",
				 &args, &operands, &count, &err),
		0);
	assert_int_equal(count, 2);
	assert_string_equal(operands[0], "one");
	assert_string_equal(operands[1], "two");
	assert_null(operands[2]);
	assert_true(args.flag);
	assert_int_equal(args.count, 7);
	assert_int_equal(args.size, 4096);
	assert_int_equal((int)args.seconds, 5400);
	assert_int_equal(args.choice, 1);
	assert_string_equal(args.text, "x");
	assert_string_equal(args.common.db, "/d");
	assert_int_equal(args.common.format, FORMAT_JSON);
}

static void per_cent(void **state)
{
	struct args args;
	struct err err;
	char **operands;
	int count;

	(void)state;
	assert_int_equal(parse("cmd --share=0.5", &args, &operands, &count, &err), 0);
	assert_float_equal(args.share, 0.005, 1e-12);
	assert_int_equal(parse("cmd --share=100%", &args, &operands, &count, &err), 0);
	assert_float_equal(args.share, 1, 1e-12);
}

static void two_dashes_end_the_options(void **state)
{
	struct args args;
	struct err err;
	char **operands;
	int count;

	(void)state;
	assert_int_equal(parse("cmd -- --flag", &args, &operands, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_string_equal(operands[0], "--flag");
	assert_false(args.flag);
}

static void wrong_usage_has_one_clear_message(void **state)
{
	static const struct {
		const char *line;
		const char *message;
	} wrong[] = {
		{"cmd --nonsense", "there is no option \"--nonsense\""},
		{"cmd --nonsense=3", "there is no option \"--nonsense\""},
		{"cmd -x", "there is no option \"-x\""},
		{"cmd --count", "--count wants a value: --count=N"},
		{"cmd --flag=yes", "--flag takes no value"},
		{"cmd --count=x", "--count: \"x\" is not a count such as 20 or 10k"},
		{"cmd --count=0", "--count: 0 is not in the range 1 to 1000"},
		{"cmd --count=1001", "--count: 1001 is not in the range 1 to 1000"},
		{"cmd --count=-1", "--count: \"-1\" is not a count such as 20 or 10k"},
		{"cmd --count=99999999999999999999", "--count: 99999999999999999999 is not in the "
						     "range 1 to 1000"},
		{"cmd --size=4Q", "--size: \"4Q\" is not a size such as 4096, 4K or 1.5G"},
		{"cmd --time=soon", "--time: \"soon\" is not a duration such as 90s or 1h30m"},
		{"cmd --share=0", "--share: \"0\" is not a percentage above 0 and up to 100, such "
				  "as 0.5"},
		{"cmd --share=nan", "--share: \"nan\" is not a percentage above 0 and up to 100, "
				    "such as 0.5"},
		{"cmd --share=5%%", "--share: \"5%%\" is not a percentage above 0 and up to 100, "
				    "such as 0.5"},
		{"cmd --choice=blue", "--choice: \"blue\" is none of red|green"},
		{"cmd --text=", "--text: an empty TEXT"},
		{"cmd --format=xml", "--format: \"xml\" is none of text|json|csv|html"},
	};
	struct args args;
	struct err err;
	char **operands;
	int count;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		assert_int_equal(parse(wrong[i].line, &args, &operands, &count, &err), -EINVAL);
		assert_string_equal(err.message, wrong[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_and_operands_mix),
		cmocka_unit_test(per_cent),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(wrong_usage_has_one_clear_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
