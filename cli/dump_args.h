/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the options of a command to the dump that they ask for. */
#ifndef CLI_DUMP_ARGS_H
#define CLI_DUMP_ARGS_H

#include "analyzer/window/prediction_request.h"
#include "cli/options.h"
#include "storage/store.h"

/* The arguments by which a command is told of a dump and of what it would be if. */
struct dump_args {
	uint64_t level;
	const char *since; /* --since=TIME; NULL: not given */
	struct option_texts streams;
	struct option_texts sinks;
	uint64_t max_size;
	bool exclude_nodump;
	bool no_attrs;
	struct option_texts without;
	struct option_texts pack;
};

/* Entries for a command's option table; @args is its struct, @member its dump_args. */
// clang-format off
#define DUMP_OPTIONS(args, member)                                                                 \
	{.name = "level",                                                                          \
		.type = OPTION_COUNT,                                                              \
		.offset = offsetof(args, member.level),                                            \
		.value = "N",                                                                      \
		.max = 9,                                                                          \
		.help = "a dump of that level, 0 to 9; above 0 with --since"},                     \
	{.name = "since",                                                                          \
		.type = OPTION_TEXT,                                                               \
		.offset = offsetof(args, member.since),                                            \
		.value = "TIME",                                                                   \
		.help = "what changed since then only, as a level above 0 does: a date such as "   \
			"2026-11-29 or 2026-11-29T22:00, or 2d before the scan"},                  \
	{.name = "streams",                                                                        \
		.type = OPTION_TEXTS,                                                              \
		.offset = offsetof(args, member.streams),                                          \
		.value = "N",                                                                      \
		.help = "so many streams, 1 to 20; given again: what if so many"},                 \
	{.name = "sink",                                                                           \
		.type = OPTION_TEXTS,                                                              \
		.offset = offsetof(args, member.sinks),                                            \
		.value = "SINK",                                                                   \
		.help = "where the dump goes: null (the default), rate:128M, file:PATH or "        \
			"pipe:COMMAND; given again: what if it went there"},                       \
	{.name = "max-size",                                                                       \
		.type = OPTION_BYTES,                                                              \
		.offset = offsetof(args, member.max_size),                                         \
		.value = "SIZE",                                                                   \
		.min = DUMP_CHOICE_SMALL_BYTES,                                                    \
		.help = "leave out files with more than that allocated, as xfsdump -z, which "     \
			"takes it in KiB"},                                                        \
	{.name = "exclude-nodump",                                                                 \
		.type = OPTION_FLAG,                                                               \
		.offset = offsetof(args, member.exclude_nodump),                                   \
		.help = "leave out files with the nodump attribute, as xfsdump -e"},               \
	{.name = "no-attrs",                                                                       \
		.type = OPTION_FLAG,                                                               \
		.offset = offsetof(args, member.no_attrs),                                         \
		.help = "leave out extended attributes, as xfsdump -A"},                           \
	{.name = "without",                                                                        \
		.type = OPTION_TEXTS,                                                              \
		.offset = offsetof(args, member.without),                                          \
		.value = "OWNER",                                                                  \
		.help = "what if all of user:NAME, group:NAME or project:NAME were gone"},         \
	{.name = "pack",                                                                           \
		.type = OPTION_TEXTS,                                                              \
		.offset = offsetof(args, member.pack),                                             \
		.value = "OWNER",                                                                  \
		.help = "what if the tiny files of user:NAME (user:NAME:below=SIZE: those "        \
			"smaller than a power of two) were one archive"}
// clang-format on

/* What was asked for. */
struct dump_wish {
	struct dump_options dump;
	size_t sink_count;
	struct sink sinks[OPTION_TEXTS_MAX]; /* the first is that of the dump */
	size_t what_if_count;
	struct what_if what_ifs[4 * OPTION_TEXTS_MAX];
	char *labels[4 * OPTION_TEXTS_MAX]; /* owned, of the what-ifs */
};

/*
 * Makes sense of @args for @scan, from whose time on @since counts back. The base of a level is
 * looked up in @store if --since is not given. Sinks are parsed, not measured. Returns 0;
 * -EINVAL with a message for wrong usage; other errors with a message. Ended by dump_wish_fini()
 * also then.
 */
int dump_wish_make(const struct dump_args *args, const struct scan_info *scan, struct store *store,
	struct dump_wish *wish, struct err *err);
void dump_wish_fini(struct dump_wish *wish);

/*
 * Makes file and pipe sinks ready: by what @calibration (NULL: none) measured of the same, else by
 * measuring it for a few seconds. Returns 0, -ECANCELED or an error with a message.
 */
int dump_wish_measure(struct dump_wish *wish, const struct calibration *calibration,
	struct progress *progress, struct err *err);

#endif
