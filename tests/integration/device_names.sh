#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The device engine on devices by other names than the kernel's, as LVM and md give them: symbolic
# links and nodes of their own, before, while and after a mount goes by such a name, or when the name
# is gone; on partitions; and on what is mounted through a loop device above it.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands mknod losetup addpart

inodes=1 # in the filesystem at hand, the root directory among them

# Makes COUNT files that nobody has written to their place yet.
more() { # COUNT
	mkdir "$work/m/$inodes" && (cd "$work/m/$inodes" && seq 1 "$1" | xargs touch)
	inodes=$((inodes + 1 + $1))
}

counts() { # NAME PATH [REASON]
	run scan --db="$db" --format=json --engine=device "$2"
	is "$1: exit status" "$status" 0
	is "$1: inodes" "$(jq .inodes "$out")" "$inodes"
	like "$1: how" "$(jq -r .engine_reason "$out")" "${3-^asked for}"
}

# A node for what LOOP is, by another name.
other_node() { # LOOP NODE
	mknod "$2" b "0x$(stat -c %t "$1")" "0x$(stat -c %T "$1")"
}

until_gone() { # LOOP
	local _
	for _ in $(seq 100); do
		[ -e "/sys/fs/xfs/${1#/dev/}" ] || return 0
		sleep 0.1
	done
	diag "$1 is still in use"
}

until_there() { # DEVICE
	local _
	for _ in $(seq 100); do
		[ ! -b "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# Unmounted, mounted by NAME and changed just now, and unmounted again.
by_name() { # WHAT NAME OTHER-NAME
	counts "$1, unmounted" "$2"
	mount -i --no-canonicalize "$2" "$work/m" || return
	is "$1: the mount table has it" "$(findmnt -nro SOURCE "$work/m")" "$2"
	more 50
	counts "$1, mounted" "$2" 'merged [1-9][0-9]* inodes from the log'
	more 50
	counts "$1, mount point" "$work/m" 'merged [1-9][0-9]* inodes from the log'
	more 50
	counts "$1, by another name" "$3" 'merged [1-9][0-9]* inodes from the log'
}

# The name in the mount table is gone, or has come to mean another device, a folder, a file.
name_is_lost() { # WHAT NAME
	mv "$2" "$work/kept"
	counts "$1, name gone" "$work/m"
	ln -s "$other" "$2"
	more 10
	counts "$1, name of another device" "$work/m"
	ln -sfn "$work" "$2"
	counts "$1, name of a folder" "$work/m"
	rm "$2"
	: >"$2"
	counts "$1, name of a file" "$work/m"
	mv -f "$work/kept" "$2"
}

names() {
	local loop other
	truncate -s 300M "$work/disk" "$work/other"
	loop=$(attach "$work/disk") && other=$(attach "$work/other") && mkfs.xfs -q -f "$loop" &&
		mkfs.xfs -q -f "$other" && mkdir "$work/mapper" "$work/vg" || return
	ln -s "$loop" "$work/mapper/vg-home"
	other_node "$loop" "$work/vg/home"
	if ! head -c 512 "$work/vg/home" >/dev/null 2>&1; then
		skip 'other nodes' 'nodes in this folder are not for devices'
		return
	fi
	by_name 'a link' "$work/mapper/vg-home" "$work/vg/home"
	name_is_lost 'a link' "$work/mapper/vg-home"
	umount "$work/m"
	until_gone "$loop"
	by_name 'a node' "$work/vg/home" "$work/mapper/vg-home"
	name_is_lost 'a node' "$work/vg/home"
	umount "$work/m"
	until_gone "$loop"
	counts 'a link, at last' "$work/mapper/vg-home"
	losetup -d "$loop" "$other"
}

partition() {
	local disk part
	inodes=1
	truncate -s 302M "$work/parted"
	disk=$(losetup -fP --show "$work/parted") || return
	part=${disk}p1
	addpart "$disk" 1 2048 614400
	if ! until_there "$part"; then
		losetup -d "$disk"
		skip 'a partition' 'the kernel makes none'
		return
	fi
	mkfs.xfs -q -f "$part"
	counts 'a partition, unmounted' "$part"
	mount "$part" "$work/m" || return
	more 50
	counts 'a partition, mounted' "$part" 'merged [1-9][0-9]* inodes from the log'
	more 50
	counts 'a partition, mount point' "$work/m" 'merged [1-9][0-9]* inodes from the log'
	exec 8<"$work/m/1/1"
	umount -l "$work/m"
	run scan --db="$db" "$part"
	failed_clearly 'a partition, unmounted lazily' 2 "^xfscensus scan: $part is in use: .*a lazy unmount"
	exec 8<&-
	until_gone "$part"
	counts 'a partition, at rest' "$part"
	run scan --db="$db" "$disk"
	failed_clearly 'the disk around a partition' 2 'does not begin with an XFS superblock'
	losetup -d "$disk"
}

# What is below a mounted loop device lags behind it, be it an image or a device.
loop_on_loop() {
	local lower upper
	inodes=1
	truncate -s 300M "$work/lower"
	lower=$(attach "$work/lower") && upper=$(losetup -f --show "$lower") && mkfs.xfs -q -f "$upper" &&
		mount "$upper" "$work/m" || return
	more 50
	counts 'a device below a loop device' "$lower" "$lower is mounted at $work/m through $upper"
	more 50
	counts 'an image two loop devices below' "$work/lower" "$work/lower is mounted at $work/m through $upper"
	umount "$work/m"
	until_gone "$upper"
	counts 'a device below one that is at rest' "$lower" '^asked for$'
	losetup -d "$upper"
	mount "$lower" "$work/m"
	upper=$(losetup -f --show "$lower")
	counts 'a mounted device with a loop device on it' "$lower" 'merged'
	umount "$work/m"
	losetup -d "$upper" "$lower"
}

mkdir "$work/m"
names
partition
loop_on_loop
done_testing
