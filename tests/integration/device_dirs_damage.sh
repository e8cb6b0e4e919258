#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories on damaged filesystems. Of images with known contents, copies are damaged: bits of
# directory blocks, of extent trees and of directory inodes, xfs_db's blocktrash, images cut short.
# Whatever it is, reading must end by itself, without a sanitizer's complaint and in little memory;
# and on version 5, where everything has a checksum, it must either find all that is there or say
# that it could not. Prints TAP; IMAGES is the number of images (short: 200).
set -u
export LC_ALL=C

entries=${top_builddir:-.}/tests/integration/device_entries
images=${IMAGES:-200}
# An address sanitizer reserves far more than it uses.
memory_kib=500000
grep -q __asan_init "$entries" && memory_kib=unlimited
scratch=$(mktemp -d "${TMPDIR:-/tmp}/xfscensus-dirs-damage.XXXXXX")
mnt=$scratch/mnt
mkdir "$mnt"
loop=
number=0
seen= # exit statuses of the runs of a test

clean_up() {
	mountpoint -q "$mnt" && umount "$mnt"
	[ -n "$loop" ] && losetup -d "$loop"
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

ok() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
	fi
	echo "# exit statuses:$(echo "$seen" | tr ' ' '\n' | sort | uniq -c | awk 'NF == 2 { printf " %s × %s", $1, $2 }')"
	seen=
}

write_prototype() {
	: >"$scratch/empty"
	echo /none
	echo '0 0'
	echo 'd--755 0 0'
	for d in 2 20 300 2000; do
		echo "d$d d--750 7 8"
		for i in $(seq 1 "$d"); do
			echo "entry-$i ---644 $i 5 $scratch/empty"
		done
		echo 'below d--755 0 0'
		echo '$'
		echo '$'
	done
	echo '$'
}

# Directories of all forms, the largest with an extent tree: it grows between blocks of a file.
populate() {
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
	$entries "$scratch/$1" 2>"$scratch/errors" | sort -z >"$scratch/$1.truth"
	[ ! -s "$scratch/errors" ] && [ "$(tr -dc '\0' <"$scratch/$1.truth" | wc -c)" -gt 1000 ]
}

make_v4() {
	truncate -s 300m "$scratch/v4"
	mkfs.xfs -q -f -p "$scratch/prototype" -m crc=0 "$scratch/v4" >/dev/null 2>&1 && truth v4
}

make_v5() {
	truncate -s 300m "$scratch/v5"
	mkfs.xfs -q -f -p "$scratch/prototype" "$scratch/v5" >/dev/null 2>&1 || return 1
	if [ "$(id -u)" = 0 ]; then
		loop=$(losetup -f --show "$scratch/v5")
		mount "$loop" "$mnt" && populate && umount "$mnt"
		losetup -d "$loop"
		loop=
	fi
	truth v5
}

# Where blocks with these magics lie, one offset a line.
blocks_of() { # IMAGE MAGICS
	grep -obUaE "$2" "$1" | cut -d : -f 1 | awk '$1 % 512 == 0'
}

# Where inodes of directories lie.
inodes_of() { # IMAGE
	bytes=$(xfs_db -r -c 'sb 0' -c 'p inodesize' "$1" | awk '{ print $3 }')
	grep -obUaP 'IN\x41' "$1" | cut -d : -f 1 | awk -v "n=$bytes" '$1 % n == 0'
}

put_byte() { # IMAGE OFFSET VALUE
	# shellcheck disable=SC2059
	printf "\\$(printf '%03o' "$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# flip IMAGE OFFSET BYTES COUNT: turns COUNT bits and notes the bytes as they were.
flip() {
	: >"$scratch/before"
	for _ in $(seq 1 "$4"); do
		next_random
		at=$(($2 + random % $3))
		next_random
		old=$(od -An -tu1 -j "$at" -N 1 "$1")
		echo "$at $((old))" >>"$scratch/before"
		put_byte "$1" "$at" $((old ^ (1 << (random % 8))))
	done
}

unflip() { # IMAGE
	tac "$scratch/before" | while read -r at old; do
		put_byte "$1" "$at" "$old"
	done
}

# The same numbers at every run.
random=1
next_random() {
	random=$(((random * 1103515245 + 12345) % 2147483648))
	random=$((random / 65536 * 65536 + random / 65536))
}

# judge NAME IMAGE WHAT: must end in order, and be right or say that it is not.
judge() {
	(
		ulimit -v "$memory_kib"
		timeout 60 "$entries" "$2"
	) >"$scratch/output" 2>"$scratch/errors"
	status=$?
	seen="$seen $status"
	sort -z "$scratch/output" >"$scratch/found"
	if [ $status -gt 2 ]; then
		complaint="exit status $status"
	elif grep -q 'runtime error\|Sanitizer' "$scratch/errors"; then
		complaint='a sanitizer complains'
	elif [ $status != 0 ] && [ ! -s "$scratch/errors" ]; then
		complaint='failed without a word'
	elif [ $status = 0 ] && [ "$1" = v5 ] && ! cmp -s "$scratch/$1.truth" "$scratch/found"; then
		complaint='wrong in silence'
	else
		return 0
	fi
	echo "# $3: $complaint"
	head -3 "$scratch/errors" | sed 's/^/# /'
	return 1
}

# random_bits NAME WHAT BYTES COUNT: the offsets are on standard input
random_bits() {
	bad=0
	cat >"$scratch/places"
	lines=$(wc -l <"$scratch/places")
	[ "$lines" -gt 0 ] || return
	for run in $(seq 1 "$4"); do
		next_random
		place=$(sed -n "$((random % lines + 1))p" "$scratch/places")
		flip "$scratch/$1" "$place" "$3" $((run % 4 + 1))
		judge "$1" "$scratch/$1" "$2 at $place, run $run" || bad=1
		unflip "$scratch/$1"
	done
	judge "$1" "$scratch/$1" "$2 put right" || bad=1
	cmp -s "$scratch/found" "$scratch/$1.truth" || {
		bad=1
		echo "# $2 put right: differs, exit status $status"
		diff -a "$scratch/found" "$scratch/$1.truth" | tr '\0' '\n' | head -3 | sed 's/^/# /'
	}
	ok $bad "$1: $4 images with bits turned in $2, $lines of them"
}

trash() { # NAME TYPES COUNT
	bad=0
	for run in $(seq 1 "$3"); do
		cp --sparse=always --reflink=auto "$scratch/$1" "$scratch/copy"
		for type in $2; do
			timeout 20 xfs_db -x -c blockget \
				-c "blocktrash -s $run -n 3 -x 1 -y 4096 -t $type" "$scratch/copy" \
				>/dev/null 2>&1
		done
		judge "$1" "$scratch/copy" "blocktrash $2, run $run" || bad=1
	done
	ok $bad "$1: $3 images after blocktrash of $2"
}

cut_short() {
	bad=0
	for bytes in 65536 131072 300000 1000000 5000000 78643200 157286400 314572799; do
		cp --sparse=always --reflink=auto "$scratch/$1" "$scratch/copy"
		truncate -s $bytes "$scratch/copy"
		judge "$1" "$scratch/copy" "cut to $bytes" || bad=1
	done
	ok $bad "$1: 8 images cut short"
}

write_prototype >"$scratch/prototype"
share=$((images / 20))
for kind in v5 v4; do
	if ! make_$kind; then
		number=$((number + 1))
		echo "ok $number - $kind # SKIP it cannot be made here"
		continue
	fi
	blocks_of "$scratch/$kind" 'XD[BD]3|XD2[BD]' >"$scratch/blocks"
	# most of what matters in a block lies at its beginning
	random_bits $kind 'directory blocks' 4096 $((share * 2)) <"$scratch/blocks"
	random_bits $kind 'beginnings of directory blocks' 128 $((share * 3)) <"$scratch/blocks"
	blocks_of "$scratch/$kind" 'BMA3|BMAP' >"$scratch/trees"
	random_bits $kind 'extent tree blocks' 512 $((share * 2)) <"$scratch/trees"
	inodes_of "$scratch/$kind" >"$scratch/inodes"
	random_bits $kind 'directory inodes' 256 $((share * 3)) <"$scratch/inodes"
	trash $kind 'dir data inode bmapbtd' $share
	cut_short $kind
done
echo "1..$number"
