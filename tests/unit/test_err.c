// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

static void first_error_wins(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_set(&err, -ENOENT, "no %s", "file"), -ENOENT);
	assert_int_equal(err_set(&err, -EIO, "later"), -ENOENT);
	assert_string_equal(err.message, "no file");
}

static void errno_text_is_appended(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_set_errno(&err, -EACCES, "/x"), -EACCES);
	assert_string_equal(err.message, "/x: Permission denied");
}

static void the_reason_outlives_a_long_text(void **state)
{
	char text[2 * ERR_MESSAGE_BYTES];
	struct err err = {0};

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(err_set_errno(&err, -ENOENT, "%s", text), -ENOENT);
	assert_non_null(strstr(err.message, "a…: No such file or directory"));
	assert_true(strlen(err.message) < ERR_MESSAGE_BYTES);
}

static void prefix_goes_before(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_prefix(&err, "nothing yet"), 0);
	err_set(&err, -EIO, "block 7");
	assert_int_equal(err_prefix(&err, "AG %d", 3), -EIO);
	assert_string_equal(err.message, "AG 3: block 7");
	err_clear(&err);
	assert_int_equal(err.code, 0);
}

static void null_err_keeps_the_code(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -EPERM, "unheard"), -EPERM);
	assert_int_equal(err_set_errno(NULL, -EPERM, "unheard"), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_error_wins),
		cmocka_unit_test(errno_text_is_appended),
		cmocka_unit_test(the_reason_outlives_a_long_text),
		cmocka_unit_test(prefix_goes_before),
		cmocka_unit_test(null_err_keeps_the_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
