#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every file that can hold a comment says its licence in its first five lines.
. "${top_srcdir:?}/tests/lint/lib.sh"

without_licence() { # ROOT
	local root=$1 file
	{
		files_named "$root" '*.c' '*.h' '*.mk' 'Makefile.am' 'configure.ac' '*.m4' '*.sql' \
			'*.[1-9]' '*.[1-9].in' '*.supp'
		scripts "$root"
	} | while IFS= read -r file; do
		head -n 5 "$root/$file" | grep -qF 'SPDX-License-Identifier: GPL-2.0-or-later' ||
			echo "$file has no SPDX line"
	done
}

none 'every file says its licence' without_licence "$top_srcdir"
plant storage/a.c <<<'int x;'
catches 'a file without a licence' without_licence
done_testing
