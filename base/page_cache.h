/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a file lies in the page cache. */
#ifndef BASE_PAGE_CACHE_H
#define BASE_PAGE_CACHE_H

#include <stdint.h>

/* A range is cut to this where only mincore(2) can tell. */
#define PAGE_CACHE_MINCORE_BYTES (64ULL << 20)

/*
 * Sets *@cached to how many of the pages that @bytes (> 0) from @offset on lie in are in memory,
 * *@pages to how many there are, both up to the bound above if need be. By cachestat(2) from Linux
 * 6.5 on, else by mincore(2), which tells ordinary users of a file they may not write that all of
 * it is cached. Any thread. Returns 0, or a negative errno and nothing cached.
 */
int page_cache_count(int fd, uint64_t offset, uint64_t bytes, uint64_t *cached, uint64_t *pages);

#endif
