// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the log reader: any bytes are a log. The first 16 choose the geometry and, if asked to,
 * the range to read; the rest is the log, in whole blocks. Without checksums, so that what is
 * behind them is reached. Whatever comes out, the sets must hold together.
 */
#include "analyzer/xfs/log/log.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SETTINGS_BYTES 16
#define BLOCK_BYTES    512
#define LOG_BYTES      (1024 * 1024)

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A log of @size bytes in memory. */
static int log_file(const uint8_t *bytes, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("log", MFD_CLOEXEC);
	must(fd >= 0 && !ftruncate(fd, 0));
	must(pwrite(fd, bytes, size, 0) == (ssize_t)size);
	return fd;
}

static void check_set(const struct inode_set *set)
{
	uint64_t count = 0;

	for (uint64_t ino = 0; inode_set_next(set, &ino) && count < 100000; ino++, count++)
		must(inode_set_contains(set, ino));
	must(count == 100000 || count == inode_set_count(set));
}

static void collect(const struct log_source *source, const struct log_range *range)
{
	struct err err = {0};
	struct log_changes changes;
	int rc;

	log_changes_init(&changes);
	rc = log_collect(source, range, &changes, &err);
	must(rc == err.code && (rc == 0 || rc == -EUCLEAN || rc == -EAGAIN || rc == -EIO));
	must(changes.records <= source->length_bytes / BLOCK_BYTES);
	check_set(&changes.logged);
	log_changes_fini(&changes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_source source = {
		.sector_bytes = BLOCK_BYTES,
		.uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		.agcount = 4,
		.agblocks = 5000,
		.block_log = 12,
		.agblock_log = 13,
		.inodes_per_block_log = 3,
	};
	struct log_range range;
	struct err err = {0};

	if (size < SETTINGS_BYTES + BLOCK_BYTES || size > SETTINGS_BYTES + LOG_BYTES)
		return 0;
	source.has_crc = data[0] & 1;
	source.length_bytes = (size - SETTINGS_BYTES) / BLOCK_BYTES * BLOCK_BYTES;
	source.fd = log_file(data + SETTINGS_BYTES, source.length_bytes);
	if (data[0] & 2) {
		range = (struct log_range){{data[1], data[2] | (uint32_t)data[3] << 8},
			{data[4], data[5] | (uint32_t)data[6] << 8}};
		collect(&source, &range);
	} else if (log_range_find(&source, &range, &err) == 0) {
		collect(&source, &range);
	}
	return 0;
}
