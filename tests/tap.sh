# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# TAP for shell tests. Source it, call ok/is/like/…, end with done_testing.
#
# A test that cannot run here says skip_all or skip. With XFSCENSUS_REQUIRE_REAL=1, which
# tools/check sets, what was skipped counts as failed: there everything has been installed.

tap_count=0
tap_failed=0

diag() {
	local line
	while IFS= read -r line; do
		printf '# %s\n' "$line"
	done <<<"$*"
}

# One result: pass or fail by the status given.
tap_result() { # STATUS NAME
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' "$tap_count" "$2"
	else
		tap_failed=$((tap_failed + 1))
		printf 'not ok %d - %s\n' "$tap_count" "$2"
		[ -z "${err-}" ] || diag "the last message: $err"
	fi
	return "$1"
}

# Runs a command; its success is the result. What it prints becomes a comment.
ok() { # NAME COMMAND…
	local name=$1 status=0 output
	shift
	output=$("$@" 2>&1) || status=$?
	tap_result "$status" "$name" && return
	diag "${output:-$* gave $status}"
}

is() { # NAME ACTUAL EXPECTED
	local status=0
	[ "$2" = "$3" ] || status=1
	tap_result "$status" "$1" && return
	diag "actual:   $2"
	diag "expected: $3"
}

like() { # NAME ACTUAL EXTENDED-REGEX
	local status=0
	[[ $2 =~ $3 ]] || status=1
	tap_result "$status" "$1" && return
	diag "actual:  $2"
	diag "pattern: $3"
}

# Passes if two files are the same; shows the first differences.
same() { # NAME ACTUAL-FILE EXPECTED-FILE
	local status=0 output
	output=$(diff -a -u "$3" "$2" | head -n 20) || status=1
	[ -z "$output" ] || status=1
	tap_result "$status" "$1" && return
	diag "$output"
}

# Runs a command that prints violations: nothing printed passes.
none() { # NAME COMMAND…
	local name=$1 found
	shift
	found=$("$@" 2>&1)
	tap_result "$((${#found} > 0))" "$name" && return
	diag "$found"
}

skip() { # NAME REASON
	if [ "${XFSCENSUS_REQUIRE_REAL:-0}" = 1 ]; then
		tap_result 1 "$1"
		diag "cannot be skipped here: $2"
		return
	fi
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

skip_all() { # REASON
	if [ "${XFSCENSUS_REQUIRE_REAL:-0}" = 1 ]; then
		printf '1..1\nnot ok 1 - cannot be skipped here: %s\n' "$1"
	else
		printf '1..0 # SKIP %s\n' "$1"
	fi
	exit 0
}

need_commands() { # COMMAND…
	local command
	for command in "$@"; do
		command -v "$command" >/dev/null || skip_all "$command is not installed"
	done
}

done_testing() {
	printf '1..%d\n' "$tap_count"
	[ "$tap_failed" = 0 ] || diag "$tap_failed of $tap_count failed"
	exit 0 # the driver has read what failed; a status would count once more
}
