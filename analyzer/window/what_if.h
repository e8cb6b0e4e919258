/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could be otherwise: somebody's files gone, packed into an archive, another sink, streams. */
#ifndef ANALYZER_WINDOW_WHAT_IF_H
#define ANALYZER_WINDOW_WHAT_IF_H

#include "analyzer/window/dump_plan.h"
#include "analyzer/window/sink.h"

#include <stdint.h>

enum what_if_kind {
	WHAT_IF_WITHOUT, /* all inodes of an owner are gone */
	WHAT_IF_PACK,    /* the small files of a user are one archive, as tar makes it */
	WHAT_IF_SINK,    /* the dump goes elsewhere */
	WHAT_IF_STREAMS, /* so many streams */
};

enum what_if_owner { WHAT_IF_USER, WHAT_IF_GROUP, WHAT_IF_PROJECT };

struct dump_options;

struct what_if {
	enum what_if_kind kind;
	const char *label; /* as it was asked for, one line; not owned */
	enum what_if_owner owner;
	uint32_t id;             /* of the owner */
	uint64_t below_bytes;    /* WHAT_IF_PACK: what is small, a power of two */
	const struct sink *sink; /* WHAT_IF_SINK; not owned */
	unsigned streams;        /* WHAT_IF_STREAMS */
};

/*
 * Changes what a dump with the options of @dump takes in; sinks and streams are not of its
 * business. An archive larger than dump->max_file_bytes is left out, as dump_plan.h tells. Returns
 * 0 or -ENOMEM.
 */
int what_if_apply(
	const struct what_if *what_if, const struct dump_options *dump, struct dump_plan *plan);

#endif
