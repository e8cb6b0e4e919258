# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the lints share: which files there are, found without git so that they also run in a release
# tarball; and planting violations, to prove that a lint sees them.

# shellcheck source=tests/tap.sh
. "${top_srcdir:?}/tests/tap.sh"
export LC_ALL=C.UTF-8

source_folders=(analyzer base cli docs m4 reports storage tests tools)

# Sources below a folder by name pattern, relative to it.
files_named() { # ROOT PATTERN…
	local root=$1 names=() pattern
	shift
	for pattern in "$@"; do
		names+=(-o -name "$pattern")
	done
	(cd "$root" && {
		find . -maxdepth 1 -type f \( "${names[@]:1}" \)
		for folder in "${source_folders[@]}"; do
			[ ! -d "$folder" ] || find "$folder" -type f \( "${names[@]:1}" \)
		done
	} | sed 's|^\./||' | grep -vxF -e config.h -e config.h.in -e aclocal.m4 -e Makefile.in | sort)
}

# Scripts: by suffix or, in the folders, by their first line where there is none.
scripts() { # ROOT
	local root=$1
	{
		files_named "$root" '*.sh'
		{
			files_named "$root" '*' | grep -E '/[^./]*$'
			[ ! -f "$root/.ci/run" ] || echo .ci/run
		} | (cd "$root" && xargs -r awk 'FNR == 1 && /^#!.*sh( |$)/ { print FILENAME } { nextfile }')
	} | sort -u
}

# Every line of the files that standard input names, without comments and string contents, as
# "FILE:LINE:CODE".
code_lines() { # ROOT
	# shellcheck disable=SC2016 # awk's
	(cd "$1" && xargs -r awk '
	function code(line, out, what) {
		out = ""
		for (;;) {
			if (comment) {
				if (!match(line, /\*\//)) return out
				comment = 0
			} else {
				if (!match(line, /\/[*\/]|["\047]/)) return out line
				out = out substr(line, 1, RSTART - 1)
				what = substr(line, RSTART, RLENGTH)
				if (what == "//") return out
				if (what == "/*") comment = 1
			}
			line = substr(line, RSTART + RLENGTH)
			if (what != "\"" && what != "\047") continue
			if (!match(line, what == "\"" ? "^([^\"\\\\]|\\\\.)*\"" : "^([^\047\\\\]|\\\\.)*\047"))
				return out what
			out = out what what
			line = substr(line, RLENGTH + 1)
			what = ""
		}
	}
	FNR == 1 { comment = 0 }
	{ print FILENAME ":" FNR ":" code($0) }')
}

plant_root=$(mktemp -d "${TMPDIR:-/tmp}/xfscensus-lint.XXXXXX") || exit 99
trap 'rm -rf -- "$plant_root"' EXIT

# Makes a file in an otherwise empty tree, $plant_root, with standard input in it.
plant() { # FILE
	rm -rf -- "${plant_root:?}"/*
	mkdir -p "$(dirname "$plant_root/$1")"
	cat >"$plant_root/$1"
}

# A lint must print something about the planted tree.
catches() { # NAME COMMAND…
	local name=$1 found
	shift
	found=$("$@" "$plant_root")
	tap_result "$((${#found} == 0))" "self-test: $name is caught"
}
