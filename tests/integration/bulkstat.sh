#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The bulkstat engine, the readers below it and target_open() on real XFS filesystems of several
# layouts, against xfs_io, find and stat.

. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands xfs_io xfs_db xfs_admin losetup setpriv bc

driver=${top_builddir:?}/tests/integration/bulkstat_driver
loop=''
m=$work/mnt
mkdir "$m"
trap 'rm -f "$work/writing"; work_cleanup; [ -z "$loop" ] || losetup -d "$loop"' EXIT

# The variables make mkfs.xfs allow layouts that it calls too small for real use.
make_fs() { # MKFS-OPTION…
	rm -f "$work/image"
	truncate -s "${size:-512M}" "$work/image" &&
		TEST_DIR=1 TEST_DEV=1 QA_CHECK_FS=1 mkfs.xfs -q -f "$@" "$work/image" && mount -o "loop,${mount:-rw}" "$work/image" "$m"
}

remount() { # so that nothing is in the caches
	umount "$m" && mount -o "loop,${mount:-rw}" "$work/image" "$m"
}

# Every kind of inode, ids and times at their ends, forks of all formats.
fill() {
	local d
	mkdir -p "$m/tree/short" "$m/tree/block" "$m/tree/node" "$m/links"
	for d in 1 2 3 4 5 6 7 8; do
		mkdir "$m/tree/d$d"
		touch "$m/tree/d$d/"{1..300}
		chown "$((1000 + d)):$((2000 + d))" "$m/tree/d$d"/*
	done
	rm -f "$m"/tree/d3/* "$m"/tree/d4/*[2-9] # empty and half-empty chunks
	touch "$m/tree/block/name-number-"{1..40} "$m/tree/node/a-much-longer-name-number-"{1..600}
	echo short >"$m/tree/short/file"
	head -c 100000 /dev/zero >"$m/tree/data"
	truncate -s 9223372036854771712 "$m/tree/sparse"
	xfs_io -f -c 'falloc 0 8m' "$m/tree/unwritten"
	xfs_io -f -c 'extsize 4096' -c 'pwrite -q 0 64k' "$m/tree/hint"
	xfs_io -f -c 'pwrite -q 0 4m' "$m/tree/holes" # a B+tree of extents
	for d in {0..500}; do
		printf 'fpunch %d 4096\n' $((d * 8192))
	done | xfs_io "$m/tree/holes" >/dev/null
	ln -s target "$m/tree/symlink"
	ln -s "$(printf 'x%.0s' {1..1000})" "$m/tree/long-symlink"
	mkfifo "$m/tree/fifo"
	mknod "$m/tree/null" c 1 3
	touch "$m/tree/uid" "$m/tree/old" "$m/tree/future" "$m/tree/$(printf 'odd\n\377 name')"
	chown 4294967294:4294967293 "$m/tree/uid"
	touch -d @-86401.5 "$m/tree/old"
	touch -d @4294967000 "$m/tree/future" 2>/dev/null
	xfs_io -c 'chproj 4000000000' -c 'chattr +dS' "$m/tree/d1/1"
	touch "$m/links/"{1..5}
	ln "$m/links/1" "$m/tree/link"
	if command -v setfattr >/dev/null; then
		for d in short fifo symlink null data d5/1 d5/2; do
			setfattr -h -n trusted.small -v x "$m/tree/$d"
			setfattr -h -n trusted.large -v "$(printf 'y%.0s' {1..9000})" "$m/tree/$d"
		done
	fi
	sync -f "$m"
}

# xfs_io's text in the driver's form.
from_xfs_io() {
	awk '
		function flush() {
			if (v["ino"] == "")
				return
			print v["ino"] " mode=" v["mode"] " nlink=" v["nlink"] " uid=" v["uid"] \
				" gid=" v["gid"] " projid=" v["projectid"] " size=" v["size"] \
				" blocks=" v["blocks"] " extents=" v["extents"] + v["extents64"] \
				" aextents=" v["aextents"] " mtime=" v["mtime"] " ctime=" v["ctime"] \
				" gen=" v["gen"] " xflags=" v["xflags"] " attr_fork=" (v["forkoff"] != 0)
			split("", v)
		}
		{ name = substr($1, 4) }
		$3 ~ /^18446744073709465214/ { $3 = "-86402" } # it prints times as if unsigned
		name == "ino" { flush() }
		name ~ /time$/ { sub(/\..*/, "", $3) }
		{ v[name] = $3 }
		END { flush() }'
}

# What stat(1) can tell of an inode, of the tree at $1.
by_stat() {
	find "$1" -xdev -print0 | xargs -0 stat -c '%i %f %h %u %g %s %.9Y %.9Z' | sort -un | awk '
		function down(t, whole) {
			whole = t
			sub(/\..*/, "", whole)
			return t ~ /^-/ && t !~ /\.0*$/ ? whole - 1 : whole
		}
		{ print $1, $2, $3, $4, $5, $6, down($7), down($8) }'
}

cells() { # JOBS VERSION PATH
	"$driver" census "$@" | grep -v ^note
}

# A filesystem of the given layout, all comparisons.
check_layout() { # NAME MKFS-OPTION…
	local name=$1 inodes
	shift
	make_fs "$@" && fill && remount
	ok "$name: made" mountpoint -q "$m" || return
	"$driver" inodes v5 "$m" >"$work/v5"
	"$driver" inodes v1 "$m" >"$work/v1"
	xfs_io -c 'bulkstat -v 5' "$m" | from_xfs_io >"$work/xfs_io"
	same "$name: v5 as xfs_io reads it" "$work/v5" "$work/xfs_io"
	same "$name: v1 as v5" "$work/v1" "$work/v5"
	"$driver" chunks v5 "$m" >"$work/chunks5"
	"$driver" chunks v1 "$m" >"$work/chunks1"
	xfs_io -c 'inumbers -v 5' "$m" | awk '$1 == "xi_startino" { i = $3 }
		$1 == "xi_allocmask" { sub(/^0x/, "", $3); mask = $3 }
		$1 == "xi_alloccount" { print i " mask=" mask " count=" $3 }' >"$work/inumbers"
	same "$name: chunks as xfs_io reads them" "$work/chunks5" "$work/inumbers"
	same "$name: chunks by v1 as by v5" "$work/chunks1" "$work/chunks5"

	by_stat "$m" >"$work/stat"
	sed 's/ [a-z]*=/ /g' "$work/v5" | while read -r ino mode nlink uid gid _ size _ _ _ mtime ctime _; do
		printf '%s %x %s %s %s %s %s %s\n' \
			"$ino" "$((mode))" "$nlink" "$uid" "$gid" "$size" "$mtime" "$ctime"
	done >"$work/as_stat"
	same "$name: every inode as stat tells it" "$work/as_stat" "$work/stat"

	cells 1 auto "$m" >"$work/cells"
	inodes=$(find "$m" -xdev -printf '%i\n' | sort -u | wc -l)
	is "$name: as many inodes as find sees" "$(sed -n 's/^inodes //p' "$work/cells")" "$inodes"
	is "$name: as many chunks as INUMBERS gives" "$(sed -n 's/^chunks //p' "$work/cells")" \
		"$(wc -l <"$work/chunks5")"
	is "$name: as many bytes allocated as stat tells" \
		"$(sed -n 's/^cell.* allocated=\([0-9]*\).*/\1/p' "$work/cells" | paste -sd+ | bc)" \
		"$(find "$m" -xdev -printf '%i %b\n' | sort -un | awk '{ s += $2 } END { printf "%.0f\n", s * 512 }')"
	is "$name: no failures" "$(grep -c ^failure "$work/cells")" 0
	for jobs in 2 7; do
		cells $jobs auto "$m" >"$work/other"
		same "$name: $jobs workers as one" "$work/other" "$work/cells"
	done
	cells 2 v1 "$m/tree/d1" >"$work/other"
	same "$name: v1, from a tree in it, as v5" "$work/other" "$work/cells"
	umount "$m"
}

check_links() {
	make_fs -i size=512
	mkdir -p "$m/0"
	touch "$m/file"
	for i in {1..999}; do ln "$m/file" "$m/0/$i"; done
	for i in {1..69}; do cp -al "$m/0" "$m/$i"; done
	ln "$m/file" "$m/last"
	ino=$(stat -c %i "$m/file")
	links=$(stat -c %h "$m/file")
	is 'an inode with many links: nlink by stat' "$links" 69932
	is 'many links by v5' "$("$driver" single v5 "$m" "$ino" | grep -o 'nlink=[0-9]*')" "nlink=$links"
	is 'many links by v1 are modulo 65536, which makes no difference' \
		"$("$driver" single v1 "$m" "$ino" | grep -o 'nlink=[0-9]*')" "nlink=$((links % 65536))"
	is 'many links are one inode' "$("$driver" census 2 auto "$m" | sed -n 's/^inodes //p')" 72
	rm -r "$m/0"
	rm -r "$m/67" "$m/68" "$m/69"
	(cd "$m/66" && seq $(($(stat -c %h "$m/file") - 65536)) | xargs rm)
	sync -f "$m"
	for version in v1 v5; do
		is "65536 links by $version: not taken for none" \
			"$("$driver" single $version "$m" "$ino" | grep -o 'nlink=[0-9]*')" nlink=65536
	done
	exec 9>"$m/open"
	open=$(stat -c %i "$m/open")
	rm "$m/open"
	is 'no link at all by v1' \
		"$("$driver" single v1 "$m" "$open" | grep -o 'nlink=[0-9]*')" nlink=0
	"$driver" census 2 v5 "$m" | grep -v ^note >"$work/v5"
	"$driver" census 2 v1 "$m" | grep -v ^note >"$work/v1"
	same '65536 links: v1 as v5' "$work/v1" "$work/v5"
	exec 9>&-
	free=$(stat -c %i "$m/last")
	rm "$m/last" && touch "$m/gone" && free=$(stat -c %i "$m/gone") && rm "$m/gone" && sync -f "$m"
	is 'a free inode by v5' "$("$driver" single v5 "$m" "$free")" "$free not in use"
	is 'a free inode by v1' "$("$driver" single v1 "$m" "$free")" "$free not in use"
	is 'an inode number past the end' "$("$driver" single v5 "$m" 1152921504606846976)" \
		'1152921504606846976 not in use'
	umount "$m"
}

check_empty() {
	make_fs
	"$driver" census 1 auto "$m" >"$work/cells"
	is 'an empty filesystem has its root' "$(sed -n 's/^inodes //p' "$work/cells")" 1
	is 'the root is no part of something' "$(sed -n 's/^note //p' "$work/cells")" -
	touch "$m/file"
	exec 9>"$m/open"
	rm "$m/open"
	is 'open but deleted is counted as unlinked' \
		"$("$driver" census 2 auto "$m" | sed -n 's/^unlinked //p')" 1
	exec 9>&-
	printf '%5000s' x >"$m/delayed"
	is 'what is not written back has its size' \
		"$("$driver" census 2 auto "$m" | grep -c '^cell 0 0 0 0 13 inodes=1 size=5000')" 1
	umount "$m"
}

check_refusals() {
	make_fs
	cp "$driver" "$work/driver"
	is 'an ordinary user is told' \
		"$(setpriv --reuid 65534 --clear-groups "$work/driver" census 2 auto "$m" 2>&1)" \
		'needs root (CAP_SYS_ADMIN)'
	is 'another filesystem is told' "$("$driver" census 2 auto /proc 2>&1)" \
		'the filesystem is proc, not XFS'
	for version in auto v1 v5; do
		is "$version on another filesystem" "$("$driver" inodes $version /proc 2>&1)" \
			'inodes: Inappropriate ioctl for device'
	done
	umount "$m"
	is 'an image is told' "$("$driver" census 2 auto "$work/image" 2>&1)" \
		'the filesystem is not mounted'
}

check_cancel() {
	make_fs
	fill
	is 'a scan that the user stops' "$("$driver" census 2 auto "$m" 1 2>&1)" 'stopped'
	umount "$m"
}

# Files that stay must be counted exactly while others come and go beside them.
check_writer() {
	local wrong=0 base writer
	make_fs
	fill
	base=$("$driver" census 2 auto "$m" | sed -n 's/^inodes //p')
	is_steady='^cell 100[1-8] '
	"$driver" census 2 auto "$m" | grep "$is_steady" >"$work/steady"
	mkdir "$m/churn"
	: >"$work/writing"
	while [ -e "$work/writing" ]; do
		touch "$m/churn/"{1..400}
		rm -f "$m/churn/"*
	done &
	writer=$!
	for _ in {1..20}; do
		"$driver" census 4 auto "$m" >"$work/cells" || wrong=$((wrong + 1))
		grep -q ^failure "$work/cells" && wrong=$((wrong + 1))
		grep "$is_steady" "$work/cells" | cmp -s - "$work/steady" || wrong=$((wrong + 1))
		count=$(sed -n 's/^inodes //p' "$work/cells")
		[ "$count" -gt "$base" ] && [ "$count" -le $((base + 401)) ] || wrong=$((wrong + 1))
	done
	rm "$work/writing"
	wait "$writer"
	is 'a writer beside 20 scans: what stays is counted once, no failure' $wrong 0
	umount "$m"
}

# A filesystem with inode $ino damaged; what both generations make of it.
check_damage() { # "FIELD VALUE" LOST FAILURE
	local inodes agno what="an inode with $1"
	make_fs
	fill
	ino=$(stat -c %i "$m/tree/d6/77")
	inodes=$("$driver" census 1 auto "$m" | sed -n 's/^inodes //p')
	unmount_image "$m" "$work/image"
	agno=$(xfs_db -r -c "convert inode $ino agno" "$work/image" | sed 's/.*(\([0-9]*\)).*/\1/')
	xfs_db -x -c "inode $ino" -c "write -d $1" "$work/image" >/dev/null
	mount -o loop "$work/image" "$m"
	for version in auto v1; do
		"$driver" census 2 $version "$m" >"$work/cells"
		is "$what ($version): the others are counted" \
			"$(sed -n 's/^inodes //p' "$work/cells")" $((inodes - $2))
		is "$what ($version): it is tallied" "$(sed -n 's/^failures //p' "$work/cells")" "$3"
		like "$what ($version): it is named" "$(sed -n 's/^failure //p' "$work/cells")" \
			"^AG $agno, inode.*: Structure needs cleaning\$"
	done
	umount "$m"
}

# Many subdirectories: the v1 link count of a directory has 16 bits as well.
check_subdirectories() {
	make_fs -i size=512
	mkdir "$m/many"
	(cd "$m/many" && seq 66000 | xargs mkdir)
	sync -f "$m"
	ino=$(stat -c %i "$m/many")
	is 'many subdirectories by v1' \
		"$("$driver" single v1 "$m" "$ino" | grep -o 'nlink=[0-9]*')" nlink=66002
	umount "$m"
}

# An AG whose inode B+tree has a damaged root, one of six; not that of the root directory, without
# which nothing is mounted.
check_damaged_ag() { # AG
	local version inodes i
	make_fs -d agcount=6
	for i in {1..60}; do
		mkdir "$m/d$i"
		touch "$m/d$i/"{1..150}
	done
	inodes=$("$driver" census 1 auto "$m" | sed -n 's/^inodes //p')
	unmount_image "$m" "$work/image"
	xfs_db -x -c "agi $1" -c 'addr root' -c 'write -d magic 0' "$work/image" >/dev/null
	mount -o loop "$work/image" "$m"
	"$driver" census 2 auto "$m" >"$work/cells"
	is "damaged inode B+tree of AG $1: tallied once" \
		"$(grep '^failures' "$work/cells")" 'failures ag count=1 inodes=0'
	like "damaged inode B+tree of AG $1: that AG is blamed" \
		"$(sed -n 's/^failure //p' "$work/cells")" "^AG $1, inode chunks"
	like "damaged inode B+tree of AG $1: a way out is told" \
		"$(sed -n 's/^note //p' "$work/cells")" '--engine=walk'
	ok "damaged inode B+tree of AG $1: the other five are counted" \
		test "$(sed -n 's/^inodes //p' "$work/cells")" -gt $((inodes * 7 / 10))
	"$driver" census 2 v1 "$m" >"$work/old"
	like "damaged inode B+tree of AG $1, v1: told with what is uncertain" \
		"$(sed -n 's/^failure //p' "$work/old")" "^AG [0-9] or the next in use, inode chunks"
	is "damaged inode B+tree of AG $1, v1: the same inodes" \
		"$(sed -n 's/^inodes //p' "$work/old")" "$(sed -n 's/^inodes //p' "$work/cells")"
	umount "$m"
}

# A filesystem that shuts down is told as such by all, before a scan and in the midst of it.
check_shut_down() {
	local command
	make_fs
	fill
	device=$(findmnt -rno SOURCE "$m")
	xfs_io -x -c shutdown "$m"
	for command in "scan --db=$db" "scan --db=$db --engine=walk" "calibrate --db=$db"; do
		# shellcheck disable=SC2086 # several words
		run $command "$m"
		failed_clearly "shut down before: $command" 2 'shut down.*dmesg'
	done
	run scan --db="$db" "$device"
	failed_clearly 'shut down before: scan of the device' 2 'shut down.*dmesg'
	umount "$m"
}

reason() { # PATH: what a scan of it says of how it was done
	run scan --db="$db" --engine=bulkstat --jobs=1 --no-dirs --format=json "$1"
	sed -n 's/^ "engine_reason": "\(.*\)",$/\1/p' "$out"
}

# A clone has the UUID of its origin; who scans one of them is told of the other.
check_clone() {
	local clone=$work/clone told='has the same UUID, so the scans of both are one history'
	make_fs
	mkdir "$clone"
	cp --sparse=always "$work/image" "$work/image2"
	mount -o loop,nouuid "$work/image2" "$clone"
	device=$(findmnt -rno SOURCE "$m")
	is 'a clone: its origin is told' "$(reason "$clone")" "asked for; $device at $m $told"
	device=$(findmnt -rno SOURCE "$clone")
	is 'an origin: its clone is told' "$(reason "$m")" "asked for; $device at $clone $told"
	xfs_io -x -c shutdown "$clone"
	is 'an origin: a clone that has shut down does not matter' "$(reason "$m")" 'asked for'
	umount "$clone"
	is 'an origin whose clone is not mounted: nothing to tell' "$(reason "$m")" 'asked for'
	loop=$(losetup -f --show "$work/image2")
	run scan --db="$db" --engine=device --no-dirs --format=json "$loop"
	like 'a device that is a clone: its origin is told' \
		"$(sed -n 's/^ "engine_reason": "\(.*\)",$/\1/p' "$out")" " at $m $told\$"
	losetup -d "$loop"
	loop=
	umount "$m"
	rm "$work/image2"
}

field() { # NAME PATH
	"$driver" target "$2" 2>&1 | sed -n "s/^$1=//p"
}

check_targets() {
	local odd="$work/a b	c"
	make_fs -m uuid=0d5f1c3a-7f0e-4a35-9a53-2f6d2a8f1e01
	mkdir "$m/tree" "$m/over" "$odd"
	device=$(findmnt -rno SOURCE "$m")
	is 'mount point: is the root' "$(field is_root "$m")" 1
	is 'mount point: UUID' "$(field fs_id "$m")" 0d5f1c3a-7f0e-4a35-9a53-2f6d2a8f1e01
	is 'mount point: device' "$(field device "$m")" "$device"
	is 'mount point: read-write' "$(field read_only "$m")" 0
	is 'mount point: capacity is about the size' \
		$(($(field capacity_bytes "$m") / 1048576)) 512
	is 'tree: is not the root' "$(field is_root "$m/tree")" 0
	is 'tree: mount point' "$(field mount_point "$m/tree")" "$m"
	is 'device: mount point' "$(field mount_point "$device")" "$m"
	is 'device: is the whole' "$(field is_root "$device")" 1
	is 'image: UUID' "$(field fs_id "$work/image")" 0d5f1c3a-7f0e-4a35-9a53-2f6d2a8f1e01
	is 'tree: counts more than it' "$("$driver" census 1 auto "$m/tree" | sed -n 's/^note //p')" \
		"counts the whole filesystem at $m, not only $m/tree"

	mount --bind "$m/tree" "$odd"
	is 'bind of a tree: the mount point is that of the root' "$(field mount_point "$odd")" "$m"
	is 'bind of a tree: is not the root' "$(field is_root "$odd")" 0
	is 'device: the mount of the root, not the later bind' "$(field mount_point "$device")" "$m"
	umount "$odd"
	mount --bind "$m" "$odd"
	is 'bind of the root: is the root' "$(field is_root "$odd")" 1
	is 'bind of the root: mount point with odd bytes' "$(field mount_point "$odd")" "$odd"
	umount "$odd"

	mount -t tmpfs none "$m/over"
	is 'mount over a directory: the upper one' "$(field fs_type "$m/over")" tmpfs
	umount "$m/over"
	mount -t tmpfs none "$m"
	is 'mount over the mount point: the upper one' "$(field fs_type "$m")" tmpfs
	is 'device: a mount that is hidden is told' "$("$driver" target "$device" 2>&1)" \
		"$device is mounted at $m, where another mount hides it"
	umount "$m"
	mount -o remount,ro "$m"
	is 'read-only mount' "$(field read_only "$m")" 1
	is 'read-only mount: is counted' "$("$driver" census 1 auto "$m" | sed -n 's/^inodes //p')" 3
	umount "$m"

	xfs_admin -U 0d5f1c3a-7f0e-4a35-9a53-2f6d2a8f1e02 "$work/image" >/dev/null
	loop=$(losetup -f --show "$work/image")
	is 'unmounted device: UUID that was changed' "$(field fs_id "$loop")" \
		0d5f1c3a-7f0e-4a35-9a53-2f6d2a8f1e02
	is 'unmounted device: no mount point' "$(field mount_point "$loop")" -
	is 'unmounted device: inodes, internal ones too' "$(field inodes "$loop")" 5
	losetup -d "$loop"
	loop=
}

check_layout 'default'
check_layout '1 AG, inodes of 2048 bytes' -d agcount=1 -i size=2048
check_layout '16 AGs, inodes of 1024 bytes, no sparse chunks' -d agcount=16 \
	-i size=1024,sparse=0 -m finobt=0,inobtcount=0
check_layout 'old times, short extent counters' -m bigtime=0
mount=inode32 check_layout 'blocks of 1024 bytes, inode32' -b size=1024
check_links
check_empty
check_refusals
check_cancel
check_writer
check_damage "core.format 9" 1 'inode count=1 inodes=1' # the kernel refuses the inode
check_damage "core.magic 0" 32 'inode-chunk count=1 inodes=32' # and here its cluster
check_subdirectories
check_damaged_ag 1
check_damaged_ag 2
check_damaged_ag 5
check_shut_down
check_clone
check_targets
done_testing
