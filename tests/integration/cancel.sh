#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ctrl-C in a scan: it ends soon, says so, and stores nothing.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs

scans_stored() {
	"$XFSCENSUS" scans --db="$db" --format=json | jq '.rows | length'
}

# A background job of a shell ignores SIGINT, and so would its children: env gives it back.
interrupt_scan() { # ENGINE SIGNAL
	local pid
	status=0
	env --default-signal=INT "$XFSCENSUS" scan --db="$db" --engine="$1" --jobs=1 "$work/xfs" \
		>"$work/out" 2>"$work/err" &
	pid=$!
	# Far enough to have its handler, not so far as to be done: it reads, so it has the root open.
	for ((i = 0; i < 200; i++)); do
		[ -z "$(find "/proc/$pid/fd" -lname "$work/xfs*" 2>/dev/null)" ] || break
		sleep 0.002
	done
	sleep 0.02
	kill -s "$2" "$pid"
	wait "$pid" || status=$?
	out=$work/out
	err=$(cat "$work/err")
}

make_xfs xfs 1G || skip_all 'no filesystem'
populate "$work/xfs" many --inodes=150000
echo 3 >/proc/sys/vm/drop_caches
run scan --db="$db" --engine=bulkstat --quiet "$work/xfs"
is 'a first scan is stored' "$status" 0
for engine in bulkstat walk; do
	for signal in INT TERM; do
		umount "$work/xfs" && mount -o loop "$work/xfs.img" "$work/xfs"
		interrupt_scan "$engine" "$signal"
		failed_clearly "$engine, SIG$signal" 2 'interrupted.*nothing was stored'
		is "$engine, SIG$signal: nothing is stored" "$(scans_stored)" 1
	done
done
is 'the database is whole' "$(sql 'PRAGMA integrity_check')" ok
run scan --db="$db" --engine=bulkstat --quiet "$work/xfs"
is 'the next scan is stored' "$status,$(scans_stored)" 0,2
done_testing
