#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The device engine on a filesystem in use. Twenty times right after thousands of changes, with no
# waiting, every cell of the cube and of the ages is what bulkstat says; while somebody writes, what is left alone
# is counted exactly; a dirty log is told; image, device and mount point give the same census; an
# inode that is damaged on the device, but known to the kernel, is asked of it; and so it is when the
# filesystem has just grown.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands setfattr xfs_db xfs_freeze xfs_growfs

probe=$top_builddir/tests/integration/log_probe
rounds=${ROUNDS:-20}
writer=

# scan ENGINE PATH: leaves the id in $id
scan() {
	run scan --db="$db" --format=json --engine="$1" "$2"
	id=$(jq -r .scan_id "$out")
}

# agree NAME PATH-1 ENGINE-1 PATH-2 ENGINE-2
agree() {
	local status_1 id_1
	scan "$3" "$2"
	status_1=$status id_1=$id
	scan "$5" "$4"
	cells "$id_1" >"$work/cells_1"
	cells "$id" >"$work/cells_2"
	is "$1: exit status of $3" "$status_1" 0
	is "$1: every cell" "$(diff "$work/cells_1" "$work/cells_2" | head -5)" ''
	like "$1: there are cells" "$(wc -l <"$work/cells_1")" '^[1-9]'
}

make_xfs live 1G >/dev/null || skip_all 'cannot make the filesystem'
without_preallocation live || skip_all 'cannot mount it without preallocation'
device=$(findmnt -nro SOURCE "$work/live")

for round in $(seq 1 "$rounds"); do
	"$probe" churn "$work/live" "$round" 700 2000 >/dev/null
	agree "round $round" "$work/live" device "$work/live" bulkstat
done
agree 'all at rest' "$device" device "$work/live" walk

# One who only touches a folder of his own, while a quiet user's files are counted.
mkdir "$work/live/quiet" "$work/live/busy"
(cd "$work/live/quiet" && seq 1 3000 | xargs touch && chown 7777 .)
find "$work/live/quiet" -type f -exec chown 7777 {} +
(
	i=0
	while :; do
		i=$((i + 1))
		echo x >"$work/live/busy/$((i % 500))"
		[ $((i % 3)) = 0 ] && rm -f "$work/live/busy/$(((i * 7) % 500))"
	done
) &
writer=$!
for round in 1 2 3; do
	scan device "$work/live"
	is "with a writer, scan $round: exit status" "$status" 0
	is "with a writer, scan $round: the quiet user's inodes" \
		"$(sql "SELECT sum(inodes) FROM v_cell WHERE scan_id = $id AND uid = 7777")" 3001
done

# A copy of the device in the middle of it, as a snapshot without a freeze would be.
sync -f "$work/live"
cp --sparse=always "$work/live.img" "$work/copy.img"
kill "$writer"
wait "$writer" 2>/dev/null
run scan --db="$db" --engine=device "$work/copy.img"
is 'a dirty log: exit status' "$status" 1
like 'a dirty log: is told' "$(cat "$out" "$work/err")" 'only a mount will replay'

# Whatever is written to the device below the filesystem's feet, the kernel has the inode in memory,
# as long as it is open. What it has read of the damage meanwhile it keeps until it is mounted anew.
held=()
damaged_on_device() { # NAME PATH
	local place fd
	exec {fd}<"$2"
	held+=("$fd")
	place=$(xfs_db -r -c "convert inode $(stat -c %i "$2") fsbyte" "$work/live.img" |
		tr -d '()' | awk '{ print $NF }')
	xfs_freeze -f "$work/live" # all is in its place
	xfs_freeze -u "$work/live"
	dd if="$work/live.img" of="$work/inode" bs=512 count=1 skip=$((place / 512)) status=none
	printf 'damaged' | dd of="$work/live.img" bs=1 seek=$((place + 60)) conv=notrunc status=none
	agree "$1 damaged on the device" "$work/live" device "$work/live" bulkstat
	like "$1 damaged on the device: what only has the device cannot read it" \
		"$("$top_builddir/tests/integration/device_inodes" -q "$device" 2>&1)" 'the checksum is wrong'
	dd if="$work/inode" of="$work/live.img" bs=512 seek=$((place / 512)) conv=notrunc status=none
}

# Inline data and attributes in a block, right after they were made and later.
mkdir "$work/live/inline"
touch "$work/live/inline/file"
ln -s somewhere "$work/live/inline/link"
for name in '' /link; do
	setfattr -h -n trusted.k -v "$(printf '%03000d' 0)" "$work/live/inline$name"
done
agree 'attributes beside inline data' "$work/live" device "$work/live" walk
is 'attributes beside inline data: blocks' \
	"$(sql "SELECT sum(allocated_bytes) FROM v_cell WHERE scan_id = $id AND kind = 'symlink'")" \
	"$(find "$work/live" -type l -printf '%b\n' | awk '{ s += $1 } END { print s * 512 }')"
sync -f "$work/live"
damaged_on_device 'a file' "$work/live/quiet/1"
damaged_on_device 'a directory with attributes' "$work/live/inline"
for fd in "${held[@]}"; do
	exec {fd}<&-
done
without_preallocation live

# Files in AGs that came a moment ago, of which the superblock on the device knows nothing yet: the
# engine must not wait until it does.
truncate -s 3G "$work/live.img"
losetup -c "$device" && xfs_growfs "$work/live" >/dev/null
for folder in $(seq 1 32); do
	mkdir "$work/live/new-$folder" && touch "$work/live/new-$folder"/{1..50}
done
agree 'just grown' "$work/live" device "$work/live" bulkstat
run scan --db="$db" --format=json --engine=device --fresh=0 "$work/live"
is 'just grown: engine' "$(jq -r .engine "$out")" device

mount -o remount,ro "$work/live"
agree 'read-only' "$work/live" device "$work/live" bulkstat
umount "$work/live"
scan device "$work/live.img"
is 'the image afterwards: exit status' "$status" 0
cells "$id" >"$work/cells_1"
is 'the image afterwards: every cell' "$(diff "$work/cells_1" "$work/cells_2" | head -5)" ''
done_testing
