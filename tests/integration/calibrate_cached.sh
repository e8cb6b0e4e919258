#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calibrating while the page cache holds small files: either the truth by its order of magnitude, or
# a refusal that leaves the earlier calibration in place. Then choosing and deleting calibrations.

set -u
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_xfs
need_commands xfsdump
m=$work/m

remount() { # so that nothing of it is in the page cache
	umount "$m" && mount -o loop,noatime "$work/m.img" "$m"
}

# Reads every file of FIND-TEST… into the page cache and calibrates.
calibrate_after_reading() { # FIND-TEST…
	remount
	find "$m" -type f "$@" -print0 | xargs -0r cat >/dev/null
	run calibrate --budget=4s --format=json --db="$db" "$m"
}

predicted() { # OPTION…
	"$XFSCENSUS" predict --format=json --db="$db" "$@" | jq .seconds
}

dump_seconds() {
	local start=$EPOCHREALTIME
	mkdir -p "$work/inventory"
	# shellcheck disable=SC2016 # for the inner shell
	in_namespace bash -c 'mount --bind "$0" /var/lib/xfsdump && exec "$@"' "$work/inventory" \
		xfsdump -J -l 0 -L x -M x -f /dev/null "$m" >"$work/dump.log" 2>&1 || cat "$work/dump.log"
	jq -n "$EPOCHREALTIME - $start"
}

within() { # SECONDS FACTOR OTHER-SECONDS
	jq -en --argjson a "$1" --argjson f "$2" --argjson b "$3" '$a < $f * $b and $b < $f * $a' >/dev/null
}

ids() {
	sql 'SELECT group_concat(calibration_id, " ") FROM v_calibration'
}

make_xfs m 400M || skip_all 'cannot mount XFS here'
for d in {1..30}; do
	mkdir "$m/d$d"
	for i in {1..110}; do
		head -c $(((i * 37 + d) % 7 * 600)) /dev/zero >"$m/d$d/f$i"
	done
	head -c 40K /dev/zero >"$m/d$d/larger"
done
remount
run scan --db="$db" "$m"
remount
actual=$(dump_seconds)

calibrate_after_reading -name nothing
is "cold: it is stored" "$status $(ids)" '0 1'
cold=$(predicted)
ok "cold: within its order of magnitude of a dump, $cold and $actual s" within "$cold" 10 "$actual"

# a few of each folder
calibrate_after_reading -name 'f*7'
is "a tenth in the page cache: it is stored" "$status $(ids)" '0 1 2'
few=$(predicted)
ok "a tenth in the page cache: likewise, $few s" within "$few" 10 "$actual"

# Whoever drops the caches of the machine meanwhile spoils it: then once more.
for _ in 1 2 3; do
	calibrate_after_reading -size -8k
	[ "$status" = 0 ] || break
	sql "DELETE FROM calibration WHERE calibration_id > 2"
done
failed_clearly 'all small files in the page cache' 2 'most of the files of .* in the page cache.*drop_caches'
is 'all small files in the page cache: nothing is stored' "$(ids)" '1 2'
is 'and predictions go by the calibration before' "$(predicted)" "$few"

# --- one of several -----------------------------------------------------------------------------
is 'an earlier calibration can be chosen' "$(predicted --calibration=1)" "$cold"
run predict --calibration=7 --db="$db"
failed_clearly 'one that is not there' 2 'no calibration 7'
run scans --calibrations --format=json --db="$db"
is 'they are listed' "$(jq -c '[.schema, [.rows[] | .calibration_id, .sampled_files > 0]]' "$out")" \
	'["xfscensus/calibrations/1",[1,true,2,true]]'
run scans --prune=calibration:2,x --db="$db"
failed_clearly 'what is no number' 64 'calibration:2,x'
run scans --prune=calibration:2,9 --db="$db"
failed_clearly 'one of two is not there' 2 'no calibration 9'
is 'one of two is not there: nothing is deleted' "$(ids)" '1 2'
run scans --prune=calibration:2 --format=json --db="$db"
is 'one is deleted, the others are listed' "$status $(jq -c '[.rows[].calibration_id]' "$out")" '0 [1]'
is 'predictions go by what is left' "$(predicted)" "$cold"
done_testing
