#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What does not belong into a release: notes of unfinished work, and places on a developer's machine.
. "${top_srcdir:?}/tests/lint/lib.sh"

# Written in pieces, so that this file does not find itself.
unfinished='TO''DO|FIX''ME|HA''CK|WI''P'
places='/home/(user|me|dev|build)[/"]|(^|[^a-z/.])/ro''ot/|(^|[^A-Za-z0-9_}/.])/wo''rk/|/wt''/|\.inter''nal\b|127\.0\.0\.1:'

text_files() { # ROOT
	{
		files_named "$1" '*.c' '*.h' '*.mk' '*.am' '*.ac' '*.m4' '*.sql' '*.md' '*.[1-9]' '*.in'
		scripts "$1"
	} | sort -u
}

words() { # PATTERN ROOT
	(cd "$2" && text_files . | xargs -r grep -nwE "$1" /dev/null)
}

machine_places() { # ROOT
	(cd "$1" && text_files . | xargs -r grep -nE "$places" /dev/null)
}

trailing_space() { # ROOT
	(cd "$1" && text_files . | grep -v '\.md$' | xargs -r grep -nE '[ 	]+$' /dev/null)
}

none 'no notes of unfinished work' words "$unfinished" "$top_srcdir"
none 'no places of a machine' machine_places "$top_srcdir"
none 'no space at the end of lines' trailing_space "$top_srcdir"
plant base/a.c <<<'/* TO''DO: later */'
catches 'a note of unfinished work' words "$unfinished"
plant base/a.c <<<'open("/ro''ot/x");'
catches 'a place of a machine' machine_places
plant base/a.c <<<'int x; '
catches 'space at the end of a line' trailing_space
done_testing
