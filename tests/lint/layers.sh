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

room_of() { # FILE
	local folder=${1%/*}
	while [ "$folder" != "${folder%/*}" ]; do
		grep -q "^$folder:" <<<"$rooms" && break
		folder=${folder%/*}
	done
	echo "$folder"
}

product_files() { # ROOT
	files_named "$1" '*.c' '*.h' | grep -E '^(analyzer|base|cli|reports|storage)/'
}

includes() { # ROOT
	local file
	while IFS= read -r file; do
		sed -nE 's/^[ \t]*#[ \t]*include[ \t]*([<"][^>"]*[>"]).*/\1/p' "$1/$file" |
			while IFS= read -r header; do
				echo "$file $header"
			done
	done < <(product_files "$1")
}

wrong_includes() { # ROOT
	local file header room allowed target
	while read -r file header; do
		[[ $header == '"'*/* ]] || continue
		room=$(room_of "$file")
		header=${header//\"/}
		target=$(room_of "$header")
		allowed=$(sed -n "s|^$room: ||p" <<<"$rooms")
		[[ " $allowed " == *" $target "* ]] || echo "$file: $room may not include $header"
	done < <(includes "$1")
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
	local file
	while IFS= read -r file; do
		code_only <"$1/$file" | grep -nE "(^|[^A-Za-z0-9_])($2)($|[^A-Za-z0-9_])" |
			sed "s|^\([0-9]*\):.*|$file:\1: $3|"
	done
}

# live_freeze.c has a process of its own to end.
printing_below_cli() { # ROOT
	product_files "$1" | grep -v '^cli/' | grep -vx 'analyzer/scan/live_freeze\.c' |
		uses "$1" 'v?printf|puts|putchar|perror|exit|_exit|_Exit|getopt|getopt_long|optarg|stdout|stderr|err|errx|warn|warnx' \
			'printing, exit and options belong to cli' |
		not_a_variable "$1"
}

# err and warn are also names of variables: only calls count.
not_a_variable() { # ROOT
	local line file number
	while IFS= read -r line; do
		file=${line%%:*}
		number=${line#*:}
		number=${number%%:*}
		code_only <"$1/$file" | sed -n "${number}p" |
			grep -qE '(^|[^A-Za-z0-9_>.])(((v?printf|puts|putchar|perror|_?exit|_Exit|getopt|getopt_long|errx?|warnx?)[ \t]*\()|((optarg|stdout|stderr)($|[^A-Za-z0-9_])))' &&
			echo "$line"
	done
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
