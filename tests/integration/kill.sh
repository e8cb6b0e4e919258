#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 at fifty moments of a scan, from its start to just after its end: the database opens, and
# every scan in it is whole.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs

moments=${XFSCENSUS_KILL_MOMENTS:-50}

scan() {
	"$XFSCENSUS" scan --db="$db" --engine=auto --quiet "$work/xfs" >/dev/null
}

now_us() {
	echo $((${EPOCHREALTIME/[.,]/}))
}

scan_ids() {
	"$XFSCENSUS" scans --db="$db" --format=json | jq -r '.rows[].scan_id'
}

# All that can be asked of a scan; on a quiet filesystem each must say the same.
whole_scan() { # SCAN-ID
	local report
	for report in users groups projects classes; do
		"$XFSCENSUS" report "$report" --db="$db" --scan="$1" --format=csv || return
	done
}

wrong_scans() {
	local id
	for id in $(scan_ids); do
		whole_scan "$id" >"$work/scan" && cmp -s "$work/scan" "$work/expected" ||
			echo "scan $id is not whole"
	done
}

kill_scan_after() { # MICROSECONDS ENGINE
	local pid
	# not through scan(): that would kill a shell and leave the program running
	"$XFSCENSUS" scan --db="$db" --engine="$2" --quiet "$work/xfs" >/dev/null &
	pid=$!
	sleep "$(printf '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000)))"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	if [ $? = 137 ]; then
		killed=$((killed + 1))
	else
		duration=$((duration * 9 / 10)) # the machine is less busy than it was
	fi
}

# Every other moment lies near the end of the scan, where it is stored.
moment_us() { # MOMENT
	local per_mille=$(($1 * 1100 / moments))
	[ $(($1 % 2)) = 0 ] || per_mille=$((750 + $1 * 350 / moments))
	echo $((duration * per_mille / 1000 + RANDOM % 1000))
}

make_xfs xfs 1G || skip_all 'no filesystem'
populate "$work/xfs" many --inodes=20000
mkdir "$work/xfs/odd" && populate "$work/xfs/odd" odd
scan
started=$(now_us)
ok 'a first scan' scan
duration=$(($(now_us) - started))
whole_scan 1 >"$work/expected"
ok 'it has rows' grep -q 6001 "$work/expected"
diag "a scan takes $duration us"

RANDOM=2011
engines=(device bulkstat walk)
killed=0
broken=''
for ((moment = 0; moment < moments; moment++)); do
	kill_scan_after "$(moment_us "$moment")" "${engines[moment % 3]}" 2>/dev/null
	[ "$(sql 'PRAGMA integrity_check')" = ok ] || broken+=" $moment"
	[ -z "$(sql 'PRAGMA foreign_key_check')" ] || broken+=" $moment (foreign keys)"
done
is "the database is whole after each of $moments moments" "$broken" ''
ok "most scans were killed ($killed)" test "$killed" -ge $((moments / 2))
none 'every scan in it is whole' wrong_scans
before=$(scan_ids | wc -l)
ok 'the next scan works' scan
is 'and is the only new one' "$(scan_ids | wc -l)" $((before + 1))
done_testing
