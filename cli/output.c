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

static int render(const struct common_args *args, const struct document *document, FILE *out)
{
	static const enum render_format formats[] = {
		[FORMAT_TEXT] = RENDER_TEXT,
		[FORMAT_JSON] = RENDER_JSON,
		[FORMAT_CSV] = RENDER_CSV,
	};
	const struct render_options options = {
		.format = formats[args->format],
		.exact = args->bytes,
		.width = terminal_width(out),
	};
	int rc = render_document(document, &options, out);

	if (!rc && (fflush(out) || ferror(out)))
		rc = errno ? -errno : -EIO;
	return rc;
}

static int write_file(
	const struct common_args *args, const struct document *document, struct err *err)
{
	struct atomic_file file;
	int rc = atomic_file_open(&file, args->output);

	if (!rc)
		rc = atomic_file_close(&file, render(args, document, file.stream));
	return rc ? err_set_errno(err, rc, "cannot write %s", args->output) : 0;
}

/* Whether --output names something that a rename would harm: a device, a pipe. */
static bool write_in_place(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int write_stream(
	const struct common_args *args, const struct document *document, struct err *err)
{
	FILE *out = args->output ? fopen(args->output, "w") : stdout;
	int rc;

	if (!out)
		return err_set_errno(err, -errno, "cannot write %s", args->output);
	rc = render(args, document, out);
	if (args->output && fclose(out) && !rc)
		rc = -errno;
	if (rc)
		err_set_errno(err, rc, "cannot write %s",
			args->output ? args->output : "to standard output");
	return rc;
}

int output_document(
	const struct common_args *args, const struct document *document, struct err *err)
{
	if (document->code)
		return err_set(err, document->code, "out of memory");
	if (args->output && !write_in_place(args->output))
		return write_file(args, document, err);
	return write_stream(args, document, err);
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
