/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How xfsdump splits a dump into several streams, and how unequal that makes them.
 *
 * It gives each as many bytes of blocks and extent headers, in order of inode numbers. So a stream
 * that gets a range of tiny files has far more files to open than the others; the first one has all
 * directories besides.
 */
#ifndef ANALYZER_WINDOW_DUMP_STREAMS_H
#define ANALYZER_WINDOW_DUMP_STREAMS_H

#include "analyzer/census/dump_ranges.h"
#include "analyzer/window/dump_model.h"
#include "base/err.h"

/* As many as xfsdump takes -f for. */
#define DUMP_STREAMS_MAX 20

struct dump_stream {
	uint64_t first_ino; /* about where it starts: to a range of the census */
	double files;       /* regular files */
	double bytes;       /* size of its media file */
	double seconds;     /* if the array and the sink served it alone */
};

/*
 * Splits the dump of @model, with its @times and @ranges in order, into @count streams (1 to
 * DUMP_STREAMS_MAX); @overhead_bytes are those of a media file besides its inodes.
 */
void dump_streams_split(const struct dump_model *model, const struct dump_times *times,
	const struct dump_ranges *ranges, double overhead_bytes, unsigned count,
	struct dump_stream *streams);

#endif
