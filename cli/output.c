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

/* An output_fn. */
static int render(FILE *out, void *context, struct err *err)
{
	static const enum render_format formats[] = {
		[FORMAT_TEXT] = RENDER_TEXT,
		[FORMAT_JSON] = RENDER_JSON,
		[FORMAT_CSV] = RENDER_CSV,
		[FORMAT_HTML] = RENDER_HTML,
		[FORMAT_OPENMETRICS] = RENDER_OPENMETRICS,
	};
	const struct content *content = context;
	const struct render_options options = {
		.format = formats[content->args->format],
		.exact = content->args->bytes,
		.width = terminal_width(out),
	};

	(void)err;
	return content->page ? render_page(content->documents, content->count, out)
			     : render_document(content->documents[0], &options, out);
}

/* Calls @write, whose own message comes first, and sees to it that all went out. */
static int write_all(FILE *out, output_fn *write, void *context, struct err *err)
{
	int rc = write(out, context, err);

	if (!rc && (fflush(out) || ferror(out)))
		rc = errno ? -errno : -EIO;
	return rc;
}

/* @opened is what opening the file for @path gave. */
static int write_file(const char *path, struct atomic_file *file, int opened, output_fn *write,
	void *context, struct err *err)
{
	int rc = opened;

	if (!rc)
		rc = atomic_file_close(file, write_all(file->stream, write, context, err));
	return rc ? err_set_errno(err, rc, "cannot write %s", path) : 0;
}

/* Whether @path names something that a rename would harm: a device, a pipe. */
static bool write_in_place(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int write_stream(const char *path, output_fn *write, void *context, struct err *err)
{
	FILE *out = path ? fopen(path, "w") : stdout;
	int rc;

	if (!out)
		return err_set_errno(err, -errno, "cannot write %s", path);
	rc = write_all(out, write, context, err);
	if (path && fclose(out) && !rc)
		rc = -errno;
	if (rc)
		err_set_errno(err, rc, "cannot write %s", path ? path : "to standard output");
	return rc;
}

int output_written(const char *path, output_fn *write, void *context, struct err *err)
{
	struct atomic_file file;

	if (path && !write_in_place(path))
		return write_file(path, &file, atomic_file_open(&file, path), write, context, err);
	return write_stream(path, write, context, err);
}

int output_private(const char *path, output_fn *write, void *context, struct err *err)
{
	struct atomic_file file;

	return write_file(path, &file, atomic_file_open_private(&file, path), write, context, err);
}

/* Makes the file beside as if to write it, and drops it; a device or pipe is only asked. */
static int try_output(const char *path)
{
	struct atomic_file file;
	struct stat st;
	int rc;

	if (write_in_place(path))
		return access(path, W_OK) ? -errno : 0;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return -EISDIR;
	rc = atomic_file_open(&file, path);
	if (!rc)
		atomic_file_close(&file, -ECANCELED);
	return rc;
}

int output_check(const struct common_args *args, struct err *err)
{
	int rc = args->output ? try_output(args->output) : 0;

	return rc ? err_set_errno(err, rc, "cannot write %s", args->output) : 0;
}

static int write_content(struct content *content, struct err *err)
{
	for (size_t i = 0; i < content->count; i++) {
		if (content->documents[i]->code)
			return err_set(err, content->documents[i]->code, "out of memory");
	}
	return output_written(content->args->output, render, content, err);
}

int output_document(
	const struct common_args *args, const struct document *document, struct err *err)
{
	struct content content = {args, &document, 1, false};

	return write_content(&content, err);
}

int output_page(const struct common_args *args, const struct document *const documents[],
	size_t count, struct err *err)
{
	struct content content = {args, documents, count, true};

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
