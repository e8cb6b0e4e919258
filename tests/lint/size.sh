#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of at most 80 lines, files of at most 500 (tests: 600), lines of at most 100 columns.
. "${top_srcdir:?}/tests/lint/lib.sh"

long_functions() { # ROOT
	(cd "$1" && files_named . '*.c' '*.h' | xargs -r awk '
		/^\{/ { start = FNR }
		/^\}/ && start {
			if (FNR - start - 1 > 80)
				print FILENAME ":" start ": a function of " FNR - start - 1 " lines"
			start = 0
		}
		FNR == 1 { start = 0 }')
}

long_files() { # ROOT
	local file lines limit
	while IFS= read -r file; do
		lines=$(wc -l <"$1/$file")
		limit=500
		[[ $file != tests/* ]] || limit=600
		[ "$lines" -le "$limit" ] || echo "$file has $lines lines, more than $limit"
	done < <(files_named "$1" '*.c' '*.h' '*.sh')
}

# clang-format cannot break a string: what it leaves too long is for the writer to break.
long_lines() { # ROOT
	(cd "$1" && files_named . '*.c' '*.h' | while IFS= read -r file; do
		LC_ALL=C.UTF-8 expand -t 8 "$file" | LC_ALL=C.UTF-8 grep -nE '^.{101,}' | sed "s|^\([0-9]*\):.*|$file:\1: a long line|"
	done)
}

none 'functions are short' long_functions "$top_srcdir"
none 'files are short' long_files "$top_srcdir"
none 'lines are short' long_lines "$top_srcdir"

{
	printf 'int f(void)\n{\n'
	yes '	x();' | head -n 81
	printf '}\n'
} | plant base/a.c
catches 'a long function' long_functions
yes 'int x;' | head -n 501 | plant base/a.c
catches 'a long file' long_files
printf '%0101d\n' 0 | plant base/a.c
catches 'a long line' long_lines
done_testing
