// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/census/scan_info.h"

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_one_line(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
	}
}

void scan_info_add_reason(struct scan_info *info, const char *format, ...)
{
	const char *before = info->engine_reason;
	autofree char *clause = NULL;
	char *longer;
	va_list list;
	int length;

	va_start(list, format);
	length = vasprintf(&clause, format, list);
	va_end(list);
	if (length < 0) {
		clause = NULL; /* undefined after an error */
		return;
	}
	make_one_line(clause);
	if (asprintf(&longer, "%s%s%s", before ? before : "", before ? "; " : "", clause) < 0)
		return;
	free(info->engine_reason);
	info->engine_reason = longer;
}

void scan_info_fini(struct scan_info *info)
{
	free(info->mount_point);
	free(info->device);
	free(info->path);
	free(info->engine_reason);
	memset(info, 0, sizeof(*info));
}
