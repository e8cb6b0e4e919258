#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The device engine against the kernel: the same inodes, field by field, on filesystems of many
# kinds. Where no kernel mounts a kind any more, against a prototype file whose contents are known.
# Needs root for loop mounts; without it only images are read.
set -u
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_commands mkfs.xfs xfs_io xfs_db xfs_freeze setpriv sqlite3 jq
work_begin
inodes=${top_builddir:?}/tests/integration/device_inodes
mnt=$work/mnt
image=$work/image
mkdir "$mnt"

# xfs_io's bulkstat in the words of device_inodes. The ioctl says 0 blocks where the data fork is
# inline, whatever the attribute fork has: such lines are taken as equal.
bulkstat_lines() {
	xfs_io -c bulkstat "$1" | awk '
	function whole(time) { sub(/[.].*/, "", time); return time }
	function line() {
		if ("bs_ino" in v)
			print v["bs_ino"], substr(v["bs_mode"], 2), v["bs_nlink"], v["bs_uid"],
				v["bs_gid"], v["bs_projectid"], v["bs_size"], v["bs_blocks"],
				v["bs_extents64"] != "" ? v["bs_extents64"] : v["bs_extents"],
				v["bs_aextents"], whole(v["bs_mtime"]), whole(v["bs_ctime"]),
				v["bs_gen"], v["bs_xflags"], v["bs_forkoff"] != 0
		delete v
	}
	$1 == "bs_ino" { line() }
	{ v[$1] = $3 }
	END { line() }' | normalise_hex | sort -n
}

# Generation and flags as xfs_io prints them, hexadecimal, to those of device_inodes.
normalise_hex() {
	while read -r ino mode nlink uid gid projid size blocks ext aext mtime ctime gen flags fork; do
		printf '%s %s %s %s %s %s %s %s %s %s %s %s %u %x %s\n' "$ino" "$mode" "$nlink" \
			"$uid" "$gid" "$projid" "$size" "$blocks" "$ext" "$aext" "$mtime" \
			"$ctime" "$gen" "$flags" "$fork"
	done
}

# 1 500 inodes of every kind, in three directories, a third of them deleted again.
fill() {
	for d in one two three; do
		mkdir "$mnt/$d"
		(cd "$mnt/$d" && seq 1 600 | split -l 1 -a 2 - f)
	done
	seq 1 2000 >"$mnt/two/longer"
	chown 1000:2000 "$mnt"/one/fa*
	chown 4294967294:4294967294 "$mnt/two/faa"
	ln -s target "$mnt/short-link"
	ln -s "$(printf '%0600d' 7)" "$mnt/long-link"
	ln "$mnt/one/fab" "$mnt/hard-link"
	mkfifo "$mnt/fifo"
	mknod "$mnt/device" b 7 300
	truncate -s 9223372036854775807 "$mnt/huge" 2>/dev/null || truncate -s 1T "$mnt/huge"
	touch -d 1935-05-05 "$mnt/two/fac"
	touch -d 2100-01-01 "$mnt/two/fad"
	setfattr -n user.small -v x "$mnt/two/fae" "$mnt/two" 2>/dev/null
	for i in 1 2 3; do
		setfattr -n user.large$i -v "$(printf '%03000d' $i)" "$mnt/two/faf" 2>/dev/null
	done
	xfs_io -c 'chproj 70000' "$mnt/two/fag"
	xfs_io -c 'chattr +d' "$mnt/two/fah"
	xfs_io -f -c 'falloc 0 1m' "$mnt/preallocated"
	for i in $(seq 0 40); do
		xfs_io -f -c "pwrite -q $((i * 131072)) 4096" "$mnt/many-extents"
	done
	rm -f "$mnt"/three/f?[a-m] "$mnt"/one/fc?
}

# Whether what was found, with that exit status, is what was expected.
as_expected() { # STATUS
	[ "$1" = 0 ] && cmp -s "$work/expected" "$work/found" && return
	echo "exit status $1"
	head -n 3 "$work/errors"
	diff "$work/expected" "$work/found" | head -n 6
	return 1
}

# Runs device_inodes and compares with what is expected.
check() { # NAME ARGUMENT…
	local name=$1 status=0
	shift
	"$inodes" "$@" >"$work/output" 2>"$work/errors" || status=$?
	sort -n "$work/output" >"$work/found"
	ok "$name ($(wc -l <"$work/found") inodes)" as_expected $status
}

# Full but for single blocks here and there, so that new inode chunks can only be sparse ones.
fragment() {
	mkdir "$mnt/pieces"
	(cd "$mnt/pieces" && head -c 400m /dev/zero | split -b 4096 -a 5 - p) 2>/dev/null
	rm -f "$mnt"/pieces/p???[acegikmoqsuwy]?
	sync -f "$mnt"
	seq 1 40000 | (cd "$mnt/pieces" && xargs touch) 2>/dev/null
}

mount_image() { # [OPTION…]: comma first
	mount -o "loop$mount_options${1-}" "$image" "$mnt" 2>"$work/errors" &&
		loop=$(findmnt -no SOURCE "$mnt")
}

# Every cell of the cube and of the ages, as all three engines count on a filesystem at rest.
same_census() { # NAME
	local engine
	rm -f "$db"
	for engine in device bulkstat walk; do
		run scan --db="$db" --engine=$engine --no-dirs --format=json "$mnt"
		[ "$status" = 0 ] || diag "$engine: $err"
		cells "$(jq .scan_id "$out")" >"$work/cells.$engine"
	done
	ok "$1: a census has cells" test -s "$work/cells.device"
	same "$1: the census of device is that of bulkstat" "$work/cells.device" "$work/cells.bulkstat"
	same "$1: the census of walk is that of bulkstat" "$work/cells.walk" "$work/cells.bulkstat"
}

# The device against bulkstat, frozen with a deleted file open, and unmounted.
compare() { # NAME
	xfs_freeze -f "$mnt"
	bulkstat_lines "$mnt" >"$work/expected"
	check "$1: frozen, with a deleted file open" "$loop"
	check "$1: frozen, chunks from the kernel" -m "$mnt" "$loop"
	xfs_freeze -u "$mnt"
	exec 9>&-
	unmount_image "$mnt" "$image"
	mount_image ,ro
	bulkstat_lines "$mnt" >"$work/expected"
	check "$1: mounted read-only" "$loop"
	same_census "$1"
	unmount_image "$mnt" "$image"
	check "$1: image, io_uring" -d -u "$image"
	check "$1: image, threads" -d -t "$image"
	check "$1: image, what is cached from the cache" "$image"
	check "$1: image, page cache, one worker" -b -j 1 "$image"
	check "$1: image, large gaps" -g 1m "$image"
}

# A layout that this mkfs or this kernel does not know is left out; enough of them must be left.
compared=0
leave_out() { # NAME REASON
	diag "left out: $1: $2"
}

variant() { # NAME SIZE MKFS-OPTION…
	local name=$1 size=$2
	shift 2
	rm -f "$image"
	truncate -s "$size" "$image"
	if ! mkfs.xfs -q -f "${unsupported[@]}" "$@" "$image" >"$work/errors" 2>&1; then
		leave_out "$name" "mkfs.xfs: $(head -1 "$work/errors")"
		return
	fi
	if ! mount_image ,noatime; then
		leave_out "$name" 'the kernel does not mount it'
		return
	fi
	fill
	exec 9>"$mnt/deleted"
	rm "$mnt/deleted"
	[ -z "$fragmented" ] || fragment
	compared=$((compared + 1))
	compare "$name"
}

# A device that cannot be read where the file behind it ends: in three of four groups, and the log.
cut_short() {
	local cut
	truncate -s 300m "$work/cut" && mkfs.xfs -q -f -d agcount=4 "$work/cut" && cut=$(attach "$work/cut") &&
		truncate -s 70m "$work/cut" || return
	run scan --db="$db" --engine=device --format=json "$cut"
	is 'a device cut short: exit status' "$status" 1
	is 'a device cut short: what fails' "$(jq -c '[.rows[] | [.kind, .count]]' "$out")" '[["ag",3],["log",1]]'
	is 'a device cut short: one reason each' \
		"$(jq -r '.examples[] | select(.what | test("error$")) | .what' "$out")" ''
	like 'a device cut short: the reason' "$(jq -r '.examples[].error' "$out")" 'Input/output error'
}

# An image is read by whoever may read it, mounted or not, with the same result.
by_nobody() {
	mkdir "$work/nobody"
	chmod 777 "$work/nobody"
	chmod 644 "$image"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$XFSCENSUS" scan --quiet --no-dirs \
		--db="$work/nobody/db" "$image" || return
	db=$work/nobody/db cells 1 | diff "$work/cells.device" - | head -n 5 >"$work/different"
	cat "$work/different"
	[ ! -s "$work/different" ] &&
		[ "$(sqlite3 "$work/nobody/db" 'SELECT engine FROM v_scan')" = device ]
}

# A filesystem whose contents only the prototype file tells: 300 files in each of two directories.
write_prototype() {
	printf 'x' >"$work/one-byte"
	head -c 70000 /dev/zero >"$work/larger"
	: >"$work/empty"
	echo /none
	echo '0 0'
	echo 'd--755 0 0'
	for d in a b; do
		echo "$d d--750 7 8"
		for i in $(seq 1 100); do
			echo "e$i ---644 $i 5 $work/empty"
			echo "o$i ---600 1000 $i $work/one-byte"
			echo "l$i ---444 1001 6 $work/larger"
		done
		echo '$'
	done
	echo 'link l--777 3 4 somewhere'
	echo 'pipe p--644 0 9'
	echo 'null c--666 0 0 1 3'
	echo '$'
}

# Mode, links, uid, gid and size of what the prototype holds, but for directories' sizes.
prototype_lines() {
	{
		echo '40755 4 0 0 -'
		for d in a b; do
			echo '40750 2 7 8 -'
			for i in $(seq 1 100); do
				echo "100644 1 $i 5 0"
				echo "100600 1 1000 $i 1"
				echo '100444 1 1001 6 70000'
			done
		done
		echo '120777 1 3 4 9'
		echo '10644 1 0 9 0'
		echo '20666 1 0 0 0'
	} | sort
}

prototype() { # NAME SIZE MKFS-OPTION…
	local name=$1 size=$2
	shift 2
	rm -f "$image"
	truncate -s "$size" "$image"
	if ! mkfs.xfs -q -f "${unsupported[@]}" -p "$work/prototype" "$@" "$image" \
		>"$work/errors" 2>&1; then
		skip "$name" "mkfs.xfs: $(tail -1 "$work/errors")"
		return
	fi
	check_prototype "$name"
}

check_prototype() { # NAME
	local status=0
	"$inodes" "$image" >"$work/output" 2>"$work/errors" || status=$?
	awk '{ print $2, $3, $4, $5, $2 ~ /^40/ ? "-" : $7 }' "$work/output" |
		sort >"$work/found"
	prototype_lines >"$work/expected"
	ok "$1 ($(wc -l <"$work/found") inodes)" as_expected $status
}

# What xfs_db says of every inode that has a name, in the words of device_inodes, as far as both go:
# number, mode, links, owners, size, blocks, extents, generation, and whether it is of the realtime
# section.
xfs_db_lines() {
	local fields='mode nlinkv2 uid gid size nblocks nextents gen realtime' ino
	{
		xfs_db -r -c 'sb 0' -c 'p rootino' "$image" | awk '{ print $3 }'
		xfs_db -r -c 'blockget -n' -c ncheck "$image" 2>/dev/null | awk '$1 + 0 { print $1 }'
	} | sort -nu >"$work/inos"
	while read -r ino; do
		echo "inode $ino"
		echo "p core.${fields// / core.}"
	done <"$work/inos" >"$work/commands"
	xfs_db -r "$image" <"$work/commands" | awk '$2 == "=" { print substr($3, 1 + ($1 == "core.mode")) }' |
		paste -d ' ' - - - - - - - - - | paste -d ' ' "$work/inos" - | sort -n
}

# Of the prototype's files, every fourth becomes one of the realtime section, with what it has, and
# every twelfth one with more blocks than the data section could hold.
make_realtime() {
	awk '$2 ~ /^100/ && ++n % 4 == 0 { print $1, n % 12 }' "$work/output" | while read -r ino big; do
		printf 'inode %s\nwrite core.realtime 1\n' "$ino"
		[ "$big" != 0 ] || printf 'write core.size 500000000\nwrite core.nblocks 100000\n'
	done | xfs_db -x "$image" >/dev/null 2>"$work/errors"
}

realtime() { # NAME
	local inos status=0
	make_realtime
	xfs_db_lines >"$work/expected"
	"$inodes" "$image" >"$work/output" 2>"$work/errors" || status=$?
	sort -n "$work/output" | awk '{
		print $1, $2, $3, $4, $5, $7, $8, $9, $13, $14 ~ /1$|3$|5$|7$|9$|b$|d$|f$/ ? 1 : 0
	}' >"$work/found"
	ok "$1: as xfs_db tells ($(wc -l <"$work/found") inodes)" as_expected $status
	is "$1: so many" "$(awk '$10' "$work/expected" | wc -l)" 150
	inos=$(xfs_db -r -c 'sb 0' -c 'p rbmino rsumino' "$image" | awk '{ print $3 }' | xargs)
	is "$1: bitmap and summary are left out" \
		"$(awk -v "inos=$inos" 'index(" " inos " ", " " $1 " ")' "$work/found")" ''
	rm -f "$db"
	run scan --db="$db" --format=json "$image"
	is "$1: allocated bytes in a census" "$(jq .allocated_bytes "$out")" \
		"$(awk '{ blocks += $7 } END { printf "%.0f", blocks * 4096 }' "$work/expected")"
	is "$1: size classes" \
		"$(sql "SELECT size_class, sum(inodes) FROM v_cell
			WHERE kind = 'regular' GROUP BY size_class" | xargs)" \
		"$(awk '$2 ~ /^100/ {
			class = 0
			for (size = $6; size >= 1; size /= 2)
				class++
			n[class]++
		}
		END { for (class in n) print class "|" n[class] }' "$work/expected" | sort -n | xargs)"
}

mount_options='' fragmented=''
# Newer mkfs.xfs makes filesystems as small as these, or of one AG, only when told so.
unsupported=()
mkfs.xfs --unsupported -N -d file,name="$work/probe",size=300m >/dev/null 2>&1 &&
	unsupported=(--unsupported)
if [ "$(id -u)" = 0 ]; then
	variant 'default' 300m
	ok 'an ordinary user takes the census of an image, with the device engine' by_nobody
	variant 'one AG' 300m -d agcount=1
	variant '32 AGs, odd size' 1g -d agcount=32 -b size=1024
	variant 'odd AG size' 400m -d agsize=33001b
	variant 'blocks 1024, inodes 512' 300m -b size=1024
	variant 'blocks 2048, inodes 1024' 300m -b size=2048 -i size=1024
	variant 'blocks 8192' 300m -b size=8192
	variant 'blocks 16384, inodes 2048' 400m -b size=16384 -i size=2048
	variant 'blocks 65536' 600m -b size=65536
	variant 'inodes 1024' 300m -i size=1024
	variant 'inodes 2048' 300m -i size=2048
	variant 'no sparse inodes' 300m -i sparse=0
	variant 'no finobt' 300m -m finobt=0,rmapbt=0,reflink=0
	variant 'no bigtime' 300m -m bigtime=0,inobtcount=0
	variant 'nrext64' 300m -i nrext64=1
	variant 'rmapbt' 300m -m rmapbt=1,reflink=1
	variant 'sectors of 4096' 300m -s size=4096
	variant 'stripes' 300m -d su=64k,sw=4
	truncate -s 64m "$work/log"
	log_device=$(attach "$work/log")
	mount_options=,logdev=$log_device
	variant 'external log' 300m -l "logdev=$log_device"
	mount_options=,inode32,uquota,gquota,pquota
	variant 'quota inodes, inode32' 300m
	mount_options=''
	variant 'version 4' 300m -m crc=0
	fragmented=yes
	variant 'sparse chunks' 64m -i size=1024,sparse=1
	like 'sparse chunks: there are some' \
		"$(xfs_db -r -c 'agi 0' -c 'addr root' -c 'p recs' "$image")" ',0x[0-9a-f]*,[0-9]*,'
	ok "layouts compared with the kernel: $compared" test "$compared" -ge 12
	cut_short
else
	skip 'mounted filesystems' 'needs root'
fi

write_prototype >"$work/prototype"
prototype 'version 5 by prototype' 300m
for version in 5 4; do
	truncate -s 200m "$work/realtime"
	prototype "version $version, with a realtime device" 300m -m crc=$((version - 4)) \
		-r "rtdev=$work/realtime"
	realtime "version $version, realtime inodes"
done
prototype 'version 4' 300m -m crc=0
for block in 512 1024 2048 8192 16384 65536; do
	prototype "version 4, blocks of $block" 400m -m crc=0 -b size=$block
done
for inode in 256 512 1024 2048; do
	prototype "version 4, inodes of $inode" 300m -m crc=0 -i size=$inode
done
prototype 'version 4, sectors of 4096' 300m -m crc=0 -s size=4096
prototype 'version 4, 16-bit project ids, no ftype' 300m -m crc=0 -i projid32bit=0 -n ftype=0
prototype 'version 4, old log, unaligned inodes' 300m -m crc=0 -l version=1 -i align=0
prototype 'version 4, 16 odd AGs' 333m -m crc=0 -d agcount=16

# Inodes of version 1 have 16 bits of links in another place.
prototype 'version 4, inodes of version 2' 300m -m crc=0
while read -r ino _ links _; do
	printf 'inode %s\nwrite core.nlinkv2 0\nwrite core.version 1\nwrite core.nlinkv1 %s\n' \
		"$ino" "$links"
done <"$work/output" | xfs_db -x "$image" >/dev/null 2>"$work/errors"
check_prototype 'version 4, inodes of version 1'

done_testing
