#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clang-format decides. Versions differ in what they decide, so only version 14 is asked.
. "${top_srcdir:?}/tests/lint/lib.sh"

clang_format=''
for candidate in clang-format-14 clang-format; do
	if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
		clang_format=$candidate
		break
	fi
done
[ -n "$clang_format" ] || skip_all 'clang-format 14 is not installed'

badly_formatted() { # ROOT
	local root=$1
	(cd "$root" && files_named . '*.c' '*.h' |
		xargs -r "$clang_format" --style=file --dry-run -Werror --ferror-limit=1 2>&1 |
		grep -E ': error:')
}

none 'C files are formatted' badly_formatted "$top_srcdir"
plant base/a.c <<<'int  f( void ){return 0;}'
cp "$top_srcdir/.clang-format" "$plant_root/"
catches 'bad formatting' badly_formatted
done_testing
