// SPDX-License-Identifier: GPL-2.0-or-later
/* See prediction_text.h. Every sentence says what was predicted, never what was not asked for. */
#include "reports/prediction_text.h"

#include "analyzer/window/identity.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "reports/common.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGED_SHARE 0.1 /* of the inodes since the calibration, from where on it is told */

/* --- The answer ------------------------------------------------------------------------------- */

/* "A level-1 xfsdump of what changed since 2026-11-29 22:00 UTC"; to be freed. */
static char *what_is_dumped(const struct dump_options *dump)
{
	char time[LABEL_BYTES], *text;

	if (!dump || !dump->incremental)
		return strdup("A level-0 xfsdump");
	report_time(dump->since_seconds, time);
	if (asprintf(&text, "A level-%u xfsdump of what changed since %s", dump->level, time) < 0)
		return NULL;
	return text;
}

/* " in 2 streams", or nothing. */
static const char *in_streams(const struct dump_options *dump, char out[LABEL_BYTES])
{
	out[0] = '\0';
	if (dump && dump->streams > 1)
		snprintf(out, LABEL_BYTES, " in %u streams", dump->streams);
	return out;
}

/* " to a null sink" or " to sink rate:128M"; to be freed. */
static char *to_where(const struct dump_options *dump)
{
	const struct sink *sink = dump ? dump->sink : NULL;
	autofree char *spec = NULL;
	char *text;

	if (!sink || sink->kind == SINK_NULL)
		return strdup("to a null sink");
	spec = bytes_escape(sink->spec, strlen(sink->spec));
	if (!spec || asprintf(&text, "to sink %s", spec) < 0)
		return NULL;
	return text;
}

void prediction_text_answer(struct document *document, const struct report_input *input)
{
	const struct prediction *prediction = input->prediction;
	autofree char *what = what_is_dumped(input->dump);
	autofree char *where = to_where(input->dump);
	char seconds[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];
	char bytes[UNIT_TEXT_BYTES], files[LABEL_BYTES], streams[LABEL_BYTES];
	char estimate[UNIT_TEXT_BYTES];

	if (!what || !where) {
		document->code = -ENOMEM;
		return;
	}
	document_before(document,
		"%s%s %s takes %s (95 %%: %s to %s) and writes %s (xfsdump itself would estimate "
		"%s), "
		"%s.",
		what, in_streams(input->dump, streams), where,
		unit_format_seconds(prediction->seconds, seconds),
		unit_format_seconds(prediction->low_seconds, low),
		unit_format_seconds(prediction->high_seconds, high),
		unit_format_bytes(prediction->dump_bytes, bytes),
		unit_format_bytes(prediction->xfsdump_estimate_bytes, estimate),
		report_plural(prediction->files, "file", "files", files));
}

/* --- The verdict ------------------------------------------------------------------------------ */

/* "the array reads 250 MB/s in sequence and 1.2 MB/s in small reads, the dump gets 800 KB/s" */
static void tell_rates(const struct verdict *verdict, FILE *out)
{
	char rate[UNIT_TEXT_BYTES];

	if (verdict->sequential_bytes_per_second > 0)
		fprintf(out, "the array reads %s in sequence",
			unit_format_rate(verdict->sequential_bytes_per_second, rate));
	if (verdict->random_bytes_per_second > 0)
		fprintf(out, " and %s in small reads anywhere",
			unit_format_rate(verdict->random_bytes_per_second, rate));
	if (verdict->sequential_bytes_per_second > 0)
		fputs(", ", out);
	fprintf(out, "reading files gives %s",
		unit_format_rate(verdict->dump_bytes_per_second, rate));
}

/* The most that could be saved in bringing @cause to nothing. */
static const char *share_of(
	const struct prediction *prediction, enum verdict_cause cause, char out[UNIT_TEXT_BYTES])
{
	return unit_format_share(prediction->verdict.seconds[cause], prediction->seconds, out);
}

static void tell_contents(const struct prediction *prediction, FILE *out)
{
	char contents[UNIT_TEXT_BYTES], array[UNIT_TEXT_BYTES];

	fprintf(out,
		"What holds it back: the contents, %s of the time. Files are small or "
		"scattered: ",
		share_of(prediction, CAUSE_CONTENTS, contents));
	tell_rates(&prediction->verdict, out);
	fprintf(out,
		". Fewer and bigger files help most (--pack, --without); an array with a "
		"higher transfer rate saves %s at most.",
		share_of(prediction, CAUSE_ARRAY, array));
}

static void tell_array(const struct prediction *prediction, FILE *out)
{
	char array[UNIT_TEXT_BYTES], contents[UNIT_TEXT_BYTES];

	fprintf(out, "What holds it back: the array's transfer rate, %s of the time: ",
		share_of(prediction, CAUSE_ARRAY, array));
	tell_rates(&prediction->verdict, out);
	fprintf(out, ". A faster array or less to read helps most; fewer files save %s at most.",
		share_of(prediction, CAUSE_CONTENTS, contents));
}

static void tell_sink(const struct prediction *prediction, FILE *out)
{
	char sink[UNIT_TEXT_BYTES], rate[UNIT_TEXT_BYTES];

	fprintf(out, "What holds it back: the sink, %s of the time is waiting for it",
		share_of(prediction, CAUSE_SINK, sink));
	if (prediction->verdict.sink_bytes_per_second > 0)
		fprintf(out, " (it takes %s)",
			unit_format_rate(prediction->verdict.sink_bytes_per_second, rate));
	fputs(": ", out);
	tell_rates(&prediction->verdict, out);
	fputs(". A faster sink helps most; a buffer before it saves the time in which it waits for "
	      "the reading.",
		out);
}

static void tell_cpu(const struct prediction *prediction, FILE *out)
{
	char cpu[UNIT_TEXT_BYTES];

	fprintf(out, "What holds it back: the processor, %s of the time is computing: ",
		share_of(prediction, CAUSE_CPU, cpu));
	tell_rates(&prediction->verdict, out);
	fputs(". A faster array would not help; several streams (--streams) or fewer files would.",
		out);
}

/* Without any file, there is nothing of contents, rates and arrays to tell. */
static void tell_metadata(const struct prediction *prediction, FILE *out)
{
	(void)prediction;
	fputs("No file is dumped: what it takes is looking at inodes and directories.", out);
}

void prediction_text_verdict(struct document *document, const struct report_input *input)
{
	static void (*const tell[VERDICT_CAUSES])(const struct prediction *, FILE *) = {
		[CAUSE_CONTENTS] = tell_contents,
		[CAUSE_ARRAY] = tell_array,
		[CAUSE_SINK] = tell_sink,
		[CAUSE_CPU] = tell_cpu,
	};
	const struct prediction *prediction = input->prediction;
	enum verdict_cause cause = prediction->verdict.cause;
	bool is_metadata = !prediction->files && cause != CAUSE_SINK;
	autofree char *text = NULL;
	size_t length;
	FILE *out;

	if (!(prediction->seconds > 0))
		return;
	out = open_memstream(&text, &length);
	if (out)
		(is_metadata ? tell_metadata : tell[cause])(prediction, out);
	if (!out || fclose(out)) {
		document->code = -ENOMEM;
		return;
	}
	document_before(document, "%s", text);
}

/* --- Doubts ----------------------------------------------------------------------------------- */

static void warn_device(struct document *document, const struct report_input *input)
{
	const char *then = input->calibration->device_identity, *now = input->device_identity;
	autofree char *was = then ? bytes_escape(then, strlen(then)) : NULL;
	autofree char *is = now ? bytes_escape(now, strlen(now)) : NULL;
	bool differs = identity_compare(then, now) == IDENTITY_OTHER;

	document_field_number(document, "calibrated_elsewhere", VALUE_COUNT, differs);
	if (differs && was && is)
		document_before(document,
			"Doubtful: the calibration is of another device, %s; now it is %s. "
			"Calibrate again.",
			was, is);
}

static void warn_changed(struct document *document, const struct report_input *input)
{
	double then = (double)input->calibration->inodes, now = 0;
	char was[UNIT_TEXT_BYTES], is[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < cube_count(input->cube); i++) {
		struct cube_key key;

		now += (double)cube_at(input->cube, i, &key)->inodes;
	}
	if (then <= 0 || fabs(now - then) <= CHANGED_SHARE * then)
		return;
	document_before(document,
		"Doubtful: the filesystem had %s inodes when it was calibrated, %s when it was "
		"scanned. Do again what is older.",
		unit_format_count((uint64_t)then, was), unit_format_count((uint64_t)now, is));
}

/* What the scan lacks, the prediction lacks. */
static void warn_unread(struct document *document, const struct report_input *input)
{
	char failures[LABEL_BYTES], inodes[LABEL_BYTES];
	uint64_t unread = 0;

	for (int kind = 0; kind < FAILURE_KINDS && input->failures; kind++)
		unread = sat_add_u64(unread, input->failures->inodes[kind]);
	document_field_number(document, "errors", VALUE_COUNT, input->scan->errors);
	document_field_number(document, "unread_inodes", VALUE_COUNT, unread);
	if (!input->scan->errors)
		return;
	report_plural(input->scan->errors, "failure", "failures", failures);
	report_plural(unread, "inode", "inodes", inodes);
	document_before(document,
		"Too low: the scan met %s to read, and what that hid is not in it%s%s%s.", failures,
		unread ? " (" : "", unread ? inodes : "", unread ? " at least)" : "");
}

/* Of each what-if alone; "all together" comes last and would say it again. */
static void warn_left_out(struct document *document, const struct report_input *input)
{
	const struct prediction *prediction = input->prediction;
	size_t count = prediction->variant_count;
	char size[UNIT_TEXT_BYTES];

	for (size_t i = 1; i < (count > 2 ? count - 1 : count); i++) {
		const struct prediction_variant *variant = &prediction->variants[i];
		autofree char *label = bytes_escape(variant->label, strlen(variant->label));

		if (variant->left_out_pack_bytes)
			document_before(document,
				"Left out by --max-size: the archive of %s would have %s, and no "
				"dump would hold what is in it.",
				label ? label : "?",
				unit_format_bytes(variant->left_out_pack_bytes, size));
	}
}

void prediction_text_warnings(struct document *document, const struct report_input *input)
{
	warn_unread(document, input);
	warn_left_out(document, input);
	if (!input->calibration)
		return;
	warn_device(document, input);
	warn_changed(document, input);
}
