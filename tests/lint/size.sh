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
	(cd "$1" && files_named . '*.c' '*.h' '*.sh' | xargs -r wc -l) | awk '
		$2 == "total" { next }
		{ limit = $2 ~ /^tests\// ? 600 : 500 }
		$1 > limit { print $2 " has " $1 " lines, more than " limit }'
}

# Files with a line of more than 100 bytes once tabs are expanded.
wide_files() { # ROOT
	# shellcheck disable=SC2016 # awk's
	(cd "$1" && files_named . '*.c' '*.h' | xargs -r awk -F '\t' '
		{
			column = length($1)
			for (i = 2; i <= NF; i++)
				column += 8 - column % 8 + length($i)
		}
		column > 100 { print FILENAME }' | sort -u)
}

# clang-format cannot break a string: what it leaves too long is for the writer to break.
long_lines() { # ROOT
	local file
	while IFS= read -r file; do
		expand -t 8 "$1/$file" | grep -nE '^.{101,}' |
			sed "s|^\([0-9]*\):.*|$file:\1: a long line|"
	done < <(wide_files "$1")
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
