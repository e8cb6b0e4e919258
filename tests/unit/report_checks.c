// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "base/bytes.h"
#include "base/cleanup.h"
#include "tests/unit/report_checks.h"
#include "tests/unit/strict_csv.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *report_text(report_fn make, const struct fixture *fixture, struct render_options options)
{
	struct document document;
	struct err err = {0};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(make(&fixture->input, &document, &err), 0);
	assert_int_equal(render_document(&document, &options, out), 0);
	document_fini(&document);
	fclose(out);
	assert_int_equal(strlen(text), length);
	return text;
}

void check_report_json(const char *name, const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	char schema[64];

	if (!json)
		fail_msg("%s: %s at line %d", name, error.text, error.line);
	snprintf(schema, sizeof(schema), "xfscensus/%s/1", name);
	assert_string_equal(json_string_value(json_object_get(json, "schema")), schema);
	if (strcmp(name, "predict"))
		assert_true(json_is_array(json_object_get(json, "rows")));
	json_decref(json);
}

void check_report_csv(const char *name, const char *text)
{
	struct strict_csv csv;

	if (strict_csv_read(text, &csv))
		fail_msg("%s: not CSV after row %zu", name, csv.rows);
	assert_true(csv.columns >= 2);
	strict_csv_fini(&csv);
}

void check_report_printable(const char *name, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		size_t n = *text == '\n' ? 1 : bytes_utf8_length((const void *)text, length);

		if (!n)
			fail_msg("%s: byte %02x reaches the terminal", name, (unsigned char)*text);
		text += n;
		length -= n;
	}
}
