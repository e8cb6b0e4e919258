#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ctrl-C in a scan: it ends soon, says so, and stores nothing.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands script

scans_stored() {
	"$XFSCENSUS" scans --db="$db" --format=json | jq '.rows | length'
}

# Far enough to have its handler; a scan of this size is then not yet done.
catches_interrupts() { # PID
	local mask name
	# before, it is the shell or env
	read -r name <"/proc/$1/comm" && [ "$name" = "${XFSCENSUS##*/}" ] || return
	mask=$(sed -n 's/^SigCgt:[ \t]*//p' "/proc/$1/status" 2>/dev/null)
	[ $((16#${mask:-0} & 2)) -ne 0 ]
}

# A background job of a shell ignores SIGINT, and so would its children: env gives it back.
interrupt_scan() { # ENGINE SIGNAL [OPTION…]
	local pid engine=$1 signal=$2
	shift 2
	status=0
	env --default-signal=INT "$XFSCENSUS" scan --db="$db" --engine="$engine" --jobs=1 "$@" "$work/xfs" \
		>"$work/out" 2>"$work/err" &
	pid=$!
	for ((i = 0; i < 2000; i++)); do
		catches_interrupts "$pid" && break
		sleep 0.005
	done
	# the device is read in no time
	[ "$engine" = device ] || sleep 0.02
	kill -s "$signal" "$pid"
	wait "$pid" || status=$?
	out=$work/out
	err=$(cat "$work/err")
}

make_xfs xfs 1G || skip_all 'no filesystem'
populate "$work/xfs" many --inodes=150000
run scan --db="$db" --engine=bulkstat --quiet "$work/xfs"
is 'a first scan is stored' "$status" 0
for engine in bulkstat walk device; do
	for signal in INT TERM; do
		umount "$work/xfs" && mount -o loop "$work/xfs.img" "$work/xfs"
		interrupt_scan "$engine" "$signal"
		failed_clearly "$engine, SIG$signal" 2 'interrupted.*nothing was stored'
		is "$engine, SIG$signal: nothing is stored" "$(scans_stored)" 1
	done
done
# While it waits for the log; the filesystem is busy, so it would wait long.
for signal in INT TERM; do
	touch "$work/xfs/new.$signal"
	interrupt_scan device "$signal" --log-fault=read --fresh=10m
	failed_clearly "device, waiting, SIG$signal" 2 'interrupted.*nothing was stored'
	is "device, waiting, SIG$signal: nothing is stored" "$(scans_stored)" 1
done
# What was ignored from the start, as under nohup, does not end it.
(
	trap '' HUP
	exec "$XFSCENSUS" scan --db="$db" --engine=walk --jobs=1 --quiet "$work/xfs" >/dev/null
) &
pid=$!
for ((i = 0; i < 2000; i++)); do
	catches_interrupts "$pid" && break
	sleep 0.005
done
kill -s HUP "$pid"
wait "$pid"
is 'under nohup it goes on when the terminal hangs up' "$?,$(scans_stored)" 0,2
# A terminal is shown how far it is; the line is gone in the end.
umount "$work/xfs" && mount -o loop "$work/xfs.img" "$work/xfs"
script -qec "$XFSCENSUS scan --db=$work/other.db --engine=walk --jobs=1 $work/xfs" /dev/null >"$work/screen"
like 'progress on a terminal' "$(tr '\r' '\n' <"$work/screen")" '[0-9] k inodes, [0-9.]+ k/s, [0-9]+ %'
ok 'progress: the line is cleared' grep -q $'\r\033\[K[^%]*$' "$work/screen"
run scans --db="$db" --prune=2
is 'the database is whole' "$(sql 'PRAGMA integrity_check')" ok
run scan --db="$db" --engine=bulkstat --quiet "$work/xfs"
is 'the next scan is stored' "$status,$(scans_stored)" 0,2
done_testing
