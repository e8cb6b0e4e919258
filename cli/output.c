// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include "base/cleanup.h"
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

/* A new file beside @path, open for writing; its name in @name, to be freed. NULL with errno. */
static FILE *open_beside(const char *path, char **name)
{
	mode_t mask = umask(0);
	FILE *out = NULL;
	int fd;

	umask(mask);
	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		return NULL;
	}
	fd = mkstemp(*name);
	if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
		out = fdopen(fd, "w");
	if (!out && fd >= 0) {
		unlink(*name);
		close(fd);
	}
	return out;
}

static int write_file(
	const struct common_args *args, const struct document *document, struct err *err)
{
	autofree char *name = NULL;
	FILE *out = open_beside(args->output, &name);
	int rc;

	if (!out)
		return err_set_errno(err, -errno, "cannot write %s", args->output);
	rc = render(args, document, out);
	if (!rc && fsync(fileno(out)))
		rc = -errno;
	if (fclose(out) && !rc)
		rc = -errno;
	if (!rc && rename(name, args->output))
		rc = -errno;
	if (!rc)
		return 0;
	unlink(name);
	return err_set_errno(err, rc, "cannot write %s", args->output);
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
