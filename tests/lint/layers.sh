#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Holds the table of the rooms: who may include whom, and what only one room may use.
. "${top_srcdir:?}/tests/lint/lib.sh"

# folder: folders of its own that it may include
rooms='
base: base
analyzer/xfs: base analyzer/xfs
analyzer/census: base analyzer/census
analyzer/scan: base analyzer/xfs analyzer/census analyzer/scan
analyzer/window: base analyzer/xfs analyzer/census analyzer/window
analyzer/policy: base analyzer/census analyzer/window analyzer/policy
analyzer/history: base analyzer/census analyzer/window analyzer/history
storage: base analyzer/census analyzer/window analyzer/policy analyzer/history storage
reports: base analyzer/census analyzer/window analyzer/policy analyzer/history reports
cli: base analyzer/xfs analyzer/census analyzer/scan analyzer/window analyzer/policy analyzer/history storage reports cli
'

product_files() { # ROOT
	files_named "$1" '*.c' '*.h' | grep -E '^(analyzer|base|cli|reports|storage)/'
}

# "FILE HEADER" of each include, the header with its brackets or quotes.
includes() { # ROOT
	(cd "$1" && product_files . | xargs -r sed -nE 's/^[ \t]*#[ \t]*include[ \t]*([<"][^>"]*[>"]).*/\1/; t found
		b
		: found
		F
		p' | paste -d ' ' - -)
}

wrong_includes() { # ROOT
	includes "$1" | awk -v rooms="$rooms" '
		function room_of(path) {
			while (sub(/\/[^\/]*$/, "", path) && !(path in allowed)) ;
			return path
		}
		BEGIN {
			count = split(rooms, lines, "\n")
			for (i = 1; i <= count; i++)
				if (split(lines[i], parts, ": ") == 2)
					allowed[parts[1]] = " " parts[2] " "
		}
		$2 ~ /^".*\// {
			gsub(/"/, "", $2)
			room = room_of($1)
			if (!index(allowed[room], " " room_of($2) " "))
				print $1 ": " room " may not include " $2
		}'
}

wrong_system_headers() { # ROOT
	local file header
	while read -r file header; do
		case $header in
		'<sqlite3.h>') [[ $file == storage/* ]] || echo "$file: only storage includes $header" ;;
		'<xfs/'*) [[ $file == analyzer/xfs/* ]] || echo "$file: only analyzer/xfs includes $header" ;;
		'"'*/*) ;;
		'"config.h"') ;;
		'"'*) echo "$file: $header: write the path from the top folder" ;;
		esac
	done < <(includes "$1")
}

# Uses of PATTERN in the code of the files that standard input names.
uses() { # ROOT PATTERN WHY
	code_lines "$1" | sed -nE "s#^([^:]*:[0-9]*):(.*[^A-Za-z0-9_>.]|)($2)(\$|[^A-Za-z0-9_].*)#\1: $3#p"
}

# live_freeze.c has a process of its own to end. err and warn are also names of variables: only calls
# count.
printing_below_cli() { # ROOT
	product_files "$1" | grep -v '^cli/' | grep -vx 'analyzer/scan/live_freeze\.c' |
		uses "$1" '(v?printf|puts|putchar|perror|_?exit|_Exit|getopt|getopt_long|errx?|warnx?)[ \t]*\(.*|optarg|stdout|stderr' \
			'printing, exit and options belong to cli'
}

threads_outside_pool() { # ROOT
	product_files "$1" | grep -vx 'base/pool\.c' |
		uses "$1" 'pthread_create|thrd_create|clone|clone3' 'only base/pool.c starts threads'
}

none 'rooms include only what the table allows' wrong_includes "$top_srcdir"
none 'sqlite3.h and xfs/*.h stay in their rooms' wrong_system_headers "$top_srcdir"
none 'nothing prints, exits or parses options below cli' printing_below_cli "$top_srcdir"
none 'threads start only in the pool' threads_outside_pool "$top_srcdir"
is 'there are files to look at' "$(product_files "$top_srcdir" | wc -l | sed 's/^0$/none/;t;s/.*/some/')" some

plant reports/a.c <<<'#include "storage/store.h"'
catches 'a report that includes storage' wrong_includes
plant base/a.c <<<'#  include "analyzer/xfs/inode.h"'
catches 'base that includes XFS' wrong_includes
plant storage/a.h <<<'#include "analyzer/scan/scan.h"'
catches 'storage that includes an engine' wrong_includes
plant cli/a.c <<<'#include <sqlite3.h>'
catches 'SQLite outside storage' wrong_system_headers
plant analyzer/scan/a.c <<<'#include <xfs/xfs.h>'
catches 'an XFS header outside its room' wrong_system_headers
plant analyzer/scan/a.c <<<'	fprintf(stderr, "x");'
catches 'printing to standard error' printing_below_cli
plant analyzer/scan/a.c <<<'/* fine */ void f(void) { exit(1); }'
catches 'exit in a library' printing_below_cli
plant analyzer/scan/a.c <<<'int rc = pthread_create(&t, 0, f, 0);'
catches 'a thread of its own' threads_outside_pool
plant analyzer/scan/a.c <<<'/* exit(1), printf( */ int x; // stderr pthread_create'
none 'self-test: comments are not code' printing_below_cli "$plant_root"
plant analyzer/scan/a.c <<<'int rc = err_set(err, -1, "cannot exit(%d) stderr");'
none 'self-test: messages are not code' printing_below_cli "$plant_root"
done_testing
