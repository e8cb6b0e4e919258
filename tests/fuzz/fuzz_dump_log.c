// SPDX-License-Identifier: GPL-2.0-or-later
/* Logs of xfsdump: any bytes, in pieces whose length the first byte says. */
#include "tests/fuzz/fuzz.h"

#include "analyzer/window/dump_log.h"

#include <string.h>

static void check_session(const struct dump_session *session, uint64_t lines)
{
	char text[256];

	FUZZ_ASSERT(session->line >= 1 && session->line <= lines);
	FUZZ_ASSERT(session->level <= DUMP_MAX_LEVEL && session->base_level <= DUMP_MAX_LEVEL);
	FUZZ_ASSERT(session->streams >= 1 && session->streams <= DUMP_MAX_STREAMS);
	FUZZ_ASSERT(session->status < DUMP_STATUSES && dump_status_name(session->status));
	FUZZ_ASSERT(!session->host == !session->mount_point);
	FUZZ_ASSERT(session->has_level || session->status != DUMP_OPEN);
	FUZZ_ASSERT(!session->session_id[0] || strlen(session->session_id) == DUMP_UUID_BYTES - 1);
	FUZZ_ASSERT(!session->fs_id[0] || strlen(session->fs_id) == DUMP_UUID_BYTES - 1);
	FUZZ_ASSERT(
		strlen(dump_problem_text(session->problems, text, sizeof(text))) < sizeof(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dump_log log;
	size_t piece = size ? data[0] + 1U : 1;

	dump_log_init(&log);
	for (size_t at = 0; at < size; at += piece)
		FUZZ_ASSERT(!dump_log_add(
			&log, (const char *)data + at, size - at < piece ? size - at : piece));
	FUZZ_ASSERT(!dump_log_end(&log));
	for (size_t i = 0; i < log.count; i++)
		check_session(&log.sessions[i], log.lines);
	dump_log_fini(&log);
	return 0;
}
