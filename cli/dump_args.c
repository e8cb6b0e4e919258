// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_args.h. The first --sink and the first --streams are those of the dump; given again they
 * are what-ifs, as --without and --pack always are.
 */
#include "cli/dump_args.h"

#include "analyzer/window/dump_streams.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "cli/dump_base.h"
#include "cli/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a sink that was not measured with the calibration is written to. */
#define MEASURE_SECONDS 5.0

/* --- What if ---------------------------------------------------------------------------------- */

static int add_what_if(struct dump_wish *wish, const struct what_if *what_if, const char *option,
	const char *text, struct err *err)
{
	char *label;

	if (asprintf(&label, "--%s=%s", option, text) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	wish->labels[wish->what_if_count] = label;
	wish->what_ifs[wish->what_if_count] = *what_if;
	wish->what_ifs[wish->what_if_count++].label = label;
	return 0;
}

/* Splits "user:NAME" and finds whom it means. */
static int parse_owner(
	const char *text, const char *option, struct what_if *what_if, struct err *err)
{
	static const struct {
		const char *word;
		enum what_if_owner owner;
		enum owner_kind kind;
	} owners[] = {
		{"user:", WHAT_IF_USER, OWNER_USER},
		{"group:", WHAT_IF_GROUP, OWNER_GROUP},
		{"project:", WHAT_IF_PROJECT, OWNER_PROJECT},
	};

	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
		size_t length = strlen(owners[i].word);

		if (strncmp(text, owners[i].word, length) != 0)
			continue;
		what_if->owner = owners[i].owner;
		if (names_find(owners[i].kind, text + length, &what_if->id))
			return err_set(err, -EINVAL, "--%s=%s: there is no %.*s \"%s\"", option,
				text, (int)length - 1, owners[i].word, text + length);
		return 0;
	}
	return err_set(err, -EINVAL, "--%s=%s: whose? user:NAME, or a number instead of the name%s",
		option, text, what_if->kind == WHAT_IF_PACK ? "" : "; group:NAME; project:NAME");
}

static int add_without(struct dump_wish *wish, const char *text, struct err *err)
{
	struct what_if what_if = {.kind = WHAT_IF_WITHOUT};
	int rc = parse_owner(text, "without", &what_if, err);

	return rc ? rc : add_what_if(wish, &what_if, "without", text, err);
}

static int parse_below(const char *text, const char *below, uint64_t *bytes, struct err *err)
{
	if (unit_parse_bytes(below, bytes) || !*bytes || (*bytes & (*bytes - 1)))
		return err_set(err, -EINVAL,
			"--pack=%s: below what size? A power of two, as in below=4K", text);
	return 0;
}

static int add_pack(
	struct dump_wish *wish, const char *text, const struct scan_info *scan, struct err *err)
{
	struct what_if what_if = {.kind = WHAT_IF_PACK, .below_bytes = scan->tiny_bytes};
	autofree char *owner = strdup(text);
	char *below = owner ? strstr(owner, ":below=") : NULL;
	int rc = 0;

	if (!owner)
		return err_set(err, -ENOMEM, "out of memory");
	if (below) {
		*below = '\0';
		rc = parse_below(text, below + strlen(":below="), &what_if.below_bytes, err);
	}
	if (!rc)
		rc = parse_owner(owner, "pack", &what_if, err);
	if (!rc && what_if.owner != WHAT_IF_USER)
		return err_set(err, -EINVAL, "--pack=%s: the files of users only", text);
	return rc ? rc : add_what_if(wish, &what_if, "pack", text, err);
}

/* --- Sinks and streams ------------------------------------------------------------------------ */

static int add_sink(struct dump_wish *wish, const char *text, struct err *err)
{
	struct sink *sink = &wish->sinks[wish->sink_count];
	const struct what_if what_if = {.kind = WHAT_IF_SINK, .sink = sink};
	int rc = sink_parse(text, sink, err);

	if (rc)
		return rc;
	if (wish->sink_count++)
		return add_what_if(wish, &what_if, "sink", text, err);
	wish->dump.sink = sink;
	return 0;
}

static int add_streams(struct dump_wish *wish, const char *text, struct err *err)
{
	struct what_if what_if = {.kind = WHAT_IF_STREAMS};
	uint64_t streams;

	if (unit_parse_u64(text, &streams) || !streams || streams > DUMP_STREAMS_MAX)
		return err_set(err, -EINVAL, "--streams: %.100s is not in the range 1 to %d", text,
			DUMP_STREAMS_MAX);
	if (!wish->dump.streams) {
		wish->dump.streams = (unsigned)streams;
		return 0;
	}
	what_if.streams = (unsigned)streams;
	return add_what_if(wish, &what_if, "streams", text, err);
}

/* --- The dump --------------------------------------------------------------------------------- */

/* Since when, where that is asked for. */
static int find_since(const struct dump_args *args, const struct scan_info *scan,
	struct store *store, struct dump_options *dump, struct err *err)
{
	dump->level = (unsigned)args->level;
	dump->incremental = args->level || args->since;
	if (!dump->incremental)
		return 0;
	if (!args->since)
		return dump_base_of_level(
			store, scan->fs_id, dump->level, &dump->since_seconds, err);
	if (clock_parse_time(args->since, scan->started_seconds, &dump->since_seconds))
		return err_set(err, -EINVAL,
			"--since: \"%.100s\" is no time such as 2026-11-29, 2026-11-29T22:00 or 2d",
			args->since);
	if (!dump->level)
		dump->level = 1;
	return 0;
}

static int find_dump(const struct dump_args *args, const struct scan_info *scan,
	struct store *store, struct dump_options *dump, struct err *err)
{
	if (args->max_size % KIB)
		return err_set(err, -EINVAL, "--max-size: xfsdump -z takes whole KiB");
	dump->max_file_bytes = args->max_size;
	dump->exclude_nodump = args->exclude_nodump;
	dump->no_attributes = args->no_attrs;
	return find_since(args, scan, store, dump, err);
}

int dump_wish_make(const struct dump_args *args, const struct scan_info *scan, struct store *store,
	struct dump_wish *wish, struct err *err)
{
	int rc;

	memset(wish, 0, sizeof(*wish));
	rc = find_dump(args, scan, store, &wish->dump, err);
	for (size_t i = 0; i < args->without.count && !rc; i++)
		rc = add_without(wish, args->without.items[i], err);
	for (size_t i = 0; i < args->pack.count && !rc; i++)
		rc = add_pack(wish, args->pack.items[i], scan, err);
	for (size_t i = 0; i < args->sinks.count && !rc; i++)
		rc = add_sink(wish, args->sinks.items[i], err);
	for (size_t i = 0; i < args->streams.count && !rc; i++)
		rc = add_streams(wish, args->streams.items[i], err);
	return rc;
}

void dump_wish_fini(struct dump_wish *wish)
{
	for (size_t i = 0; i < wish->sink_count; i++)
		sink_fini(&wish->sinks[i]);
	for (size_t i = 0; i < wish->what_if_count; i++)
		free(wish->labels[i]);
	memset(wish, 0, sizeof(*wish));
}

static bool is_measured_in(const struct calibration *calibration, const struct sink *sink)
{
	return calibration && calibration->sink.spec &&
	       !strcmp(calibration->sink.spec, sink->spec) &&
	       calibration->sink.bytes_per_second > 0;
}

int dump_wish_measure(struct dump_wish *wish, const struct calibration *calibration,
	struct progress *progress, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < wish->sink_count && !rc; i++) {
		struct sink *sink = &wish->sinks[i];
		char *spec = sink->spec;

		if (sink->kind == SINK_NULL || sink->kind == SINK_RATE)
			continue;
		if (is_measured_in(calibration, sink)) {
			*sink = calibration->sink;
			sink->spec = spec;
			continue;
		}
		rc = sink_measure(sink, MEASURE_SECONDS, progress, err);
	}
	return rc;
}
