// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page: a heading, the answer in words, and a section for each document with its picture and
 * its tables. The stylesheet and the script lie in the page; a policy forbids it everything else,
 * so that no name from a filesystem could make it ask for anything even if it got through.
 */
#include "reports/page/page_html.h"
#include "reports/page/page.h"
#include "reports/renderer.h"

#include <errno.h>
#include <string.h>

/* More rows than anybody reads between two sections. */
#define MOST_OPEN_ROWS 100

struct section {
	const char *document;
	const char *title;
	void (*picture)(FILE *out, const struct document *document);
};

static const struct section sections[] = {
	{"summary", "The owners that matter", NULL},
	{"owner-bands", "Who has files of which size", page_heat_map},
	{"predict", "The backup window", page_window},
	{"tree", "Where the tiny files are", page_treemap},
	{"dirs", "Directories", NULL},
	{"ages", "When files were last changed", page_ages},
	{"trend", "History", page_history},
	{"growth", "Growth", NULL},
	{"classes", "Files by size", NULL},
	{"users", "Users", NULL},
	{"groups", "Groups", NULL},
	{"projects", "Projects", NULL},
	{"calibrate", "What reading costs", NULL},
	{"scan", "The scan", NULL},
	{"scans", "Scans", NULL},
	{NULL, NULL, NULL},
};

/* What is known of a document by its name; the title of others is the name itself. */
static struct section section_of(const struct document *document)
{
	const struct section *section = sections;

	while (section->document && strcmp(section->document, document->name) != 0)
		section++;
	return (struct section){
		document->name, section->title ? section->title : document->name, section->picture};
}

static void put_asset(FILE *out, const char *tag, const char *const lines[])
{
	fprintf(out, "<%s>\n", tag);
	for (; *lines; lines++)
		fputs(*lines, out);
	fprintf(out, "</%s>\n", tag);
}

static void put_paragraphs(FILE *out, char *const lines[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!lines[i][0])
			continue;
		fputs("<p>", out);
		html_text(out, lines[i]);
		fputs("</p>\n", out);
	}
}

/* Of what: the mount point, else the path or the device. */
static const char *subject(const struct document *document)
{
	static const char *const keys[] = {"mount_point", "path", "device"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text = page_field(document, keys[i]);

		if (text)
			return text;
	}
	return document->name;
}

static void put_head(FILE *out, const struct document *document)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri "
	      "'none'; "
	      "form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
		out);
	html_text(out, subject(document));
	fputs(" · xfscensus</title>\n", out);
	put_asset(out, "style", page_style);
	fputs("</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n",
		out);
}

static void put_navigation(FILE *out, const struct document *const documents[], size_t count)
{
	if (count < 2)
		return;
	fputs("<nav aria-label=\"Sections\"><ul>\n", out);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "<li><a href=\"#%s\">", documents[i]->name);
		html_text(out, section_of(documents[i]).title);
		fputs("</a></li>\n", out);
	}
	fputs("</ul></nav>\n", out);
}

/* A table; one that is as long as a history folds where its pictures say the most of it. */
static void put_table(FILE *out, const struct section *section, const struct document *document,
	const struct table *table)
{
	bool folds = section->picture && table->row_count > MOST_OPEN_ROWS &&
		     !(table->flags & TABLE_DATA_ONLY);

	if (folds)
		fprintf(out, "<details><summary>A table of %zu rows</summary>\n", table->row_count);
	page_table(out, document, table);
	if (folds)
		fputs("</details>\n", out);
}

static void put_section(FILE *out, const struct document *document, bool lines)
{
	struct section section = section_of(document);

	fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">",
		document->name, document->name, document->name);
	html_text(out, section.title);
	fputs("</h2>\n", out);
	if (lines)
		put_paragraphs(out, document->before, document->before_count);
	if (section.picture)
		section.picture(out, document);
	for (size_t i = 0; i < document->table_count; i++)
		put_table(out, &section, document, &document->tables[i]);
	if (lines)
		put_paragraphs(out, document->after, document->after_count);
	fputs("</section>\n", out);
}

/* The first document's lines are the answer, and stand above everything. */
static void put_page(FILE *out, const struct document *const documents[], size_t count)
{
	put_head(out, documents[0]);
	fputs("<header><h1>", out);
	html_text(out, subject(documents[0]));
	fputs("</h1>\n<div class=\"answer\">\n", out);
	put_paragraphs(out, documents[0]->before, documents[0]->before_count);
	put_paragraphs(out, documents[0]->after, documents[0]->after_count);
	fputs("</div></header>\n", out);
	put_navigation(out, documents, count);
	fputs("<main id=\"content\">\n", out);
	for (size_t i = 0; i < count; i++)
		put_section(out, documents[i], i > 0);
	fputs("</main>\n<footer>Made by xfscensus. Sizes are in powers of 1024, rates in powers of "
	      "1000; times are UTC.</footer>\n",
		out);
	put_asset(out, "script", page_script);
	fputs("</body>\n</html>\n", out);
}

int render_page(const struct document *const documents[], size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		if (documents[i]->code)
			return documents[i]->code;
	}
	if (!count)
		return -EINVAL;
	errno = 0;
	put_page(out, documents, count);
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

int render_html(const struct document *document, const struct render_options *options, FILE *out)
{
	(void)options;
	put_page(out, &document, 1);
	return 0;
}
