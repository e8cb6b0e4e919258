#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
. "${top_srcdir:?}/tests/lint/lib.sh"
# SC2317 takes functions that are handed over by name for unreachable.
need_commands shellcheck

complaints() { # ROOT
	(cd "$1" && scripts . | xargs -r -P 2 -n 12 shellcheck -x -P "$1" -e SC2317 -f gcc)
}

# Mount namespaces that keep in use, and so warm, what is unmounted elsewhere meanwhile.
lone_namespaces() { # ROOT
	(cd "$1" && scripts . |
		xargs -r grep -nE '\bunshare +(-[a-zA-Z]*m|--mount)\b' /dev/null | grep -v -e '--propagation slave')
}

none 'shellcheck has nothing to say' complaints "$(cd "$top_srcdir" && pwd)"
none 'mount namespaces see what is unmounted' lone_namespaces "$(cd "$top_srcdir" && pwd)"
plant tools/a.sh <<'END'
#!/bin/sh
rm $1
END
catches 'an unquoted variable' complaints
plant tests/lab/a <<'END'
#!/bin/bash
rm $1
END
catches 'an unquoted variable in a script without a suffix' complaints
flag=-m # so that this file does not find itself
plant tools/a.sh <<END
#!/bin/sh
unshare $flag true
END
catches 'a mount namespace of its own' lone_namespaces
done_testing
