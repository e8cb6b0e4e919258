#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mounted filesystem read from its device: merged with what the log names it is what bulkstat
# says, right after thousands of changes; frozen or waited for, the device alone is.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

driver=$top_builddir/tests/integration/live_driver
probe=$top_builddir/tests/integration/log_probe
loop='' freezer=''

finish() {
	[ -z "$freezer" ] || kill "$freezer" 2>/dev/null
	xfs_freeze -u "$m" 2>/dev/null
	wait
	umount "$m" 2>/dev/null
	[ -z "$loop" ] || losetup -d "$loop"
	work_cleanup
}

# Waits up to 10 s until FILE has a line with TEXT.
until_said() { # FILE TEXT
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		grep -q "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	return 1
}

# Every inode of the device's census is as it was before or after, and those that did not change
# between are in it, once each. Between them the kernel may take preallocated blocks back.
agrees() { # VERB
	"$driver" bulk "$m" | LC_ALL=C sort >"$work/before" || return
	"$driver" "$1" "$loop" "$m" >"$work/unsorted" || return
	LC_ALL=C sort "$work/unsorted" >"$work/ours"
	"$driver" bulk "$m" | LC_ALL=C sort >"$work/after" || return
	LC_ALL=C sort -u "$work/before" "$work/after" >"$work/either"
	LC_ALL=C comm -12 "$work/before" "$work/after" >"$work/both"
	{
		LC_ALL=C comm -23 "$work/ours" "$work/either"
		LC_ALL=C comm -13 "$work/ours" "$work/both"
		cut -d ' ' -f 1 "$work/ours" | uniq -d
	} >"$work/wrong"
	head -n 5 "$work/wrong"
	[ -s "$work/ours" ] && [ ! -s "$work/wrong" ]
}

merge_rounds() { # COUNT
	local seed
	for ((seed = 1; seed <= $1; seed++)); do
		"$probe" churn "$m" "$seed" 500 2000 && agrees merge || return
	done
}

differs_alone() {
	"$probe" churn "$m" 21 500 2000 && ! agrees device
}

wait_is_over() {
	"$driver" wait "$m" 0
	[ $? = 1 ]
}

wait_succeeds() {
	local waiter
	"$driver" wait "$m" 60 >/dev/null &
	waiter=$!
	sleep 1
	xfs_freeze -f "$m" && xfs_freeze -u "$m" && wait "$waiter"
}

# Just the inodes in use among every STEP-th number, in order.
asked() { # BATCH STEP
	"$driver" ask "$m" "$1" 100 4000000 "$2" | cut -d ' ' -f 1 >"$work/asked"
	"$driver" bulk "$m" | awk -v s="$2" \
		'$1 >= 100 && $1 < 4000000 && ($1 - 100) % s == 0 { print $1 }' | sort -n |
		diff "$work/asked" - | head -n 5 >"$work/wrong"
	cat "$work/wrong"
	[ -s "$work/asked" ] && [ ! -s "$work/wrong" ]
}

# Starts the driver in the background, sets $freezer, and waits until it has frozen.
freeze() { # SECONDS HOLD-MILLISECONDS
	rm -f "$work/frozen"
	# a shell's background job ignores SIGINT; env gives it back
	env --default-signal=INT "$driver" freeze "$m" "$1" "$2" >"$work/frozen" 2>"$work/said" &
	freezer=$!
	until_said "$work/frozen" frozen
}

# A write to the frozen filesystem, which waits until it is thawed.
blocked_write() {
	rm -f "$work/written"
	# not holding the pipe that the result is read from
	(touch "$m/file" && echo written >"$work/written") >/dev/null 2>&1 &
	sleep 0.5
	[ ! -e "$work/written" ]
}

written() {
	until_said "$work/written" written
}

killed_by() { # SIGNAL
	freeze 60 60000 && blocked_write && kill "-$1" "$freezer" && written
	{ wait "$freezer"; } 2>/dev/null
	freezer=''
	[ -e "$work/written" ]
}

guardian_killed() {
	freeze 60 2000 && blocked_write && kill -KILL "$(pgrep -P "$freezer")" &&
		wait "$freezer" && written
}

need_xfs
need_commands xfs_freeze losetup pgrep
m=$work/m
mkdir "$m"
trap finish EXIT
truncate -s 600M "$work/image"
loop=$(losetup -f --show "$work/image") || skip_all 'no loop device is left'
TEST_DIR=1 TEST_DEV=1 QA_CHECK_FS=1 mkfs.xfs -q -f -l size=2000b "$loop" >/dev/null
mount "$loop" "$m" || skip_all 'cannot mount XFS on a loop device'

ok '20 rounds of changes: device, merged with the log, is bulkstat' merge_rounds 20
ok 'the device alone is not' differs_alone
ok 'waiting has an end' wait_is_over
ok 'waiting ends when all is in its place' wait_succeeds
ok 'then the device alone is bulkstat' agrees device
for batch in 1 7 1000; do
	for step in 1 3 700; do
		ok "asked for every ${step}th number in batches of $batch" asked $batch $step
	done
done

"$probe" churn "$m" 100 500 500
freeze 60 60000
ok 'frozen: a write waits' blocked_write
ok 'frozen: the device alone is bulkstat' agrees device
kill -USR1 "$freezer"
wait "$freezer"
is 'thawed when told to: exit status' $? 0
ok 'the write goes on' written
for signal in TERM INT KILL SEGV; do
	ok "thawed when SIG$signal ends the program" killed_by $signal
done
"$driver" freeze "$m" 1 3000 >"$work/frozen"
is 'thawed before the time: exit status' $? 1
like 'thawed when the time is up, and it says so' "$(cat "$work/frozen")" 'too little time'
ok 'thawed by the program itself when its guardian was killed' guardian_killed
like 'what is frozen is not frozen again' "$("$driver" twice "$m")" 'frozen already'
like 'what cannot be frozen is refused' "$("$driver" freeze /proc 1 1 2>&1)" 'cannot be frozen'
ok 'it is not frozen at the end' touch "$m/file"
wait
done_testing
