#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A manual page for every command, well-formed, with every option that --help lists. The pages are
# built from docs/man, so they are looked for in the build folder first.
. "${top_srcdir:?}/tests/lint/lib.sh"
need_commands mandoc

page_of() { # COMMAND
	local page
	for page in "${top_builddir:?}/docs/man/xfscensus-$1.1" "$top_srcdir/docs/man/xfscensus-$1.1"; do
		[ ! -f "$page" ] || {
			echo "$page"
			return
		}
	done
	return 1
}

# Commands are the first words of the indented lines of the overview.
commands() {
	"${XFSCENSUS:?}" --help | sed -nE 's/^ +([a-z]+) .*/\1/p' | grep -vx -e help -e xfscensus | sort -u
}

undocumented_options() { # COMMAND PAGE
	local option
	for option in $("$XFSCENSUS" "$1" --help | grep -oE '(^|[ ,[])--[a-z][a-z0-9-]*' | tr -d ' ,[' | sort -u); do
		mandoc -T utf8 "$2" | col -b | grep -qE -- "$option([^a-z0-9-]|$)" ||
			echo "--help shows $option, the page does not"
	done
}

lint_page() { # PAGE
	# A page that is not installed cannot be found by those that refer to it.
	mandoc -T lint -W warning "$1" | grep -v 'referenced manual not found'
}

# Examples are there to be copied: a screen of 80 columns has room for 67 characters of one, and a
# macro takes quotes for its own.
spoilt_examples() { # ROOT
	# shellcheck disable=SC2016 # awk's
	(cd "$1" && files_named . '*.[1-9].in' '*.[1-9]' |
		xargs -r awk '/^\.Dl / && (length($0) > 71 || /"/) { print FILENAME ":" FNR ": " $0 }')
}

is 'the program lists its commands' "$(commands | grep -xc -e scan -e report)" 2
for command in $(commands); do
	if page=$(page_of "$command"); then
		none "xfscensus-$command.1 is well-formed" lint_page "$page"
		none "xfscensus-$command.1 has every option" undocumented_options "$command" "$page"
	else
		is "there is a page xfscensus-$command.1" missing there
	fi
done
for page in "$top_builddir"/docs/man/xfscensus.1 "$top_srcdir"/docs/man/xfscensus.1; do
	[ ! -f "$page" ] || none 'xfscensus.1 is well-formed' lint_page "$page"
done
none 'xfscensus-policy.5 is well-formed' lint_page "$top_srcdir/docs/man/xfscensus-policy.5"

none 'examples are shown as they are typed' spoilt_examples "$top_srcdir"

plant docs/a.1 <<<'.Dl sh -c "true"'
catches 'an example that loses its quotes' spoilt_examples
plant base/a.1 <<<'.Dd January 1, 2026
.Dt A 1
.Sh NAME
.Xx nonsense'
lint_planted_page() { # ROOT
	lint_page "$1/base/a.1"
}
catches 'a broken page' lint_planted_page
done_testing
