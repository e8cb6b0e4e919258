// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hot trees as rectangles, by the squarified treemap of Bruls, Huizing and van Wijk (2000):
 * rows are filled along the shorter side, each with as many areas as make its rectangles more
 * square.
 *
 * An area is a hot tree's tiny files without those of hot trees below, so that no file is counted
 * twice and areas compare; the colour is the owner.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH           1000.0
#define HEIGHT          420.0
#define COLOURS         8
#define CHARACTER_WIDTH 7.0 /* of the labels, on average */
#define LINE_HEIGHT     16.0
#define MARGIN          6.0
#define MAX_AREAS       100
#define ELSEWHERE       SIZE_MAX /* the row of what is in no hot tree */

struct area {
	size_t row; /* of the document's table, or ELSEWHERE */
	double files;
	unsigned colour;
};

struct rectangle {
	double x, y, width, height;
};

struct map {
	const struct table *table;
	int path;
	int owner;
	struct area *areas; /* the biggest first */
	size_t count;
	double files; /* of all areas */
};

static int by_files(const void *left, const void *right)
{
	const struct area *a = left, *b = right;

	if (a->files != b->files)
		return a->files < b->files ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

static const char *path_of(const struct map *map, const struct area *area)
{
	return area->row == ELSEWHERE ? "elsewhere" : page_text(map->table, area->row, map->path);
}

static const char *owner_of(const struct map *map, const struct area *area)
{
	return area->row == ELSEWHERE ? "" : page_text(map->table, area->row, map->owner);
}

/* The first owners get colours of their own, the others share the last one. */
static void choose_colours(struct map *map)
{
	const char *owners[COLOURS - 1];
	unsigned count = 0;

	for (size_t i = 0; i < map->count; i++) {
		const char *owner = owner_of(map, &map->areas[i]);
		unsigned colour = 0;

		if (map->areas[i].row == ELSEWHERE) {
			map->areas[i].colour = COLOURS - 1;
			continue;
		}
		while (colour < count && strcmp(owners[colour], owner) != 0)
			colour++;
		if (colour == count && count < COLOURS - 1)
			owners[count++] = owner;
		map->areas[i].colour = colour;
	}
}

/* The first row is the root of what is shown: its tiny files in no area get one together. */
static void add_elsewhere(struct map *map)
{
	double all = page_number(map->table, 0, page_column(map->table, "tree_tiny_files"));

	for (size_t i = 0; i < map->count; i++)
		map->files += map->areas[i].files;
	if (all <= map->files)
		return;
	map->areas[map->count++] = (struct area){.row = ELSEWHERE, .files = all - map->files};
	map->files = all;
	qsort(map->areas, map->count, sizeof(*map->areas), by_files);
}

static int collect(struct map *map)
{
	int hot = page_column(map->table, "hot_tiny_files");

	map->areas = calloc(map->table->row_count + 2, sizeof(*map->areas));
	if (!map->areas)
		return -1;
	for (size_t row = 0; row < map->table->row_count; row++) {
		double files = page_number(map->table, row, hot);

		if (files > 0)
			map->areas[map->count++] = (struct area){.row = row, .files = files};
	}
	qsort(map->areas, map->count, sizeof(*map->areas), by_files);
	if (map->count > MAX_AREAS)
		map->count = MAX_AREAS;
	if (map->count)
		add_elsewhere(map);
	choose_colours(map);
	return 0;
}

/* The end of @path that has room in @width, whole names or else whole characters of UTF-8. */
static const char *label_of(const char *path, double width)
{
	size_t length = strlen(path), room = (size_t)fmax(width / CHARACTER_WIDTH, 0);

	if (length <= room)
		return path;
	path += length - room;
	while (((unsigned char)*path & 0xc0) == 0x80)
		path++;
	return strchr(path, '/') ? strchr(path, '/') + 1 : path;
}

static void put_labels(FILE *out, const char *path, const char *count, const struct rectangle *at)
{
	double room = at->width - 2 * MARGIN;

	if (room < 6 * CHARACTER_WIDTH || at->height < LINE_HEIGHT + MARGIN)
		return;
	fputs("<text class=\"on\" x=\"", out);
	html_number(out, at->x + MARGIN);
	fputs("\" y=\"", out);
	html_number(out, at->y + LINE_HEIGHT);
	fputs("\">", out);
	html_text(out, label_of(path, room));
	fputs("</text>", out);
	if (at->height < 2 * LINE_HEIGHT + MARGIN)
		return;
	fputs("<text class=\"on\" x=\"", out);
	html_number(out, at->x + MARGIN);
	fputs("\" y=\"", out);
	html_number(out, at->y + 2 * LINE_HEIGHT);
	fputs("\">", out);
	html_text(out, count);
	fputs("</text>", out);
}

static void put_area(
	FILE *out, const struct map *map, const struct area *area, const struct rectangle *at)
{
	const char *path = path_of(map, area);
	char count[UNIT_TEXT_BYTES];

	unit_format_count((uint64_t)area->files, count);
	fprintf(out, "<g><title>");
	html_text(out, path);
	html_text(out, ": ");
	html_text(out, count);
	fputs(" tiny files ", out);
	html_text(out, owner_of(map, area));
	fprintf(out, "</title><rect class=\"f%u\" stroke=\"var(--paper)\" x=\"", area->colour);
	html_number(out, at->x);
	fputs("\" y=\"", out);
	html_number(out, at->y);
	fputs("\" width=\"", out);
	html_number(out, at->width);
	fputs("\" height=\"", out);
	html_number(out, at->height);
	fputs("\"/>", out);
	put_labels(out, path, count, at);
	fputs("</g>\n", out);
}

/* The worst ratio of sides if areas from @smallest to @biggest, @sum together, lie along @side. */
static double worst_ratio(double biggest, double smallest, double sum, double side)
{
	double square = side * side, sum_square = sum * sum;

	return fmax(square * biggest / sum_square, sum_square / (square * smallest));
}

/* How many areas from @first on make the best row along @side; *@sum is what they cover. */
static size_t row_length(
	const struct map *map, size_t first, double scale, double side, double *sum)
{
	double ratio = INFINITY, biggest = map->areas[first].files * scale;
	size_t length = 0;

	*sum = 0;
	while (first + length < map->count) {
		double next = map->areas[first + length].files * scale;
		double with = worst_ratio(biggest, next, *sum + next, side);

		if (with > ratio)
			break;
		ratio = with;
		*sum += next;
		length++;
	}
	return length;
}

/* Puts a row along the shorter side of what is left, and takes its room away. */
static void put_row_of_areas(FILE *out, const struct map *map, size_t first, size_t length,
	double scale, double sum, struct rectangle *left)
{
	bool upright = left->width >= left->height;
	double side = upright ? left->height : left->width, depth = sum / side, offset = 0;

	for (size_t i = first; i < first + length; i++) {
		double extent = map->areas[i].files * scale / depth;
		struct rectangle at =
			upright ? (struct rectangle){left->x, left->y + offset, depth, extent}
				: (struct rectangle){left->x + offset, left->y, extent, depth};

		put_area(out, map, &map->areas[i], &at);
		offset += extent;
	}
	left->x += upright ? depth : 0;
	left->width -= upright ? depth : 0;
	left->y += upright ? 0 : depth;
	left->height -= upright ? 0 : depth;
}

static void put_map(FILE *out, const struct map *map)
{
	struct rectangle left = {0, 0, WIDTH, HEIGHT};
	double scale = WIDTH * HEIGHT / map->files, sum;
	size_t length;

	fprintf(out,
		"<figure><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Treemap of "
		"the hot trees; the table below has the same\">\n",
		WIDTH, HEIGHT);
	for (size_t i = 0; i < map->count; i += length) {
		length = row_length(map, i, scale, fmin(left.width, left.height), &sum);
		if (!length)
			break;
		put_row_of_areas(out, map, i, length, scale, sum, &left);
	}
	fputs("</svg><figcaption>Areas: tiny files of the hot trees, without those in hot trees "
	      "below. Colours: their owners.</figcaption></figure>\n",
		out);
}

void page_treemap(FILE *out, const struct document *document)
{
	struct map map = {.table = page_find_table(document, "rows")};

	if (!map.table)
		return;
	map.path = page_column(map.table, "path");
	map.owner = page_column(map.table, "owner");
	if (!collect(&map) && map.count)
		put_map(out, &map);
	free(map.areas);
}
