// SPDX-License-Identifier: GPL-2.0-or-later
/* See render.h. The table of formats, and what more than one of them needs. */
#include "reports/renderer.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static const struct {
	const char *name;
	render_fn render;
} formats[RENDER_FORMATS] = {
	[RENDER_TEXT] = {"text", render_text},
	[RENDER_JSON] = {"json", render_json},
	[RENDER_CSV] = {"csv", render_csv},
	[RENDER_HTML] = {"html", render_html},
	[RENDER_OPENMETRICS] = {"openmetrics", render_openmetrics},
};

const char *render_format_name(enum render_format format)
{
	return formats[format].name;
}

int render_format_parse(const char *name, enum render_format *format)
{
	for (int i = 0; i < RENDER_FORMATS; i++) {
		if (!strcmp(formats[i].name, name)) {
			*format = (enum render_format)i;
			return 0;
		}
	}
	return -EINVAL;
}

int render_document(
	const struct document *document, const struct render_options *options, FILE *out)
{
	int rc;

	if (document->code)
		return document->code;
	errno = 0;
	rc = formats[options->format].render(document, options, out);
	if (rc)
		return rc;
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

const char *render_iso(enum value_type type, int64_t time, char out[VALUE_TEXT_BYTES])
{
	time_t seconds = time;
	struct tm tm;
	size_t length;

	if (type == VALUE_DAY && __builtin_mul_overflow(time, SECONDS_PER_DAY, &seconds))
		return NULL;
	if (!gmtime_r(&seconds, &tm))
		return NULL;
	if (type == VALUE_DAY)
		length = strftime(out, VALUE_TEXT_BYTES, "%Y-%m-%d", &tm);
	else
		length = strftime(out, VALUE_TEXT_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return length ? out : NULL;
}

const char *render_real(double real, char out[VALUE_TEXT_BYTES])
{
	size_t unusual;

	snprintf(out, VALUE_TEXT_BYTES, "%.15g", real);
	unusual = strspn(out, "0123456789-+e");
	if (out[unusual])
		out[unusual] = '.';
	return out;
}

const struct table *render_first_data_table(const struct document *document)
{
	for (size_t i = 0; i < document->table_count; i++) {
		if (!(document->tables[i].flags & TABLE_TEXT_ONLY))
			return &document->tables[i];
	}
	return NULL;
}
