// SPDX-License-Identifier: GPL-2.0-or-later
/* See page_cache.h. Headers older than the kernel do not name cachestat(2): its number is fixed. */
#include "base/page_cache.h"

#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SYS_CACHESTAT 451 /* on every architecture */

static int by_mincore(int fd, uint64_t offset, uint64_t bytes, uint64_t pages, uint64_t *cached)
{
	unsigned char *present = calloc(pages, 1);
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	int rc = !present || map == MAP_FAILED || mincore(map, bytes, present) ? -errno : 0;

	for (uint64_t i = 0; i < pages && !rc; i++)
		*cached += present[i] & 1;
	if (map != MAP_FAILED)
		munmap(map, bytes);
	free(present);
	return rc;
}

int page_cache_count(int fd, uint64_t offset, uint64_t bytes, uint64_t *cached, uint64_t *pages)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = offset / page_bytes * page_bytes;
	struct {
		uint64_t offset, bytes;
	} range = {start, offset - start + bytes};
	struct {
		uint64_t cached, dirty, writeback, evicted, recently_evicted;
	} found = {0};

	*pages = div_ceil_u64(range.bytes, page_bytes);
	*cached = 0;
	if (!syscall(SYS_CACHESTAT, fd, &range, &found, 0)) {
		*cached = found.cached;
		return 0;
	}
	range.bytes = min_u64(range.bytes, PAGE_CACHE_MINCORE_BYTES);
	*pages = div_ceil_u64(range.bytes, page_bytes);
	return by_mincore(fd, range.offset, range.bytes, *pages, cached);
}
