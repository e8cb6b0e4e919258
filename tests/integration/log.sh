#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The log reader on real XFS: right after thousands of changes, every inode that lies on the disk
# otherwise than in memory is among those it names; and in a dirty log it finds the inodes that
# xfs_logprint finds.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

probe=$top_builddir/tests/integration/log_probe
loop='' log_loop=''

detach() {
	umount "$work/m" 2>/dev/null
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$log_loop" ] || losetup -d "$log_loop"
	loop='' log_loop=''
	rm -f "$work/image" "$work/log"
}

finish() {
	rm -f "$work/writing"
	wait
	detach
	work_cleanup
}

# The variables make mkfs.xfs allow logs that it calls too small for real use: they wrap.
attach() { # MOUNT-OPTIONS MKFS-OPTION…
	local options=$1
	shift
	truncate -s 600M "$work/image" && loop=$(losetup -f --show "$work/image") || return
	if [ -n "$external" ]; then
		truncate -s 70M "$work/log" && log_loop=$(losetup -f --show "$work/log") || return
		set -- "$@" -l "logdev=$log_loop"
		options=$options,logdev=$log_loop
	fi
	TEST_DIR=1 TEST_DEV=1 QA_CHECK_FS=1 mkfs.xfs -q -f "$@" "$loop" &&
		mount -o "$options" "$loop" "$work/m"
}

# Another mount namespace may hold the mount a little longer, if it was made just now.
unmount() {
	local tries
	umount "$work/m" || return
	for ((tries = 0; tries < 100; tries++)); do
		[ -e "/sys/fs/xfs/${loop#/dev/}" ] || return 0
		sleep 0.1
	done
	return 1
}

# COUNT rounds of changes, each with a look at the disk at once
rounds() { # COUNT
	local seed
	for ((seed = 1; seed <= $1; seed++)); do
		"$probe" churn "$work/m" "$seed" 700 2000 || return
		"$probe" live "$loop" "$work/m" ${log_loop:+"$log_loop"} >"$work/said" || {
			cat "$work/said"
			return 1
		}
		awk '/^inodes/ { print $4, $8 }' "$work/said" >>"$work/stale"
	done
}

# A filesystem that goes down with a dirty log: the same inode numbers as xfs_logprint prints.
dirty_log() {
	xfs_io -x -c 'shutdown -f' "$work/m" && unmount || return
	"$probe" list "$loop" ${log_loop:+"$log_loop"} >"$work/listed" || return
	sort "$work/listed" >"$work/ours"
	xfs_logprint -t -i ${log_loop:+-l "$log_loop"} "$loop" 2>/dev/null |
		grep -o 'ino:0x[0-9a-f]*' | sort -u | while IFS=: read -r _ ino; do
		echo $((ino))
	done | sort >"$work/theirs"
	[ -s "$work/ours" ] && diff "$work/ours" "$work/theirs"
}

clean_log() { # MOUNT-OPTIONS
	mount -o "$1" "$loop" "$work/m" && unmount || return
	"$probe" list "$loop" ${log_loop:+"$log_loop"} >"$work/ours" 2>"$work/said" || return
	cat "$work/said"
	[ ! -s "$work/ours" ] && grep -q '^records 0 ' "$work/said"
}

layout() { # NAME ROUNDS MOUNT-OPTIONS MKFS-OPTION…
	local name=$1 count=$2 options=$3
	shift 3
	attach "$options" "$@" || skip_all "cannot mount XFS on a loop device: $name"
	ok "$name: $count times, all that differs on the disk after changes is in the log" \
		rounds "$count"
	ok "$name: xfs_logprint finds the same inodes in the dirty log" dirty_log
	ok "$name: nothing is in the log after a clean unmount" \
		clean_log "$options${log_loop:+,logdev=$log_loop}"
	detach
}

# Goes round a small log as long as $work/writing is there.
write_on() {
	local seed=0
	while [ -e "$work/writing" ]; do
		"$probe" churn "$work/m" $((++seed % 7 + 1)) 100 3000 || rm -rf "$work/m"/*
	done 2>/dev/null
}

read_often() { # TIMES
	local i
	for ((i = 0; i < $1; i++)); do
		"$probe" read "$loop" "$work/m" || return
	done
}

there_was_much() {
	awk '{ stale += $1; splits += $2 }
		END { print stale " differed, " splits " split"; exit !(stale > 10000 && splits > 200) }' \
		"$work/stale"
}

need_xfs
need_commands xfs_logprint xfs_io losetup
mkdir "$work/m"
trap finish EXIT

external=''
layout 'default log' 8 defaults
layout 'small log that wraps' 20 defaults -l size=1400b
layout 'log stripe unit 256k' 4 defaults -l su=256k
layout 'buffers of 256 KiB in a log that wraps' 8 logbsize=256k -l size=2000b
layout 'stripe unit 32k, blocks of 1 KiB' 4 defaults -b size=1k -l su=32k,size=8192b
layout 'sectors of 4 KiB' 4 defaults -s size=4k
layout 'inodes of 2 KiB, rmap and reflink' 4 defaults -i size=2048 -m rmapbt=1,reflink=1
external=1
layout 'external log' 4 defaults
external=''
ok 'there was much to find' there_was_much

attach logbsize=256k -l size=2000b || skip_all 'cannot mount XFS for a writer'
touch "$work/writing"
write_on &
ok 'the log of a busy filesystem is read 60 times without an error' read_often 60
done_testing
