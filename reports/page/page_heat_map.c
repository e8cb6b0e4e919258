// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owners down, sizes across, files in the cells; the more files, the deeper the colour. Files
 * spread over many orders of magnitude, so the colour goes by their logarithm.
 *
 * The document has a row for each cell, owner by owner, all of one owner in the order of the first.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DEEPEST 0.75 /* opacity; the figure must stay legible on it */

struct map {
	const struct table *table;
	int owner;
	int size;
	int files;
	double most;
};

static void put_sizes(FILE *out, const struct map *map, size_t bands)
{
	fputs("<thead><tr><th scope=\"col\">Owner</th>", out);
	for (size_t band = 0; band < bands; band++) {
		fputs("<th scope=\"col\" class=\"n\">", out);
		html_text(out, page_text(map->table, band, map->size));
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

static void put_cell(FILE *out, const struct map *map, size_t row)
{
	double files = page_number(map->table, row, map->files);
	char text[UNIT_TEXT_BYTES];

	fprintf(out, "<td class=\"n heat\" data-v=\"%.0f\" style=\"--h:", files);
	html_number(out, files > 0 ? DEEPEST * log1p(files) / log1p(map->most) : 0);
	fputs("\">", out);
	html_text(out, files > 0 ? unit_format_count((uint64_t)files, text) : "");
	fputs("</td>", out);
}

/* Cells before the first size comes again: two owners may have the same name. */
static size_t count_bands(const struct map *map)
{
	size_t bands = 1;

	while (bands < map->table->row_count && strcmp(page_text(map->table, bands, map->size),
							page_text(map->table, 0, map->size)))
		bands++;
	return bands;
}

void page_heat_map(FILE *out, const struct document *document)
{
	struct map map = {.table = page_find_table(document, "rows")};
	size_t bands;

	if (!map.table || !map.table->row_count)
		return;
	map.owner = page_column(map.table, "owner");
	map.size = page_column(map.table, "size");
	map.files = page_column(map.table, "files");
	for (size_t row = 0; row < map.table->row_count; row++)
		map.most = fmax(map.most, page_number(map.table, row, map.files));
	bands = count_bands(&map);
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Files by owner "
	      "and "
	      "size\"><table class=\"sortable map\">\n",
		out);
	page_caption(out, document, "Regular files by owner and size; the deeper, the more");
	put_sizes(out, &map, bands);
	fputs("<tbody>\n", out);
	for (size_t row = 0; row + bands <= map.table->row_count; row += bands) {
		fputs("<tr><th scope=\"row\">", out);
		html_text(out, page_text(map.table, row, map.owner));
		fputs("</th>", out);
		for (size_t band = 0; band < bands; band++)
			put_cell(out, &map, row + band);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}
