// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "analyzer/window/stream.h"

#include <string.h>

static void records_wrap(void **state)
{
	struct stream stream;
	size_t length;

	(void)state;
	assert_int_equal(stream_init(&stream), 0);
	stream_put(&stream, NULL, STREAM_RECORD_BYTES - 10);
	stream_room(&stream, 100, &length);
	assert_int_equal(length, 10);
	stream_put(&stream, "0123456789abcdef", 16);
	assert_int_equal(stream.used, 6);
	assert_memory_equal(stream.bytes, "abcdef", 6);
	stream_fini(&stream);
}

static void data_starts_a_page(void **state)
{
	(void)state;
	for (size_t before = 0; before < 5000; before += 8) {
		struct stream stream;

		assert_int_equal(stream_init(&stream), 0);
		stream_put(&stream, NULL, before);
		stream_align(&stream, 1);
		stream_header(&stream, STREAM_HEADER_BYTES, 1, 0);
		assert_int_equal(stream.used % 4096, 0);
		assert_in_range(stream.used - before, 64, 4096 + 63);
		stream_fini(&stream);
	}
}

static void headers_have_their_length(void **state)
{
	struct stream stream;

	(void)state;
	assert_int_equal(stream_init(&stream), 0);
	stream_header(&stream, STREAM_FILE_HEADER_BYTES, 1, 2);
	assert_int_equal(stream.used, 256);
	stream_header(&stream, STREAM_HEADER_BYTES, 1, 2);
	assert_int_equal(stream.used, 288);
	stream_fini(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_wrap),
		cmocka_unit_test(data_starts_a_page),
		cmocka_unit_test(headers_have_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
