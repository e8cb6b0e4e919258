#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
. "${top_srcdir:?}/tests/lint/lib.sh"
# SC2317 takes functions that are handed over by name for unreachable.
need_commands shellcheck

complaints() { # ROOT
	(cd "$1" && scripts . | xargs -r shellcheck -x -P "$1" -e SC2317 -f gcc)
}

none 'shellcheck has nothing to say' complaints "$(cd "$top_srcdir" && pwd)"
plant tools/a.sh <<'END'
#!/bin/sh
rm $1
END
catches 'an unquoted variable' complaints
done_testing
