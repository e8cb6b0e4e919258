// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text for people: lines, folded at words, and tables by libsmartcols.
 *
 * A document holds printable characters only (document.h), so libsmartcols is told to leave them
 * as they are; its own escaping would escape our escapes. Where a table is wider than the terminal,
 * optional columns go first, then the one marked COLUMN_STRETCH is cut; numbers never are. That is
 * decided here, since libsmartcols would cut any column down to its heading.
 */
#include "reports/renderer.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/units.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define MAX_COLUMNS   24
#define SEPARATOR     "  "
#define SHORTEST_TEXT 8  /* columns that a cut text keeps */
#define WIDEST_TEXT   80 /* columns that a text pads the rows of others to, without a terminal */

/* --- Characters ---------------------------------------------------------------------------- */

/* Terminal columns of the character of @bytes bytes at @text, as far as the locale knows it. */
static size_t character_width(const char *text, size_t bytes)
{
	mbstate_t state = {0};
	wchar_t character;
	int width;

	if (bytes == 1)
		return 1;
	if (mbrtowc(&character, text, bytes, &state) != bytes)
		return 1;
	width = wcwidth(character);
	return width < 0 ? 1 : (size_t)width;
}

/* The bytes of @text, at most @bytes, that fill at most @limit columns; those filled in @width. */
static size_t fitting(const char *text, size_t bytes, size_t limit, size_t *width)
{
	size_t used = 0;

	*width = 0;
	while (used < bytes) {
		const unsigned char *at = (const unsigned char *)text + used;
		size_t n = *at < 0x80 ? 1 : bytes_utf8_length(at, bytes - used);
		size_t columns = character_width(text + used, n ? n : 1);

		if (*width + columns > limit)
			break;
		*width += columns;
		used += n ? n : 1;
	}
	return used;
}

static size_t text_width(const char *text)
{
	size_t width;

	fitting(text, strlen(text), SIZE_MAX, &width);
	return width;
}

/* --- Tables -------------------------------------------------------------------------------- */

/* A table on its way to libsmartcols: each cell is formatted once, and measured then. */
struct layout {
	const struct table *table;
	bool exact;
	struct libscols_table *scols;
	struct libscols_column *columns[MAX_COLUMNS]; /* NULL: not for text, or left out */
	size_t width[MAX_COLUMNS];
};

/* "7 others" in the first column, sums in the others. */
static const char *rest_text(
	const struct table *table, size_t column, bool first, bool exact, char *out)
{
	const struct value *sum = &table->rest[column];
	char count[UNIT_TEXT_BYTES];

	if (first) {
		snprintf(out, VALUE_TEXT_BYTES, "%s other%s",
			unit_format_count(table->rest_count, count),
			unit_plural(table->rest_count));
		return out;
	}
	return sum->present ? render_value(table->columns[column].type, sum, exact, out)
			    : RENDER_UNKNOWN;
}

static int add_columns(struct layout *layout)
{
	for (size_t i = 0; i < layout->table->column_count; i++) {
		const struct column *column = &layout->table->columns[i];

		if (column->flags & COLUMN_DATA_ONLY)
			continue;
		layout->width[i] = text_width(column->heading);
		layout->columns[i] = scols_table_new_column(layout->scols, column->heading, 0,
			column_is_right(column) ? SCOLS_FL_RIGHT : 0);
		if (!layout->columns[i])
			return -ENOMEM;
	}
	return 0;
}

/* Adds row @row; row_count is the row of the others. */
static int add_row(struct layout *layout, size_t row)
{
	const struct table *table = layout->table;
	struct libscols_line *line = scols_table_new_line(layout->scols, NULL);
	char buffer[VALUE_TEXT_BYTES];
	size_t place = 0;

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < table->column_count; i++) {
		const char *text;

		if (!layout->columns[i])
			continue;
		if (row < table->row_count)
			text = render_value(table->columns[i].type, &table_cells(table, row)[i],
				layout->exact, buffer);
		else
			text = rest_text(table, i, !place, layout->exact, buffer);
		layout->width[i] = max_u64(layout->width[i], text_width(text));
		if (scols_line_set_data(line, place++, text))
			return -ENOMEM;
	}
	return 0;
}

static size_t total_width(const struct layout *layout)
{
	size_t total = 0;

	for (size_t i = 0; i < layout->table->column_count; i++) {
		if (layout->columns[i])
			total += layout->width[i] + (total ? strlen(SEPARATOR) : 0);
	}
	return total;
}

/* Leaves out the last optional column still there; false if there is none. */
static bool drop_column(struct layout *layout)
{
	for (size_t i = layout->table->column_count; i-- > 0;) {
		if (!layout->columns[i] || !(layout->table->columns[i].flags & COLUMN_OPTIONAL))
			continue;
		scols_column_set_flags(layout->columns[i], SCOLS_FL_HIDDEN);
		layout->columns[i] = NULL;
		return true;
	}
	return false;
}

/* Cuts what is longer than @limit columns, and ends it in "…". */
static int cut_column(struct layout *layout, struct libscols_column *column, size_t limit)
{
	for (size_t i = 0; i < scols_table_get_nlines(layout->scols); i++) {
		struct libscols_line *line = scols_table_get_line(layout->scols, i);
		const char *text = scols_line_get_column_data(line, column);
		size_t width, bytes;
		char *cut;

		if (text_width(text) <= limit)
			continue;
		bytes = fitting(text, strlen(text), limit - 1, &width);
		if (asprintf(&cut, "%.*s…", (int)bytes, text) < 0)
			return -ENOMEM;
		if (scols_line_refer_column_data(line, column, cut)) {
			free(cut);
			return -ENOMEM;
		}
	}
	return 0;
}

/* Makes the table fit into @width columns, as well as it can. */
static int squeeze(struct layout *layout, size_t width)
{
	size_t total = total_width(layout);

	while (total > width && drop_column(layout))
		total = total_width(layout);
	for (size_t i = 0; i < layout->table->column_count && total > width; i++) {
		size_t excess = total - width;

		if (layout->columns[i] && layout->table->columns[i].flags & COLUMN_STRETCH)
			return cut_column(layout, layout->columns[i],
				layout->width[i] > SHORTEST_TEXT + excess
					? layout->width[i] - excess
					: SHORTEST_TEXT);
	}
	return 0;
}

/*
 * Without a width nothing is cut. So that one long text does not fill all other rows with blanks,
 * its column becomes the last.
 */
static int move_long_text(struct layout *layout)
{
	struct libscols_column *last = NULL, *text = NULL;

	for (size_t i = 0; i < layout->table->column_count; i++) {
		if (!layout->columns[i])
			continue;
		last = layout->columns[i];
		if (layout->table->columns[i].flags & COLUMN_STRETCH &&
			layout->width[i] > WIDEST_TEXT)
			text = last;
	}
	return text && text != last ? scols_table_move_column(layout->scols, last, text) : 0;
}

static int fill(struct layout *layout, size_t width)
{
	size_t rows = layout->table->row_count + (layout->table->rest != NULL);
	int rc = add_columns(layout);

	for (size_t row = 0; row < rows && !rc; row++)
		rc = add_row(layout, row);
	if (rc)
		return rc;
	return width ? squeeze(layout, width) : move_long_text(layout);
}

/*
 * Whether our text is text in the locale. Where it is not, libsmartcols 2.38 must escape it, or it
 * looks for the end of a character for ever.
 */
static bool locale_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static int put_table(const struct table *table, const struct render_options *options, FILE *out)
{
	struct layout layout = {
		.table = table,
		.exact = options->exact,
		.scols = scols_new_table(),
	};
	int rc;

	assert(table->column_count <= MAX_COLUMNS);
	if (!layout.scols)
		return -ENOMEM;
	scols_table_enable_noencoding(layout.scols, locale_is_utf8());
	scols_table_set_column_separator(layout.scols, SEPARATOR);
	scols_table_set_stream(layout.scols, out);
	scols_table_set_termforce(layout.scols, SCOLS_TERMFORCE_NEVER);
	rc = fill(&layout, options->width);
	if (!rc && scols_print_table(layout.scols) && !ferror(out))
		rc = -ENOMEM;
	scols_unref_table(layout.scols);
	return rc;
}

/* --- Lines --------------------------------------------------------------------------------- */

/* Bytes of the word at @text; a short unit after a number belongs to it: "24.6 M", "91 %". */
static size_t word_bytes(const char *text)
{
	size_t bytes = strcspn(text, " ");

	if (bytes && text[bytes] && isdigit((unsigned char)text[bytes - 1])) {
		const char *unit = text + bytes + 1;
		size_t letters = 0;

		while (isalpha((unsigned char)unit[letters]) || unit[letters] == '%')
			letters++;
		if (letters && letters <= 3)
			bytes += 1 + strcspn(unit, " ");
	}
	return bytes;
}

/*
 * A line, folded between words so that it fits @width (0: as it is), indented as it begins. Where
 * it is not folded, it keeps its blanks: names may have any number.
 */
static void put_line(const char *line, unsigned width, FILE *out)
{
	size_t indent = strspn(line, " "), column = 0, blanks = indent;

	for (line += indent; *line; blanks = strspn(line, " "), line += blanks) {
		size_t bytes = word_bytes(line), word;

		fitting(line, bytes, SIZE_MAX, &word);
		if (column && width && column + blanks + word > width) {
			putc('\n', out);
			blanks = indent;
			column = 0;
		}
		fprintf(out, "%*s%.*s", (int)blanks, "", (int)bytes, line);
		column += blanks + word;
		line += bytes;
	}
	putc('\n', out);
}

int render_text(const struct document *document, const struct render_options *options, FILE *out)
{
	bool started = document->before_count > 0;
	unsigned width = document->whole_lines ? 0 : options->width;
	int rc = 0;

	for (size_t i = 0; i < document->before_count; i++)
		put_line(document->before[i], width, out);
	for (size_t i = 0; i < document->table_count && !rc; i++) {
		const struct table *table = &document->tables[i];

		if (table->flags & TABLE_DATA_ONLY || !table->row_count)
			continue;
		if (started)
			putc('\n', out);
		started = true;
		if (table->title)
			put_line(table->title, width, out);
		rc = put_table(table, options, out);
	}
	if (started && document->after_count)
		putc('\n', out);
	for (size_t i = 0; i < document->after_count; i++)
		put_line(document->after[i], width, out);
	return rc;
}
