// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "cli/names.h"

#include <errno.h>
#include <stdlib.h>

static void root_has_a_name_and_a_stranger_none(void **state)
{
	char *name = names_lookup(OWNER_USER, 0, NULL);

	(void)state;
	assert_string_equal(name, "root");
	free(name);
	name = names_lookup(OWNER_GROUP, 0, NULL);
	assert_string_equal(name, "root");
	free(name);
	assert_null(names_lookup(OWNER_USER, 4000000001U, NULL));
	assert_null(names_lookup(OWNER_PROJECT, 4000000001U, NULL));
}

static void users_are_named_or_numbered(void **state)
{
	struct err err = {0};
	uint32_t uid = 1;

	(void)state;
	assert_int_equal(names_parse_user("root", &uid, &err), 0);
	assert_int_equal(uid, 0);
	assert_int_equal(names_parse_user("4294967295", &uid, &err), 0);
	assert_true(uid == UINT32_MAX);
	assert_int_equal(names_parse_user("4294967296", &uid, &err), -EINVAL);
	assert_string_equal(err.message, "--user: there is no user \"4294967296\"");
}

static void owners_of_all_kinds_are_found(void **state)
{
	uint32_t id = 1;

	(void)state;
	assert_int_equal(names_find(OWNER_GROUP, "root", &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(names_find(OWNER_PROJECT, "17", &id), 0);
	assert_int_equal(id, 17);
	assert_int_equal(names_find(OWNER_GROUP, "no such group", &id), -ENOENT);
	assert_int_equal(names_find(OWNER_PROJECT, "", &id), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_has_a_name_and_a_stranger_none),
		cmocka_unit_test(users_are_named_or_numbered),
		cmocka_unit_test(owners_of_all_kinds_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
