#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories on damaged filesystems. Of images with known contents, copies are damaged: bits of
# directory blocks, of extent trees and of directory inodes, xfs_db's blocktrash, images cut short.
# On version 5, where everything has a checksum, what is read must either be all that is there or
# come with a word that it is not. See damage.sh for what must hold whatever the image is.
set -u
# shellcheck source=tests/integration/damage.sh
. "${top_srcdir:?}/tests/integration/damage.sh"
export LC_ALL=C

need_commands mkfs.xfs xfs_db
work_begin
mnt=$work/mnt
mkdir "$mnt"
reader=${top_builddir:?}/tests/integration/device_entries
limit_memory 500000

write_prototype() {
	local d i
	: >"$work/empty"
	echo /none
	echo '0 0'
	echo 'd--755 0 0'
	for d in 2 20 300 2000; do
		echo "d$d d--750 7 8"
		for i in $(seq 1 "$d"); do
			echo "entry-$i ---644 $i 5 $work/empty"
		done
		echo 'below d--755 0 0'
		echo '$'
		echo '$'
	done
	echo '$'
}

# Directories of all forms, the largest with an extent tree: it grows between blocks of a file.
fill() {
	local i
	mkdir "$mnt/small" "$mnt/block" "$mnt/leaf" "$mnt/tree"
	touch "$mnt/small/a" "$mnt/small/b"
	(cd "$mnt/block" && seq 1 30 | xargs touch)
	(cd "$mnt/leaf" && seq -f 'name-%.0f' 1 1200 | xargs touch)
	for i in $(seq 1 60); do
		(cd "$mnt/tree" && seq -f "a-rather-long-name-$i-%.0f" 1 80 | xargs touch)
		xfs_io -f -c "pwrite -q 0 4096" -c fsync "$mnt/small/$i"
	done
}

truth() {
	"$reader" "$work/$1" 2>"$work/errors" | sort -z >"$work/$1.truth"
	[ ! -s "$work/errors" ] && [ "$(tr -dc '\0' <"$work/$1.truth" | wc -c)" -gt 1000 ]
}

make_v4() {
	truncate -s 300m "$work/v4"
	mkfs.xfs -q -f -p "$work/prototype" -m crc=0 "$work/v4" >/dev/null 2>&1 && truth v4
}

make_v5() {
	truncate -s 300m "$work/v5"
	mkfs.xfs -q -f -p "$work/prototype" "$work/v5" >/dev/null 2>&1 || return 1
	[ "$(id -u)" != 0 ] || { mount -o loop "$work/v5" "$mnt" && fill && unmount_image "$mnt" "$work/v5"; }
	truth v5
}

# Where blocks with these magics lie, one offset a line.
blocks_of() { # IMAGE MAGICS
	grep -obUaE "$2" "$1" | cut -d : -f 1 | awk '$1 % 512 == 0'
}

# Where inodes of directories lie.
inodes_of() { # IMAGE
	local bytes
	bytes=$(xfs_db -r -c 'sb 0' -c 'p inodesize' "$1" | awk '{ print $3 }')
	grep -obUaP 'IN\x41' "$1" | cut -d : -f 1 | awk -v "n=$bytes" '$1 % n == 0'
}

sort_output() {
	sort -z "$work/output" >"$work/found"
}

wrong() { # NAME STATUS
	[ "$1" = v5 ] && [ "$2" = 0 ] && ! cmp -s "$work/$1.truth" "$work/found" &&
		echo 'wrong in silence'
}

# The places are on standard input.
random_bits() { # NAME WHAT BYTES COUNT
	local lines run place
	cat >"$work/places"
	lines=$(wc -l <"$work/places")
	[ "$lines" -gt 0 ] || return
	for run in $(seq 1 "$4"); do
		next_random
		place=$(sed -n "$((random % lines + 1))p" "$work/places")
		flip "$work/$1" "$place" "$3" $((run % 4 + 1))
		judge "$1" "$work/$1" "$2 at $place, run $run"
		unflip "$work/$1"
	done
	judge "$1" "$work/$1" "$2 put right"
	cmp -s "$work/found" "$work/$1.truth" || bad+="$2 put right: differs
$(diff -a "$work/found" "$work/$1.truth" | tr '\0' '\n' | head -n 3)"
	judged "$1: $4 images with bits turned in $2, $lines of them"
}

write_prototype >"$work/prototype"
for kind in v5 v4; do
	if ! make_$kind; then
		skip "$kind" 'it cannot be made here'
		continue
	fi
	blocks_of "$work/$kind" 'XD[BD]3|XD2[BD]' >"$work/blocks"
	# most of what matters in a block lies at its beginning
	random_bits $kind 'directory blocks' 4096 $((share * 2)) <"$work/blocks"
	random_bits $kind 'beginnings of directory blocks' 128 $((share * 3)) <"$work/blocks"
	blocks_of "$work/$kind" 'BMA3|BMAP' >"$work/trees"
	random_bits $kind 'extent tree blocks' 512 $((share * 2)) <"$work/trees"
	inodes_of "$work/$kind" >"$work/inodes"
	random_bits $kind 'directory inodes' 256 $((share * 3)) <"$work/inodes"
	trash $kind 'dir data inode bmapbtd' "$share" -n 3 -x 1 -y 4096
	cut_short $kind 65536 131072 300000 1000000 5000000 78643200 157286400 314572799
done
done_testing
