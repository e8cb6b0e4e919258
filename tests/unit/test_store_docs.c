// SPDX-License-Identifier: GPL-2.0-or-later
/* docs/schema.md and the views agree, and every query in it runs. */
#include "tests/unit/store_support.h"

#include <fcntl.h>
#include <sqlite3.h>

#define DOCUMENT_BYTES 65536

static char document[DOCUMENT_BYTES];
static sqlite3 *db;

static int setup(void **state)
{
	const char *top = getenv("top_srcdir");
	char path[PATH_BYTES];
	ssize_t bytes;
	int fd;

	if (support_setup(state))
		return -1;
	snprintf(path, sizeof(path), "%s/docs/schema.md", top ? top : ".");
	fd = open(path, O_RDONLY);
	bytes = fd < 0 ? -1 : read(fd, document, sizeof(document) - 1);
	close(fd);
	make_database(in_folder("docs.db"), 300);
	return bytes <= 0 || sqlite3_open(in_folder("docs.db"), &db) != SQLITE_OK;
}

static int teardown(void **state)
{
	sqlite3_close(db);
	return support_teardown(state);
}

static sqlite3_stmt *prepare(const char *text, int bytes, const char **rest)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, text, bytes, &statement, rest) != SQLITE_OK)
		fail_msg("%s: %.60s", sqlite3_errmsg(db), text);
	return statement;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
	return (const char *)sqlite3_column_text(statement, column);
}

/* The part of the document about @view: from its heading to the next one. */
static const char *section_of(const char *view, size_t *bytes)
{
	char heading[128];
	const char *start, *end;

	snprintf(heading, sizeof(heading), "### %s\n", view);
	start = strstr(document, heading);
	if (!start) {
		fail_msg("docs/schema.md has no heading for %s", view);
		return NULL;
	}
	end = strstr(start + 1, "\n#");
	*bytes = end ? (size_t)(end - start) : strlen(start);
	return start;
}

static size_t rows_of_table(const char *section, size_t bytes)
{
	const char *end = section + bytes;
	size_t rows = 0;

	for (const char *at = section; (at = memmem(at, (size_t)(end - at), "\n| `", 4)); at++)
		rows++;
	return rows;
}

/* Every column of a view is a row of its section, and no other row is there. */
static void assert_documented(const char *view)
{
	size_t bytes = 0, columns = 0;
	const char *section = section_of(view, &bytes);
	char row[128];
	sqlite3_stmt *info;

	snprintf(row, sizeof(row), "SELECT name FROM pragma_table_info('%s')", view);
	info = prepare(row, -1, NULL);
	for (; sqlite3_step(info) == SQLITE_ROW; columns++) {
		snprintf(row, sizeof(row), "\n| `%s` |", text_at(info, 0));
		if (!memmem(section, bytes, row, strlen(row)))
			fail_msg("%s.%s is not in docs/schema.md", view, text_at(info, 0));
	}
	sqlite3_finalize(info);
	assert_true(columns > 0);
	assert_int_equal(rows_of_table(section, bytes), columns);
}

static void every_column_is_documented(void **state)
{
	sqlite3_stmt *views =
		prepare("SELECT name FROM sqlite_master WHERE type = 'view'", -1, NULL);
	size_t count = 0;

	(void)state;
	for (; sqlite3_step(views) == SQLITE_ROW; count++)
		assert_documented(text_at(views, 0));
	sqlite3_finalize(views);
	assert_int_equal(count, 19);
}

static void every_view_is_real(void **state)
{
	(void)state;
	for (const char *at = document; (at = strstr(at, "\n### v_")); at++) {
		char text[128];
		sqlite3_stmt *statement;

		snprintf(text, sizeof(text), "SELECT * FROM %.*s", (int)strcspn(at + 5, "\n"),
			at + 5);
		statement = prepare(text, -1, NULL);
		assert_true(sqlite3_step(statement) != SQLITE_ERROR);
		sqlite3_finalize(statement);
	}
}

/* Runs the statements of a block; the number of those that gave a row. */
static size_t run_block(const char *text, size_t bytes)
{
	const char *end = text + bytes;
	size_t answered = 0;

	while (text < end) {
		sqlite3_stmt *statement = prepare(text, (int)(end - text), &text);
		int rc = statement ? sqlite3_step(statement) : SQLITE_DONE;

		answered += rc == SQLITE_ROW;
		assert_true(rc == SQLITE_ROW || rc == SQLITE_DONE);
		sqlite3_finalize(statement);
	}
	return answered;
}

static void every_query_runs(void **state)
{
	size_t blocks = 0;

	(void)state;
	for (const char *at = document; (at = strstr(at, "\n```sql\n")); blocks++) {
		const char *start = at + strlen("\n```sql\n");
		const char *end = strstr(start, "\n```");

		assert_non_null(end);
		if (!run_block(start, (size_t)(end - start)))
			fail_msg("no answer to %.*s", (int)(end - start), start);
		at = end;
	}
	assert_true(blocks >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column_is_documented),
		cmocka_unit_test(every_view_is_real),
		cmocka_unit_test(every_query_runs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
