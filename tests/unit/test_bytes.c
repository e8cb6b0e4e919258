// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void check_escape(const char *bytes, size_t length, const char *expected)
{
	char *text = bytes_escape(bytes, length);
	size_t back_length;
	char *back;

	assert_non_null(text);
	assert_string_equal(text, expected);
	back = bytes_unescape(text, &back_length);
	assert_non_null(back);
	assert_int_equal(back_length, length);
	assert_memory_equal(back, bytes, length);
	free(back);
	free(text);
}

static void printable_text_stands_for_itself(void **state)
{
	(void)state;
	check_escape("", 0, "");
	check_escape("plain name", 10, "plain name");
	check_escape("\xc3\xa9t\xc3\xa9", 5, "\xc3\xa9t\xc3\xa9");
	check_escape("\xf0\x9f\x93\x81", 4, "\xf0\x9f\x93\x81");
}

static void what_acts_on_a_terminal_is_escaped(void **state)
{
	(void)state;
	check_escape("a\nb", 3, "a\\x0ab");
	check_escape("\x1b[2J", 4, "\\x1b[2J");
	check_escape("\x7f", 1, "\\x7f");
	check_escape("\xc2\x9b", 2, "\\xc2\\x9b");
	check_escape("\xe2\x80\xae"
		     "cod",
		6,
		"\\xe2\\x80\\xae"
		"cod");
	check_escape("\xd8\x9c", 2, "\\xd8\\x9c");                   /* Arabic letter mark */
	check_escape("\xe2\x81\xa7", 3, "\\xe2\\x81\\xa7");          /* right-to-left isolate */
	check_escape("\xf3\xa0\x81\x81", 4, "\\xf3\\xa0\\x81\\x81"); /* a tag */
	check_escape("\xc2\xad", 2, "\\xc2\\xad");                   /* soft hyphen */
	check_escape("a\0b", 3, "a\\x00b");
	check_escape("\\x41", 4, "\\\\x41");
}

static void malformed_utf8_is_escaped_byte_by_byte(void **state)
{
	(void)state;
	check_escape("\xff", 1, "\\xff");
	check_escape("\xc0\xaf", 2, "\\xc0\\xaf");
	check_escape("\xe0\x80\x80", 3, "\\xe0\\x80\\x80");
	check_escape("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
	check_escape("\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80");
	check_escape("\xe2\x82", 2, "\\xe2\\x82");
	check_escape("\xc3"
		     "a",
		2,
		"\\xc3"
		"a");
}

/* Every byte string has its own text and comes back from it. */
static void random_bytes_come_back(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char bytes[24], *text, *back;
		size_t length = (size_t)rand_r(&seed) % sizeof(bytes), back_length;

		for (size_t i = 0; i < length; i++)
			bytes[i] = (char)rand_r(&seed);
		text = bytes_escape(bytes, length);
		back = bytes_unescape(text, &back_length);
		assert_int_equal(back_length, length);
		assert_memory_equal(back, bytes, length);
		free(text);
		free(back);
	}
}

static void text_made_printable_keeps_its_backslashes(void **state)
{
	char *text = bytes_printable("\\x41 \x1b[2J \xff");

	(void)state;
	assert_string_equal(text, "\\x41 \\x1b[2J \\xff");
	free(text);
}

static void foreign_escapes_are_refused(void **state)
{
	static const char *const bad[] = {"\\", "\\n", "\\x", "\\x4", "\\x4G", "\\xAB", "a\\"};
	size_t length;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_null(bytes_unescape(bad[i], &length));
		assert_int_equal(errno, EINVAL);
	}
}

/* Each byte, in each place of names around the eight bytes that are looked at together. */
static void a_name_has_neither_slash_nor_nul(void **state)
{
	char name[26];

	(void)state;
	assert_false(bytes_are_name("", 0));
	for (size_t length = 1; length < sizeof(name); length++) {
		for (size_t at = 0; at < length; at++) {
			for (int byte = 0; byte < 256; byte++) {
				memset(name, '/', sizeof(name));
				memset(name, 'x', length);
				name[at] = (char)byte;
				assert_int_equal(bytes_are_name(name, length), byte && byte != '/');
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printable_text_stands_for_itself),
		cmocka_unit_test(what_acts_on_a_terminal_is_escaped),
		cmocka_unit_test(malformed_utf8_is_escaped_byte_by_byte),
		cmocka_unit_test(random_bytes_come_back),
		cmocka_unit_test(text_made_printable_keeps_its_backslashes),
		cmocka_unit_test(foreign_escapes_are_refused),
		cmocka_unit_test(a_name_has_neither_slash_nor_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
