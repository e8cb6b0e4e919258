#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories from the device against find(1): the same paths with the same inodes and types, on
# filesystems of many kinds, with directories of every form. Where no kernel mounts a kind any
# more, against a prototype file. Needs root for loop mounts; without it only images are read.
# ENTRIES is the size of the largest directory (short: 60000).
set -u
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
export LC_ALL=C

need_commands mkfs.xfs xfs_io xfs_db xfs_freeze xfs_bmap
work_begin
entries=${top_builddir:?}/tests/integration/device_entries
churn=$top_builddir/tests/integration/log_probe
mnt=$work/mnt
image=$work/image
large=${ENTRIES:-60000}
mkdir "$mnt"

# Empty files named by numbers.
touch_many() { # FOLDER FORMAT COUNT
	(cd "$1" && seq -f "$2" 1 "$3" | xargs touch)
}

# Directories of every form: in the inode, of one block, of many, with long and odd names, with
# gaps where names were, shrunk to a smaller form, moved.
fill() {
	mkdir -p "$mnt/few" "$mnt/block" "$mnt/leaf" "$mnt/node" "$mnt/long" "$mnt/odd" "$mnt/tiny"
	mkdir "$mnt/gaps" "$mnt/shrunk" "$mnt/emptied" "$mnt/moved" "$mnt/holes"
	touch_many "$mnt/few" 'f%.0f' 3
	touch_many "$mnt/block" 'name%.0f' 40
	touch_many "$mnt/leaf" 'some-name-%.0f' 1000
	touch_many "$mnt/node" 'n%.0f' 9000
	touch_many "$mnt/long" '%0255.0f' 300
	touch_many "$mnt/gaps" 'g%.0f' 2000
	touch_many "$mnt/shrunk" 's%.0f' 2000
	touch_many "$mnt/emptied" 'e%.0f' 500
	touch_many "$mnt/holes" 'h%05.0f' 20000
	(cd "$mnt/tiny" && seq -f 'd%.0f/e/f' 1 400 | xargs mkdir -p)
	for byte in 001 011 012 040 042 057 134 177 200 303 377; do
		[ $byte = 057 ] && continue
		# shellcheck disable=SC2059
		touch "$mnt/odd/a$(printf "\\$byte.")b"
	done
	touch "$mnt/odd/..." "$mnt/odd/.a" "$mnt/odd/..b" "$mnt/odd/x"
	rm -f "$mnt"/gaps/g*[13579]
	rm -f "$mnt"/shrunk/s*[0-9][0-9] "$mnt"/emptied/* "$mnt"/holes/h[01][3-7]*
	mv "$mnt/tiny/d1" "$mnt/moved/here"
	mv "$mnt/block" "$mnt/moved/"
	ln "$mnt/few/f1" "$mnt/leaf/a-link"
	ln -s target "$mnt/odd/symlink"
	mkfifo "$mnt/odd/fifo"
	mknod "$mnt/odd/block" b 7 300
	mknod "$mnt/odd/character" c 1 3
	setfattr -n user.name -v value "$mnt/leaf" "$mnt/few" "$mnt/node" 2>/dev/null
	$more
}

# Free space in single blocks only, so that each block of a new directory lies by itself, and a
# directory block of several in pieces. Inodes find no room then: its entries are links.
fragment() {
	local available
	mkdir "$mnt/pieces" "$mnt/large"
	available=$(stat -f -c '%a * %S' "$mnt")
	xfs_io -f -c "falloc 0 $((available - 100 * 1048576))" "$mnt/filler"
	(cd "$mnt/pieces" && head -c 110m /dev/zero |
		split -b "$block" -a 5 - a-piece-of-a-file-with-a-longer-name-) 2>/dev/null
	find "$mnt/pieces" -type f -name '*[acegikmoqsuwy]' -delete
	sync -f "$mnt"
	# what the kernel had kept back lies in one
	xfs_io -f -c 'falloc 0 15m' "$mnt/filler-2"
	find "$mnt/pieces" -type f -print0 | xargs -0 ln -t "$mnt/large" 2>/dev/null
	find "$mnt/large" -name '*d' -delete
}

# One directory of a size that has many blocks.
enlarge() {
	mkdir "$mnt/large"
	touch_many "$mnt/large" 'entry-%.0f' "$large"
	find "$mnt/large" -name '*7' -delete
}

# As device_entries prints it.
truth() {
	find "$mnt" -mindepth 1 -xdev -printf '%i %y %P\0' | sort -z
}

# Whether what was found, with that exit status, is what was expected.
as_expected() { # STATUS
	[ "$1" = 0 ] && cmp -s "$work/expected" "$work/found" && return
	echo "exit status $1"
	head -n 3 "$work/errors"
	diff <(tr '\n\0' ' \n' <"$work/expected") <(tr '\n\0' ' \n' <"$work/found") |
		cut -c 1-200 | head -n 6
	return 1
}

check() { # NAME ARGUMENT…
	local name=$1 status=0
	shift
	"$entries" "$@" >"$work/output" 2>"$work/errors" || status=$?
	sort -z "$work/output" >"$work/found"
	ok "$name ($(tr -dc '\0' <"$work/found" | wc -c) entries)" as_expected $status
}

# Of the large directory in the image, as xfs_db prints it.
large_field() { # NAME
	xfs_db -r -c "inode $large_ino" -c "p $1" "$image" 2>/dev/null | awk '{ print $3 }'
}

# A layout that this mkfs or this kernel does not know is left out; enough of them must be left.
mounted=0
leave_out() { # NAME REASON
	diag "left out: $1: $2"
}

make_and_mount() { # NAME SIZE MKFS-OPTION…
	local name=$1 size=$2
	shift 2
	rm -f "$image"
	truncate -s "$size" "$image"
	if ! mkfs.xfs -q -f "${unsupported[@]}" "$@" "$image" >"$work/errors" 2>&1; then
		leave_out "$name" "mkfs.xfs: $(head -1 "$work/errors")"
		return 1
	fi
	if ! mount -o loop,noatime "$image" "$mnt" 2>"$work/errors"; then
		leave_out "$name" 'the kernel does not mount it'
		return 1
	fi
	loop=$(findmnt -no SOURCE "$mnt")
	mounted=$((mounted + 1))
}

variant() { # NAME SIZE MKFS-OPTION…
	make_and_mount "$@" || return
	fill
	truth >"$work/expected"
	xfs_bmap "$mnt/large" >"$work/map" 2>/dev/null
	large_ino=$(stat -c %i "$mnt/large" 2>/dev/null)
	unmount_image "$mnt" "$image"
	check "$1" "$image"
}

# --- Mounted and just changed ---

# "directory ino name", from find; names without odd bytes.
flat_truth() {
	{
		echo "$(stat -c %i "$mnt") "
		find "$mnt" -mindepth 1 -xdev -printf '%i %P\0' | tr '\n\0' ' \n'
	} | awk '{
		path = substr($0, index($0, " ") + 1)
		ino[path] = $1
		if (path == "")
			next
		folder = name = path
		if (sub(/\/[^\/]*$/, "", folder) == 0)
			folder = ""
		sub(/.*\//, "", name)
		print ino[folder], $1, name
	}' | sort
}

# Entries of directories that nobody says must be read through the mount.
certain() {
	awk -v "later=$work/later" 'FILENAME == later { out[$2] = 1; next } !($1 in out)' \
		"$work/later" "$1"
}

# What is known to be in its place, and a few directories that change, in every round.
change() { # ROUND
	touch_many "$mnt/few" "new$1-%.0f" 2
	touch_many "$mnt/leaf" "new$1-%.0f" 300
	rm -f "$mnt/node/n$1"*
	mv "$mnt/tiny/d1$1" "$mnt/moved/d$1"
	mv "$mnt/long" "$mnt/odd/long$1"
	mv "$mnt/odd/long$1" "$mnt/long"
	ln "$mnt/few/f1" "$mnt/gaps/link$1"
	rm -rf "$mnt/tiny/d2$1"
	mkdir "$mnt/moved/made$1" && touch_many "$mnt/moved/made$1" 'm%.0f' "$((1 << $1))"
	"$churn" churn "$mnt" "$1" 100 500
	sync -f "$mnt"
}

# One round: changes, and what the device says of them. Complains of all that is wrong.
live_round() { # ROUND
	[ $(($1 % 3)) != 1 ] || { xfs_freeze -f "$mnt" && xfs_freeze -u "$mnt"; }
	change "$1" || echo "round $1: changing failed"
	[ $(($1 % 3)) != 0 ] || sleep 4
	"$entries" -e -m "$mnt" "$loop" >"$work/output" 2>"$work/errors" ||
		echo "round $1: exit status $?"
	tr '\n\0' ' \n' <"$work/output" | grep '^later ' >"$work/later"
	tr '\n\0' ' \n' <"$work/output" | grep -v '^later ' | sort >"$work/found"
	"$entries" -e "$loop" 2>/dev/null | tr '\n\0' ' \n' | sort >"$work/device"
	flat_truth >"$work/truth"
	certain "$work/truth" >"$work/expected"
	cmp -s "$work/expected" "$work/found" && return
	head -n 3 "$work/errors"
	diff "$work/expected" "$work/found" | head -n 6
}

# All that the device shows of directories that nobody wants to be read later must be so, and no
# such directory may be missing; and without the log it must be wrong, or the test shows nothing.
live() {
	local round complaints='' lagging=0
	make_and_mount 'mounted' 500m || return
	fill
	for round in 1 2 3 4 5 6 7 8 9; do
		complaints+=$(live_round $round)
		cmp -s "$work/device" "$work/truth" || lagging=$((lagging + 1))
		diag "round $round: $(wc -l <"$work/truth") entries, $(wc -l <"$work/expected")" \
			"from the device, $(wc -l <"$work/later") directories later"
	done
	none 'mounted: directories that differ on the device are to be read later' \
		printf '%s' "$complaints"
	ok "mounted: the device alone is wrong in $lagging rounds of 9" test $lagging -gt 0
	# all of it through the device once it has come to rest
	xfs_freeze -f "$mnt"
	truth >"$work/expected"
	check 'mounted: frozen' "$loop"
	xfs_freeze -u "$mnt"
	unmount_image "$mnt" "$image"
}

# --- By prototype file ---

write_prototype() {
	: >"$work/empty"
	echo /none
	echo '0 0'
	echo 'd--755 0 0'
	for d in 3 30 400 5000; do
		echo "d$d d--750 7 8"
		for i in $(seq 1 "$d"); do
			echo "a-file-$i ---644 $i 5 $work/empty"
		done
		echo 'below d--755 0 0'
		echo 'link l--777 3 4 somewhere'
		echo '$'
		echo '$'
	done
	echo 'pipe p--644 0 9'
	echo 'null c--666 0 0 1 3'
	echo '$'
}

# Types, if @1 is not "?", and paths of what the prototype holds.
prototype_truth() {
	for d in 3 30 400 5000; do
		echo "d d$d"
		seq -f "f d$d/a-file-%.0f" 1 "$d"
		echo "d d$d/below"
		echo "l d$d/below/link"
	done | sed "s/^\(.\)/${1:-\1}/"
	printf '%s pipe\n%s null\n' "${1:-p}" "${1:-c}"
}

prototype() { # NAME TYPE SIZE MKFS-OPTION…
	local name=$1 type=$2 size=$3 status=0
	shift 3
	rm -f "$image"
	truncate -s "$size" "$image"
	if ! mkfs.xfs -q -f "${unsupported[@]}" -p "$work/prototype" "$@" "$image" \
		>"$work/errors" 2>&1; then
		skip "$name" "mkfs.xfs: $(tail -1 "$work/errors")"
		return
	fi
	prototype_truth "$type" | sort >"$work/expected"
	"$entries" "$image" >"$work/output" 2>"$work/errors" || status=$?
	tr '\0' '\n' <"$work/output" | cut -d ' ' -f 2- | sort >"$work/found"
	ok "$name ($(wc -l <"$work/found") entries)" as_expected $status
}

unsupported=()
mkfs.xfs --unsupported -N -d file,name="$work/probe",size=300m >/dev/null 2>&1 &&
	unsupported=(--unsupported)
more=true
if [ "$(id -u)" = 0 ]; then
	variant 'default' 400m
	check 'default: threads' -t "$image"
	check 'default: page cache, one worker' -b -j 1 "$image"
	check 'default: large gaps' -g 1m "$image"
	check 'default: no gaps' -g 1 "$image"
	for inode in 256 1024 2048; do
		variant "inodes of $inode" 400m -i size=$inode
	done
	for size in 8192 16384 65536; do
		variant "directory blocks of $size" 600m -n size=$size
	done
	variant 'blocks of 1024' 400m -b size=1024
	variant 'blocks of 1024, directory blocks of 65536' 600m -b size=1024 -n size=65536
	variant 'blocks of 65536' 900m -b size=65536
	variant 'names without case' 400m -n version=ci
	variant 'no sparse inodes, 16 AGs' 600m -i sparse=0 -d agcount=16
	variant 'version 4' 400m -m crc=0
	variant 'version 4, no ftype' 400m -m crc=0 -n ftype=0

	more=enlarge
	variant "$large entries" "$((300 + large / 1000))m"
	more=fragment block=4096
	variant 'fragmented' 400m
	is 'fragmented: the large directory has an extent tree' "$(large_field core.format)" 3
	block=1024
	variant 'fragmented, blocks of 1024' 400m -b size=1024
	levels=$(large_field u3.bmbt.level)
	ok "fragmented, blocks of 1024: its tree has $levels levels above the leaves" \
		test "${levels:-0}" -ge 2
	check 'fragmented, blocks of 1024: threads' -t "$image"
	variant 'fragmented, directory blocks of 8192' 400m -b size=1024 -n size=8192
	ok 'fragmented, directory blocks of 8192: they lie in pieces' \
		grep -q ': \[0\.\.[0-9]\]:' "$work/map"
	variant 'fragmented, directory blocks of 16384' 400m -b size=1024 -n size=16384
	more=true
	live
	ok "layouts compared with find: $mounted" test "$mounted" -ge 12
else
	skip 'mounted filesystems' 'needs root'
fi

write_prototype >"$work/prototype"
prototype 'version 5 by prototype' '' 300m
prototype 'version 4' '' 300m -m crc=0 -n ftype=1
for bytes in 512 1024 2048 8192 16384 65536; do
	prototype "version 4, blocks of $bytes" '' 400m -m crc=0 -b size=$bytes -n ftype=1
done
for bytes in 256 512 1024 2048; do
	prototype "version 4, inodes of $bytes, no ftype" '?' 300m -m crc=0 -n ftype=0 \
		-i size="$bytes"
done
for bytes in 4096 16384 65536; do
	prototype "version 4, directory blocks of $bytes" '' 400m -m crc=0 -n "size=$bytes,ftype=1"
	prototype "version 4, blocks of 512, directory blocks of $bytes, no ftype" '?' 400m \
		-m crc=0 -b size=512 -n "size=$bytes,ftype=0"
done

done_testing
