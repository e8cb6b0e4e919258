#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Images, and devices that are not mounted, whose log lies outside: --log-device says where. What is
# not the log of the filesystem is told, whatever it is.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands losetup xfs_db

image() { # ARGUMENT…
	run scan --db="$db" --format=json "$@"
}

# The last scan must have told of the log, and of nothing else, in words like REGEX.
tells() { # NAME REGEX
	is "$1: exit status" "$status" 1
	is "$1: one failure, of the log" "$(jq -c '[.errors, .rows[].kind]' "$out")" '[1,"log"]'
	like "$1: in words" "$(jq -r '.examples[].what' "$out")" "$2"
}

clean() { # NAME PATH
	image --log-device="$3" "$2"
	is "$1: exit status" "$status" 0
	is "$1: failures" "$(jq .errors "$out")" 0
	is "$1: inodes" "$(jq .inodes "$out")" 302
	is "$1: the engine" "$(jq -r .engine "$out")" device
}

make() { # NAME
	truncate -s 300M "$work/$1"
	truncate -s 70M "$work/$1.log"
	data=$(attach "$work/$1") && log=$(attach "$work/$1.log") && mkfs.xfs -q -f -l "logdev=$log" "$data"
}

make other || skip_all 'cannot make a filesystem with its log outside'
losetup -d "$data" "$log"
make xfs || skip_all 'cannot make a filesystem with its log outside'
mkdir "$work/m"
cp --sparse=always "$work/xfs.log" "$work/older.log"
mount -o "logdev=$log" "$data" "$work/m" || skip_all 'cannot mount it'
mkdir "$work/m/d" && (cd "$work/m/d" && seq 1 300 | xargs touch)

run scan --db="$db" --log-device="$log" "$work/m"
failed_clearly 'what is mounted' 2 "--log-device: $work/m is mounted, and the mount table says"
run scan --db="$db" --log-device="$log" "$data"
failed_clearly 'the device of what is mounted' 2 'is mounted, and the mount table says'
sync -f "$work/m"
cp --sparse=always "$work/xfs" "$work/dirty"
cp --sparse=always "$work/xfs.log" "$work/dirty.log"
umount "$work/m"

image "$work/xfs"
tells 'without its log' 'was not looked at: .*name that device with --log-device$'
image "$data"
tells 'a device without its log' 'was not looked at: .*name that device with --log-device$'
clean 'an image and its log' "$work/xfs" "$work/xfs.log"
clean 'a device and its log' "$data" "$log"
clean 'an image and a device' "$work/xfs" "$log"
image --log-device="$work/dirty.log" "$work/dirty"
tells 'a log with changes' 'the log holds changes of [0-9]+ inodes that only a mount will replay'
image --log-device="$work/other.log" "$work/xfs"
tells 'the log of another filesystem' 'it is of another filesystem$'
image --log-device="$work/older.log" "$work/xfs"
tells 'an older log' 'it is an older log, or that of another filesystem$'
truncate -s 70M "$work/zeros"
image --log-device="$work/zeros" "$work/xfs"
tells 'zeros' 'nothing was ever written to the log'
tr '\0' '\377' </dev/zero 2>/dev/null | head -c 70M >"$work/ones"
image --log-device="$work/ones" "$work/xfs"
tells 'ones' '.'
head -c 4M "$work/xfs.log" >"$work/short"
image --log-device="$work/short" "$work/xfs"
tells 'a log cut short' 'the log goes on past the end of its device'
: >"$work/empty"
image --log-device="$work/empty" "$work/xfs"
tells 'an empty file' 'the log goes on past the end of its device'
image --log-device="$work/xfs" "$work/xfs"
tells 'the image itself' '.'

run scan --db="$db" --log-device="$work/none" "$work/xfs"
failed_clearly 'a log that is not there' 2 'its log: .*/none: No such file'
run scan --db="$db" --log-device="$work" "$work/xfs"
failed_clearly 'a folder' 2 'is neither a block device nor a file'
run scan --db="$db" --log-device="$work/xfs.log" "$work/probe.img"
failed_clearly 'a log inside' 2 "probe.img has its log inside, so $work/xfs.log is not its log"
run scan --db="$db" --engine=walk --log-device="$log" "$work/xfs"
failed_clearly 'another engine' 64 '--log-device is for the device engine'

# A log inside that is lost, as in a copy with holes.
read -r block start blocks < <(xfs_db -r -c 'sb 0' -c 'p blocksize logstart logblocks' "$work/probe.img" |
	awk '{ print $3 }' | xargs)
agblocks=$(xfs_db -r -c 'sb 0' -c 'p agblocks' "$work/probe.img" | awk '{ print $3 }')
agblklog=$(xfs_db -r -c 'sb 0' -c 'p agblklog' "$work/probe.img" | awk '{ print $3 }')
place=$(((start >> agblklog) * agblocks + (start & ((1 << agblklog) - 1))))
fallocate -p -o $((place * block)) -l $((blocks * block)) "$work/probe.img"
image "$work/probe.img"
tells 'a hole in place of the log' 'nothing was ever written to the log'

# A superblock with a right checksum has it where none can be.
for lie in "logstart $(((start >> agblklog) << agblklog))" 'logstart 0x7fffffff0000' "logblocks $((agblocks * 2))"; do
	xfs_db -x -c 'sb 0' -c "write -d $lie" "$work/probe.img" >/dev/null
	image "$work/probe.img"
	tells "$lie" 'the superblock has the log, .* where it cannot be'
	xfs_db -x -c 'sb 0' -c "write -d logstart $start" -c "write -d logblocks $blocks" "$work/probe.img" >/dev/null
done
losetup -d "$data" "$log"
done_testing
