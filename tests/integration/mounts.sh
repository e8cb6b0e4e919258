#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What mounts make of a filesystem for the device engine: read-only ones beside others, those of
# another mount namespace, lazy unmounts, and a remount in the middle of a scan.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands unshare losetup

# device NAME PATH INODES: the device engine counts them all
device() {
	run scan --db="$db" --format=json --engine=device "$2"
	is "$1: exit status" "$status" 0
	is "$1: inodes" "$(jq .inodes "$out")" "$3"
}

# touches FOLDER COUNT
touches() {
	mkdir "$1" && (cd "$1" && seq 1 "$2" | xargs touch)
}

# Until FILE is there, 10 s at most.
until_there() { # FILE
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		[ ! -e "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# Counts the file system in a namespace in which all its mounts are read-only.
read_only_there() { # PATH
	# shellcheck disable=SC2016 # for the shell there
	in_namespace sh -c '
		mount -o remount,bind,ro "$1/m" && exec "$2" scan --db="$3" --format=json --engine=device "$4"' \
		sh "$work" "$XFSCENSUS" "$db" "$1" | jq .inodes
}

read_only_beside() {
	mkdir "$work/bind" && mount --bind "$work/m" "$work/bind" &&
		mount -o remount,bind,ro "$work/bind" && touches "$work/m/1" 500 || return
	device 'a read-only bind mount' "$work/bind" 502
	touches "$work/m/2" 100
	device 'the device of a read-only bind mount' "$loop" 603
	umount "$work/bind"
	touches "$work/m/3" 100
	is 'all mounts read-only: inodes' "$(read_only_there "$work/m")" 704
	touches "$work/m/4" 100
	is 'the device, all mounts read-only: inodes' "$(read_only_there "$loop")" 805
}

# Mounts the filesystem in another namespace, where it is changed and kept until told to end.
mounted_elsewhere() {
	local keeper
	# Not in_namespace, a function: the shell that it runs in is what would be killed.
	# shellcheck disable=SC2016 # for the shell there
	unshare -m --propagation slave sh -c '
		mount "$2" "$1/m" && touch "$1/m/new" && touch "$1/ready" && exec sleep 60' \
		sh "$work" "$loop" >/dev/null 2>&1 &
	keeper=$!
	until_there "$work/ready"
	ok 'mounted elsewhere: no mount to be seen' test -z "$(findmnt -rno TARGET "$loop")"
	run scan --db="$db" "$loop"
	failed_clearly 'mounted elsewhere' 2 "^xfscensus scan: $loop is in use: .*cannot be seen from here"
	run scan --db="$db" "$work/m.img"
	failed_clearly 'its image' 2 'is in use: .*cannot be seen from here'
	kill "$keeper"
	wait "$keeper" 2>/dev/null
	until_gone
	device 'mounted nowhere any more' "$loop" 806
}

# Until the kernel has let go of the filesystem, 10 s at most.
until_gone() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		[ -e "/sys/fs/xfs/${loop#/dev/}" ] || return 0
		sleep 0.1
	done
	diag "$loop is still in use"
}

unmounted_lazily() {
	mount "$loop" "$work/m" && exec 8<"$work/m/1/1" && touches "$work/m/5" 100 && umount -l "$work/m" || return
	run scan --db="$db" "$loop"
	failed_clearly 'unmounted lazily' 2 "^xfscensus scan: $loop is in use: .*a lazy unmount"
	exec 8<&-
	until_gone
	device 'unmounted lazily, and then for good' "$loop" 907
}

# Remounts and changes the filesystem on and on.
remounts() {
	local i=0
	while :; do
		mount -o remount,ro "$work/m"
		mount -o remount,rw "$work/m"
		i=$((i + 1))
		: >"$work/m/busy/$((i % 50))"
		rm -f "$work/m/busy/$(((i * 7) % 50))"
	done
}

# Scans meanwhile: whatever is caught, it is a healthy filesystem with all that is left alone.
remounted() {
	local remounter i gave_way=0 wrong=''
	mkdir "$work/m/busy" && touches "$work/m/quiet" 3000 && chown 7777 "$work"/m/quiet/* || return
	remounts &
	remounter=$!
	for ((i = 0; i < 25; i++)); do
		run scan --db="$db" --format=json --engine=device "$work/m"
		[ "$status" = 0 ] && [ "$(sql "SELECT sum(inodes) FROM v_cell WHERE uid = 7777
			AND scan_id = $(jq .scan_id "$out")")" = 3000 ] || wrong="$status $err $(cat "$out")"
		! grep -q 'remounted while it was read' "$out" || gave_way=$((gave_way + 1))
	done
	kill "$remounter"
	wait "$remounter" 2>/dev/null
	is 'remounted on and on: 25 scans' "$wrong" ''
	diag "$gave_way of them gave way to bulkstat"
}

unmount() {
	local _
	for _ in $(seq 500); do
		! umount "$work/m" 2>/dev/null || return 0
		sleep 0.02
	done
	diag "$work/m cannot be unmounted"
}

# Mounts, changes and unmounts the filesystem on and on.
mounts() {
	local i
	for ((i = 1; i < 10000; i++)); do
		[ -e "$work/mounting" ] || break
		mount "$loop" "$work/m" || continue
		: >"$work/m/busy/$((i % 50))"
		rm -f "$work/m/busy/$(((i * 7) % 50))"
		unmount # a scan may have it open
		sleep "0.0$((i * 7 % 10))"
	done 2>/dev/null
}

# Scans of what is mounted at times: each refuses, or tells that it is not sure, or is right.
mounted_meanwhile() { # PATH
	local mounter i wrong='' seen=''
	: >"$work/mounting"
	mounts &
	mounter=$!
	for ((i = 0; i < 20; i++)); do
		run scan --db="$db" --format=json "$1"
		seen+=" $status"
		case $status in
		0) [ "$(sql "SELECT sum(inodes) FROM v_cell WHERE uid = 7777
			AND scan_id = $(jq .scan_id "$out")")" = 3000 ] || wrong+="$(cat "$out")" ;;
		1) jq -e 'any(.rows[].kind; . == "log" or . == "inode" or . == "ag")' "$out" >/dev/null || wrong+=$(cat "$out") ;;
		2) [[ $err =~ 'is in use'|'was mounted while'|'mounted and unmounted'|'is mounted at' ]] || wrong+=$err ;;
		*) wrong+="$status $err" ;;
		esac
	done
	rm "$work/mounting"
	wait "$mounter"
	until_gone
	is "$1, mounted on and on: 20 scans" "$wrong" ''
	diag "exit statuses:$(tr ' ' '\n' <<<"$seen" | sort | uniq -c | awk 'NF == 2 { printf " %s × %s", $1, $2 }')"
}

truncate -s 400M "$work/m.img"
loop=$(attach "$work/m.img") || skip_all 'no loop device is left'
mkdir "$work/m"
if ! mkfs.xfs -q -f "$loop" || ! mount "$loop" "$work/m"; then
	skip_all "cannot mount it"
fi
read_only_beside
umount "$work/m"
until_gone
mounted_elsewhere
unmounted_lazily
mount "$loop" "$work/m"
remounted
unmount # what remounted it last may not be done yet
until_gone
mounted_meanwhile "$loop"
mounted_meanwhile "$work/m.img"
done_testing
