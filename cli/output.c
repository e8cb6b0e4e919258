// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include "cli/atomic_file.h"
#include "reports/render.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Columns of the terminal behind @out; 0 (no limit) if there is none. */
static unsigned terminal_width(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!isatty(fileno(out)))
		return 0;
	if (!ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col > 0)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? (unsigned)atoi(columns) : 80;
}

/* What is written: a document in the format wanted, or several as a page. */
struct content {
	const struct common_args *args;
	const struct document *const *documents;
	size_t count;
	bool page;
};

static int render(const struct content *content, FILE *out)
{
	static const enum render_format formats[] = {
		[FORMAT_TEXT] = RENDER_TEXT,
		[FORMAT_JSON] = RENDER_JSON,
		[FORMAT_CSV] = RENDER_CSV,
		[FORMAT_HTML] = RENDER_HTML,
		[FORMAT_OPENMETRICS] = RENDER_OPENMETRICS,
	};
	const struct render_options options = {
		.format = formats[content->args->format],
		.exact = content->args->bytes,
		.width = terminal_width(out),
	};
	int rc = content->page ? render_page(content->documents, content->count, out)
			       : render_document(content->documents[0], &options, out);

	if (!rc && (fflush(out) || ferror(out)))
		rc = errno ? -errno : -EIO;
	return rc;
}

static int write_file(const struct content *content, struct err *err)
{
	const struct common_args *args = content->args;
	struct atomic_file file;
	int rc = atomic_file_open(&file, args->output);

	if (!rc)
		rc = atomic_file_close(&file, render(content, file.stream));
	return rc ? err_set_errno(err, rc, "cannot write %s", args->output) : 0;
}

/* Whether --output names something that a rename would harm: a device, a pipe. */
static bool write_in_place(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int write_stream(const struct content *content, struct err *err)
{
	const struct common_args *args = content->args;
	FILE *out = args->output ? fopen(args->output, "w") : stdout;
	int rc;

	if (!out)
		return err_set_errno(err, -errno, "cannot write %s", args->output);
	rc = render(content, out);
	if (args->output && fclose(out) && !rc)
		rc = -errno;
	if (rc)
		err_set_errno(err, rc, "cannot write %s",
			args->output ? args->output : "to standard output");
	return rc;
}

static int write_content(const struct content *content, struct err *err)
{
	const struct common_args *args = content->args;

	for (size_t i = 0; i < content->count; i++) {
		if (content->documents[i]->code)
			return err_set(err, content->documents[i]->code, "out of memory");
	}
	if (args->output && !write_in_place(args->output))
		return write_file(content, err);
	return write_stream(content, err);
}

int output_document(
	const struct common_args *args, const struct document *document, struct err *err)
{
	const struct content content = {args, &document, 1, false};

	return write_content(&content, err);
}

int output_page(const struct common_args *args, const struct document *const documents[],
	size_t count, struct err *err)
{
	const struct content content = {args, documents, count, true};

	return write_content(&content, err);
}

void output_note(const struct common_args *args, const char *format, ...)
{
	va_list list;

	if (args->quiet)
		return;
	fprintf(stderr, "xfscensus: ");
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
}
