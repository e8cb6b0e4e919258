// SPDX-License-Identifier: GPL-2.0-or-later
/* A value as people read it: "31 GiB", or exactly, "33 285 996 544". */
#include "reports/renderer.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Digits in groups of three: "31 234 567 890". */
static const char *grouped(uint64_t number, char out[VALUE_TEXT_BYTES])
{
	char digits[VALUE_TEXT_BYTES], *to = out;
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ' ';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}

/* Times in the minute, a table has no room for more; their headings say that they are UTC. */
static const char *time_text(enum value_type type, int64_t time, bool exact, char *out)
{
	char *t;

	if (!render_iso(type, time, out))
		return RENDER_UNKNOWN;
	t = type == VALUE_TIME ? strrchr(out, 'T') : NULL;
	if (t) {
		*t = ' ';
		out[strlen(out) - (exact ? 1 : 4)] = '\0';
	}
	return out;
}

static const char *exact_text(enum value_type type, const struct value *value, char *out)
{
	switch (type) {
	case VALUE_COUNT:
	case VALUE_BYTES:
		return grouped(value->number, out);
	case VALUE_SECONDS:
		snprintf(out, VALUE_TEXT_BYTES, value->real < 1 ? "%.6f s" : "%.3f s", value->real);
		return out;
	case VALUE_RATE:
		return value->real < 1e18 ? grouped((uint64_t)(value->real + 0.5), out)
					  : RENDER_UNKNOWN;
	default:
		snprintf(out, VALUE_TEXT_BYTES, "%.3f %%", 100 * value->real);
		return out;
	}
}

static const char *human_text(enum value_type type, const struct value *value, char *out)
{
	switch (type) {
	case VALUE_COUNT:
		return unit_format_count(value->number, out);
	case VALUE_BYTES:
		return unit_format_bytes(value->number, out);
	case VALUE_SECONDS:
		return unit_format_seconds(value->real, out);
	case VALUE_RATE:
		return unit_format_rate(value->real, out);
	default:
		return unit_format_share(value->real, 1, out);
	}
}

/* A difference: its sign, and its size as the values are shown that it is between. */
static const char *change_text(
	enum value_type type, const struct value *value, bool exact, char out[VALUE_TEXT_BYTES])
{
	bool seconds = type == VALUE_SECONDS_CHANGE;
	double sign = seconds ? value->real : (double)value->change;
	enum value_type of = seconds                      ? VALUE_SECONDS
			     : type == VALUE_COUNT_CHANGE ? VALUE_COUNT
							  : VALUE_BYTES;
	char size[VALUE_TEXT_BYTES];
	struct value absolute = {.present = true};

	if (seconds)
		absolute.real = fabs(value->real);
	else
		absolute.number =
			value->change < 0 ? -(uint64_t)value->change : (uint64_t)value->change;
	snprintf(out, VALUE_TEXT_BYTES, "%s%.48s",
		sign > 0   ? "+"
		: sign < 0 ? "−"
			   : "",
		exact ? exact_text(of, &absolute, size) : human_text(of, &absolute, size));
	return out;
}

const char *render_value(
	enum value_type type, const struct value *value, bool exact, char out[VALUE_TEXT_BYTES])
{
	if (!value->present)
		return RENDER_UNKNOWN;
	switch (type) {
	case VALUE_TEXT:
		return value->text;
	case VALUE_ID:
		snprintf(out, VALUE_TEXT_BYTES, "%" PRIu64, value->number);
		return out;
	case VALUE_TIME:
	case VALUE_DAY:
		return time_text(type, value->time, exact, out);
	case VALUE_COUNT_CHANGE:
	case VALUE_BYTES_CHANGE:
	case VALUE_SECONDS_CHANGE:
		return change_text(type, value, exact, out);
	case VALUE_REAL:
		return render_real(value->real, out);
	default:
		return exact ? exact_text(type, value, out) : human_text(type, value, out);
	}
}

const char *render_plain(
	enum value_type type, const struct value *value, char out[VALUE_TEXT_BYTES])
{
	switch (type) {
	case VALUE_TEXT:
		break;
	case VALUE_ID:
	case VALUE_COUNT:
	case VALUE_BYTES:
		snprintf(out, VALUE_TEXT_BYTES, "%" PRIu64, value->number);
		return out;
	case VALUE_TIME:
	case VALUE_DAY:
		snprintf(out, VALUE_TEXT_BYTES, "%" PRId64, value->time);
		return out;
	case VALUE_SECONDS:
	case VALUE_RATE:
	case VALUE_SHARE:
	case VALUE_REAL:
	case VALUE_SECONDS_CHANGE:
		return render_real(value->real, out);
	case VALUE_COUNT_CHANGE:
	case VALUE_BYTES_CHANGE:
		snprintf(out, VALUE_TEXT_BYTES, "%" PRId64, value->change);
		return out;
	}
	return "";
}
