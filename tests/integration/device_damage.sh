#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The device engine on damaged filesystems. Of an image with known contents, copies are damaged:
# random bits of single kinds of metadata, bits anywhere, xfs_db's blocktrash, images cut short.
# Whatever it is, the engine must end by itself, without a sanitizer's complaint and in little
# memory; and on version 5, where everything has a checksum, it must either count what is there or
# say that it could not. Prints TAP; IMAGES is the number of images (short: 200, long: 1000).
set -u

inodes=${top_builddir:-.}/tests/integration/device_inodes
images=${IMAGES:-200}
# An address sanitizer reserves far more than it uses.
memory_kib=400000
grep -q __asan_init "$inodes" && memory_kib=unlimited
scratch=$(mktemp -d "${TMPDIR:-/tmp}/xfscensus-damage.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
number=0
seen= # exit statuses of the runs of a test

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
	for d in $(seq 1 6); do
		echo "d$d d--750 7 8"
		for i in $(seq 1 100); do
			echo "e$i ---644 $i 5 $scratch/empty"
		done
		echo '$'
	done
	echo '$'
}

# make NAME MKFS-OPTIONS…
make_image() {
	name=$1
	shift
	truncate -s 300m "$scratch/$name"
	mkfs.xfs -q -f -p "$scratch/prototype" "$@" "$scratch/$name" >/dev/null 2>&1 || return 1
	$inodes "$scratch/$name" 2>/dev/null | sort -n >"$scratch/$name.truth"
	[ "$(wc -l <"$scratch/$name.truth")" = 607 ]
}

# Where the metadata of an image lies: "offset bytes" a line, by kind.
places() {
	xfs_db -r -c 'sb 0' -c 'p blocksize agblocks agcount inodesize sectsize' "$1" |
		awk '{ print $3 }' | xargs >"$scratch/geometry"
	read -r block agblocks agcount inode sector <"$scratch/geometry"
	awk 'NR % 20 == 0 { print $1 }' "$1.truth" | while read -r ino; do
		xfs_db -r -c "convert inode $ino fsbyte" "$1" 2>/dev/null
	done | tr -d '()' | awk -v "bytes=$inode" '{ print "inode", $NF, bytes }'
	for ag in $(seq 0 $((agcount - 1))); do
		start=$((ag * agblocks * block))
		root=$(xfs_db -r -c "agi $ag" -c 'p root' "$1" | awk '{ print $3 }')
		echo "super $start $sector"
		echo "agi $((start + 2 * sector)) $sector"
		echo "tree $((start + root * block)) 400"
	done
}

put_byte() { # IMAGE OFFSET VALUE
	# shellcheck disable=SC2059
	printf "\\$(printf '%03o' "$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# flip IMAGE OFFSET BYTES COUNT: turns COUNT bits within those bytes, by the random numbers at hand,
# and notes the bytes as they were.
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

# unflip IMAGE: puts the bytes back, the last one first.
unflip() {
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
		timeout 60 "$inodes" "$2"
	) >"$scratch/output" 2>"$scratch/errors"
	status=$?
	seen="$seen $status"
	sort -n "$scratch/output" >"$scratch/found"
	if [ $status -gt 2 ]; then
		complaint="exit status $status"
	elif grep -q 'runtime error\|Sanitizer' "$scratch/errors"; then
		complaint='a sanitizer complains'
	elif [ $status != 0 ] && [ ! -s "$scratch/errors" ]; then
		complaint='failed without a word'
	elif [ $status != 2 ] && [ "$checksums" = yes ] &&
		[ -n "$(comm -13 "$scratch/$1.truth" "$scratch/found")" ]; then
		complaint='counted what is not there'
	elif [ $status = 0 ] && [ "$checksums" = yes ] &&
		! cmp -s "$scratch/$1.truth" "$scratch/found"; then
		complaint='wrong in silence'
	else
		return 0
	fi
	echo "# $3: $complaint"
	head -3 "$scratch/errors" | sed 's/^/# /'
	return 1
}

# random_bits NAME KIND COUNT
random_bits() {
	bad=0
	grep "^$2 " "$scratch/$1.places" >"$scratch/kind"
	lines=$(wc -l <"$scratch/kind")
	for run in $(seq 1 "$3"); do
		next_random
		# shellcheck disable=SC2046
		set -- "$1" "$2" "$3" $(sed -n "$((random % lines + 1))p" "$scratch/kind")
		flip "$scratch/$1" "$5" "$6" $((run % 4 + 1))
		judge "$1" "$scratch/$1" "$2, run $run" || bad=1
		unflip "$scratch/$1"
	done
	$inodes "$scratch/$1" 2>/dev/null | sort -n | cmp -s - "$scratch/$1.truth" || bad=1
	ok $bad "$1: $3 images with bits turned in: $2"
}

# trash NAME TYPES COUNT: xfs_db's own destroyer.
trash() {
	bad=0
	for run in $(seq 1 "$3"); do
		cp --sparse=always --reflink=auto "$scratch/$1" "$scratch/copy"
		for type in $2; do
			xfs_db -x -c blockget -c "blocktrash -s $run -n 2 -x 1 -y 64 -t $type" \
				"$scratch/copy" >/dev/null 2>&1
		done
		judge "$1" "$scratch/copy" "blocktrash $2, run $run" || bad=1
	done
	ok $bad "$1: $3 images after blocktrash of $2"
}

cut_short() {
	bad=0
	for bytes in 0 1 511 512 4096 33000 131072 5000000 78643200 157286400 314572799; do
		cp --sparse=always --reflink=auto "$scratch/$1" "$scratch/copy"
		truncate -s $bytes "$scratch/copy"
		judge "$1" "$scratch/copy" "cut to $bytes" || bad=1
	done
	ok $bad "$1: 11 images cut short"
}

write_prototype >"$scratch/prototype"
share=$((images / 20))
for kind in v5 v4; do
	checksums=yes
	[ $kind = v4 ] && checksums=no
	options=
	[ $kind = v4 ] && options='-m crc=0'
	# shellcheck disable=SC2086
	if ! make_image $kind $options; then
		number=$((number + 1))
		echo "ok $number - $kind # SKIP mkfs.xfs does not make it"
		continue
	fi
	places "$scratch/$kind" >"$scratch/$kind.places"
	random_bits $kind super $((share * 2))
	random_bits $kind agi $((share * 2))
	random_bits $kind tree $((share * 3))
	random_bits $kind inode $((share * 2))
	trash $kind 'agi inobt inode' $share
	cut_short $kind
done
echo "1..$number"
