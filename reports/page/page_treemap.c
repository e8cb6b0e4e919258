// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hot trees as rectangles, by the squarified treemap of Bruls, Huizing and van Wijk (2000):
 * rows are filled along the shorter side, each with as many areas as make its rectangles more
 * square.
 *
 * An area is a hot tree's tiny files without those of hot trees below, so that no file is counted
 * twice and areas compare; the colour is the owner. Several in one directory are a group: they lie
 * together in a frame with the directory's name, and need to say only the rest of theirs.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH           1000.0
#define HEIGHT          420.0
#define COLOURS         8
#define CHARACTER_WIDTH 7.0 /* of the labels, on average */
#define LINE_HEIGHT     16.0
#define FRAME           2.0
#define LABEL_BYTES     200
#define MARGIN          6.0
#define MAX_AREAS       100
#define ELSEWHERE       SIZE_MAX /* the row of what is in no hot tree */

struct area {
	size_t row; /* of the document's table, or ELSEWHERE */
	double files;
	unsigned colour;
	size_t parent_bytes; /* of the path: the directory that it lies in */
	size_t first;        /* a group: where its areas begin, and how many there are; else 0 */
	size_t count;
};

struct rectangle {
	double x, y, width, height;
};

struct map {
	const struct table *table;
	int path;
	int owner;
	struct area *areas; /* the biggest first; then those of groups, group by group */
	size_t count;       /* without those in groups */
	double files;       /* of all areas */
	const char *owners[COLOURS - 1]; /* who have colours of their own */
	unsigned owner_count;
	bool others;    /* others have the last colour */
	bool elsewhere; /* as does what is in no hot tree */
};

static const char *path_of(const struct map *map, const struct area *area)
{
	return area->row == ELSEWHERE ? "elsewhere" : page_text(map->table, area->row, map->path);
}

static const char *owner_of(const struct map *map, const struct area *area)
{
	return area->row == ELSEWHERE ? "" : page_text(map->table, area->row, map->owner);
}

static int by_files(const void *left, const void *right)
{
	const struct area *a = left, *b = right;

	if (a->files != b->files)
		return a->files < b->files ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* By the directory that they lie in. */
static int compare_parents(const struct map *map, const struct area *a, const struct area *b)
{
	if (a->parent_bytes != b->parent_bytes)
		return a->parent_bytes < b->parent_bytes ? -1 : 1;
	return memcmp(path_of(map, a), path_of(map, b), a->parent_bytes);
}

static int by_parent(const void *left, const void *right, void *map)
{
	int order = compare_parents(map, left, right);

	return order ? order : by_files(left, right);
}

/* The rows at the top are the root and what is in no directory, either of which may be first. */
static bool is_top(const struct map *map, size_t row)
{
	return !page_number(map->table, row, page_column(map->table, "depth"));
}

/* The root of what is shown, which has an owner. */
static size_t root_row(const struct map *map)
{
	for (size_t row = 0; row < map->table->row_count; row++)
		if (is_top(map, row) && *page_text(map->table, row, map->owner))
			return row;
	return 0;
}

/* What is in no area, of all that there is, gets one together. */
static void add_elsewhere(struct map *map)
{
	double all = 0;

	for (size_t row = 0; row < map->table->row_count; row++)
		if (is_top(map, row))
			all += page_number(
				map->table, row, page_column(map->table, "tree_tiny_files"));
	for (size_t i = 0; i < map->count; i++)
		map->files += map->areas[i].files;
	if (all <= map->files)
		return;
	map->areas[map->count++] =
		(struct area){.row = ELSEWHERE, .files = all - map->files, .colour = COLOURS - 1};
	map->files = all;
}

/*
 * Puts areas that lie in one directory, other than that which the map is of, into a group. The
 * areas move behind the others, of which there is one for each group.
 */
static int make_groups(struct map *map)
{
	size_t root_bytes = strlen(page_text(map->table, root_row(map), map->path));
	size_t end = map->count;
	struct area *outer = calloc(2 * map->count + 1, sizeof(*outer));
	size_t count = 0;

	if (!outer)
		return -1;
	qsort_r(map->areas, map->count, sizeof(*map->areas), by_parent, map);
	for (size_t i = 0, next; i < map->count; i = next) {
		struct area group = map->areas[i];

		for (next = i + 1; next < map->count; next++) {
			if (group.parent_bytes <= root_bytes ||
				compare_parents(map, &map->areas[i], &map->areas[next]))
				break;
			group.files += map->areas[next].files;
		}
		group.count = next - i > 1 ? next - i : 0;
		for (size_t j = i; group.count && j < next; j++)
			outer[end++] = map->areas[j];
		group.first = end - group.count;
		outer[count++] = group;
	}
	qsort(outer, count, sizeof(*outer), by_files);
	memmove(outer + count, outer + map->count, (end - map->count) * sizeof(*outer));
	for (size_t i = 0; i < count; i++)
		outer[i].first -= map->count - count;
	free(map->areas);
	map->areas = outer;
	map->count = count;
	return 0;
}

static void choose_colour(struct map *map, struct area *area)
{
	const char *owner = owner_of(map, area);
	unsigned colour = 0;

	while (colour < map->owner_count && strcmp(map->owners[colour], owner) != 0)
		colour++;
	map->elsewhere |= area->row == ELSEWHERE;
	if (area->row == ELSEWHERE)
		colour = COLOURS - 1;
	else if (!*owner)
		colour = COLOURS - 1;
	else if (colour == map->owner_count && colour < COLOURS - 1)
		map->owners[map->owner_count++] = owner;
	if (colour == COLOURS - 1 && area->row != ELSEWHERE)
		map->others = true;
	area->colour = colour;
}

/* The first owners get colours of their own, the others share the last one. */
static void choose_colours(struct map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		struct area *area = &map->areas[i];

		for (size_t j = 0; j < area->count; j++)
			choose_colour(map, &map->areas[area->first + j]);
		if (!area->count)
			choose_colour(map, area);
	}
}

static size_t parent_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static int collect(struct map *map)
{
	int hot = page_column(map->table, "hot_tiny_files");

	map->areas = calloc(map->table->row_count + 2, sizeof(*map->areas));
	if (!map->areas)
		return -1;
	for (size_t row = 0; row < map->table->row_count; row++) {
		double files = page_number(map->table, row, hot);
		const char *path = page_text(map->table, row, map->path);

		if (files > 0)
			map->areas[map->count++] = (struct area){
				.row = row, .files = files, .parent_bytes = parent_bytes(path)};
	}
	qsort(map->areas, map->count, sizeof(*map->areas), by_files);
	if (map->count > MAX_AREAS)
		map->count = MAX_AREAS;
	if (!map->count)
		return 0;
	add_elsewhere(map);
	if (make_groups(map))
		return -1;
	choose_colours(map);
	return 0;
}

static bool is_continued(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80; /* UTF-8 */
}

/* The end of @path that has room in @width: whole names, or the beginning of the last one. */
static const char *label_of(const char *path, double width, char out[LABEL_BYTES])
{
	size_t length = strlen(path), room = (size_t)fmax(width / CHARACTER_WIDTH, 0);
	const char *name = strrchr(path, '/');

	if (length <= room)
		return path;
	name = name ? name + 1 : path;
	if (strlen(name) <= room) {
		path = strchr(path + length - room - (path[length - room - 1] == '/'), '/');
		return path && path < name ? path + 1 : name;
	}
	room = room > 1 ? room - 1 : 1;
	if (room > LABEL_BYTES - sizeof("…"))
		room = LABEL_BYTES - sizeof("…");
	while (room && is_continued(name[room]))
		room--;
	snprintf(out, LABEL_BYTES, "%.*s…", (int)room, name);
	return out;
}

static void put_labels(FILE *out, const char *path, const char *count, const struct rectangle *at)
{
	double room = at->width - 2 * MARGIN;
	char label[LABEL_BYTES];

	if (room < 5 * CHARACTER_WIDTH || at->height < LINE_HEIGHT + MARGIN)
		return;
	html_svg_text(out, "on", at->x + MARGIN, at->y + LINE_HEIGHT, label_of(path, room, label));
	if (at->height >= 2 * LINE_HEIGHT + MARGIN)
		html_svg_text(out, "on", at->x + MARGIN, at->y + 2 * LINE_HEIGHT, count);
}

static void put_rectangle(FILE *out, const char *class, const struct rectangle *at)
{
	html_svg_rectangle(out, class, at->x, at->y, at->width, at->height);
}

/* An area; its label leaves out the first @known bytes of its path. */
static void put_area(FILE *out, const struct map *map, const struct area *area, size_t known,
	const struct rectangle *at)
{
	const char *path = path_of(map, area), *owner = owner_of(map, area);
	char count[UNIT_TEXT_BYTES], class[] = "f0";

	unit_format_count((uint64_t)area->files, count);
	class[1] = (char)('0' + area->colour);
	fputs("<g><title>", out);
	html_text(out, path);
	html_text(out, ": ");
	html_text(out, count);
	fputs(*owner ? " tiny files of " : " tiny files", out);
	html_text(out, owner);
	fputs("</title>", out);
	put_rectangle(out, class, at);
	put_labels(out, path + (area->row == ELSEWHERE ? 0 : known), count, at);
	fputs("</g>\n", out);
}

/* The worst ratio of sides if areas from @smallest to @biggest, @sum together, lie along @side. */
static double worst_ratio(double biggest, double smallest, double sum, double side)
{
	double square = side * side, sum_square = sum * sum;

	return fmax(square * biggest / sum_square, sum_square / (square * smallest));
}

/* How many of the areas make the best row along @side; *@sum is what they cover. */
static size_t row_length(
	const struct area *areas, size_t count, double scale, double side, double *sum)
{
	double ratio = INFINITY, biggest = areas[0].files * scale;
	size_t length = 0;

	*sum = 0;
	while (length < count) {
		double next = areas[length].files * scale;
		double with = worst_ratio(biggest, next, *sum + next, side);

		if (with > ratio)
			break;
		ratio = with;
		*sum += next;
		length++;
	}
	return length;
}

/* The rectangle of the next area of a row, which begins @offset along it. */
static struct rectangle place(
	const struct rectangle *left, double depth, double offset, double extent)
{
	if (left->width >= left->height)
		return (struct rectangle){left->x, left->y + offset, depth, extent};
	return (struct rectangle){left->x + offset, left->y, extent, depth};
}

static void take_away(struct rectangle *left, double depth)
{
	if (left->width >= left->height) {
		left->x += depth;
		left->width -= depth;
	} else {
		left->y += depth;
		left->height -= depth;
	}
}

static void put_group(
	FILE *out, const struct map *map, const struct area *group, const struct rectangle *at);

/* Fills @left with @count areas, the biggest first; row by row along its shorter side. */
static void put_areas(FILE *out, const struct map *map, const struct area *areas, size_t count,
	size_t known, struct rectangle left)
{
	double files = 0, scale, sum;
	size_t length;

	for (size_t i = 0; i < count; i++)
		files += areas[i].files;
	scale = left.width * left.height / files;
	for (size_t i = 0; i < count; i += length) {
		double side = fmin(left.width, left.height), offset = 0;

		length = row_length(areas + i, count - i, scale, side, &sum);
		if (!length)
			break;
		for (size_t j = i; j < i + length; j++) {
			double extent = areas[j].files * scale / (sum / side);
			struct rectangle at = place(&left, sum / side, offset, extent);

			if (areas[j].count)
				put_group(out, map, &areas[j], &at);
			else
				put_area(out, map, &areas[j], known, &at);
			offset += extent;
		}
		take_away(&left, sum / side);
	}
}

/* A frame with the directory's name, where there is room for it, around what is in it. */
static void put_group(
	FILE *out, const struct map *map, const struct area *group, const struct rectangle *at)
{
	const struct rectangle inner = {at->x + FRAME, at->y + LINE_HEIGHT + FRAME,
		at->width - 2 * FRAME, at->height - LINE_HEIGHT - 2 * FRAME};
	char *name = strndup(path_of(map, group), group->parent_bytes);
	size_t known = group->parent_bytes + 1;
	char label[LABEL_BYTES];

	if (!name || inner.width < 10 * CHARACTER_WIDTH || inner.height < 2 * LINE_HEIGHT) {
		put_areas(out, map, map->areas + group->first, group->count, known, *at);
	} else {
		put_rectangle(out, "group", at);
		html_svg_text(out, "quiet", at->x + MARGIN, at->y + LINE_HEIGHT - 2,
			label_of(name, inner.width, label));
		put_areas(out, map, map->areas + group->first, group->count, known, inner);
	}
	free(name);
}

static void put_legend(FILE *out, const struct map *map)
{
	fputs("<ul class=\"legend\">\n", out);
	for (unsigned i = 0; i < map->owner_count; i++) {
		fprintf(out, "<li><span class=\"f%u\"></span>", i);
		html_text(out, map->owners[i]);
		fputs("</li>\n", out);
	}
	if (map->others || map->elsewhere)
		fprintf(out, "<li><span class=\"f%d\"></span>%s%s%s</li>\n", COLOURS - 1,
			map->others ? "others" : "", map->others && map->elsewhere ? ", and " : "",
			map->elsewhere ? "elsewhere" : "");
	fputs("</ul>\n", out);
}

static void put_map(FILE *out, const struct map *map)
{
	fprintf(out,
		"<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"Hot trees\"><svg class=\"treemap\" viewBox=\"0 0 %.0f %.0f\" "
		"role=\"img\" aria-label=\"Treemap of "
		"the hot trees; the table below has the same\">\n",
		WIDTH, HEIGHT);
	put_areas(out, map, map->areas, map->count, 0, (struct rectangle){0, 0, WIDTH, HEIGHT});
	fputs("</svg></div>\n", out);
	put_legend(out, map);
	fputs("<figcaption>Areas: tiny files of the hot trees, without those in hot trees "
	      "below; frames: the directories that they lie in. Colours: their owners."
	      "</figcaption></figure>\n",
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
