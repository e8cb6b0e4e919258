#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab in its short form: one small filesystem from a census to a real dump. Whatever else runs on
# the machine must not fail a test, so the duration is held to its order of magnitude only.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands xfsdump unshare

status=0
BUILD=$top_builddir TMPDIR=$work "$top_srcdir/tests/lab/window" --short --json="$work/rows" \
	>"$work/table" 2>"$work/err" || status=$?
is 'a row of the lab: exit status' "$status" 0 || diag "$(cat "$work/err")"
is 'it is one row' "$(jq -c '[.array, .population, .variant]' "$work/rows")" '["plain","homes:1500","level0"]'
ok 'the dump takes about as long as predicted' jq -e \
	'(.predicted_seconds + 0.5) * 12 > .actual_seconds and .predicted_seconds < (.actual_seconds + 0.5) * 12' \
	"$work/rows"
ok 'the size is within 0.5 %' jq -e '(.dump_bytes / .media_bytes - 1) | fabs < 0.005' "$work/rows"
ok 'by bytes at the rate of the array it would be told far too short' jq -e '.by_rate_error < -0.3' "$work/rows"
like 'the table has it' "$(cat "$work/table")" 'plain +homes:1500 +level0 .* s .* contents'
is 'nothing is left mounted' "$(findmnt -rno TARGET | grep -c "$work/")" 0
is 'nothing is left behind' "$(find "$work" -maxdepth 1 -name 'xfscensus-lab.*' | wc -l)" 0
done_testing
