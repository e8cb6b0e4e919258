#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The device engine on damaged filesystems. Of an image with known contents, copies are damaged:
# random bits of single kinds of metadata, bits anywhere, xfs_db's blocktrash, images cut short. On
# version 5, where everything has a checksum, the engine must either count what is there or say that
# it could not. See damage.sh for what it must do whatever the image is.
set -u
# shellcheck source=tests/integration/damage.sh
. "${top_srcdir:?}/tests/integration/damage.sh"

need_commands mkfs.xfs xfs_db xfs_io
work_begin
reader=${top_builddir:?}/tests/integration/device_inodes
limit_memory 400000
files=607

write_prototype() {
	local d i
	: >"$work/empty"
	echo /none
	echo '0 0'
	echo 'd--755 0 0'
	for d in $(seq 1 6); do
		echo "d$d d--750 7 8"
		for i in $(seq 1 100); do
			echo "e$i ---644 $i 5 $work/empty"
		done
		echo '$'
	done
	echo '$'
}

make_image() { # NAME MKFS-OPTIONS…
	local name=$1
	shift
	truncate -s 300m "$work/$name"
	mkfs.xfs -q -f -p "$work/prototype" "$@" "$work/$name" >/dev/null 2>&1 || return 1
	"$reader" "$work/$name" 2>/dev/null | sort -n >"$work/$name.truth"
	[ "$(wc -l <"$work/$name.truth")" = $files ]
}

field() { # IMAGE NAME COMMAND…: of what xfs_db prints
	local image=$1 name=$2
	shift 2
	xfs_db -r "$@" -c "p $name" "$image" | awk '{ print $3 }'
}

# Where the metadata of an image lies: "kind offset bytes" a line.
places() {
	local block agblocks agcount inode sector start root ag ino
	read -r block agblocks agcount inode sector < <(
		field "$1" 'blocksize agblocks agcount inodesize sectsize' -c 'sb 0' | xargs)
	awk 'NR % 20 == 0 { print $1 }' "$1.truth" | while read -r ino; do
		xfs_db -r -c "convert inode $ino fsbyte" "$1" 2>/dev/null
	done | tr -d '()' | awk -v "bytes=$inode" '{ print "inode", $NF, bytes }'
	for ag in $(seq 0 $((agcount - 1))); do
		start=$((ag * agblocks * block))
		root=$(field "$1" root -c "agi $ag")
		echo "super $start $sector"
		echo "agi $((start + 2 * sector)) $sector"
		echo "tree $((start + root * block)) 400"
	done
	# whatever was ever written
	xfs_io -r -c 'seek -a -r 0' "$1" | awk '
		$1 == "DATA" { start = $2 }
		$1 == "HOLE" && $2 > start { print "anywhere", start, $2 - start }'
}

sort_output() {
	sort -n "$work/output" >"$work/found"
}

wrong() { # NAME STATUS
	[ "$1" = v5 ] || return 0
	if [ "$2" != 2 ] && grep -qvxFf "$work/$1.truth" "$work/found"; then
		echo 'counted what is not there'
	elif [ "$2" = 0 ] && ! cmp -s "$work/$1.truth" "$work/found"; then
		echo 'wrong in silence'
	fi
}

random_bits() { # NAME KIND COUNT
	local lines run offset bytes
	grep "^$2 " "$work/$1.places" >"$work/kind"
	lines=$(wc -l <"$work/kind")
	for run in $(seq 1 "$3"); do
		next_random
		read -r _ offset bytes < <(sed -n "$((random % lines + 1))p" "$work/kind")
		flip "$work/$1" "$offset" "$bytes" $((run % 4 + 1))
		judge "$1" "$work/$1" "$2, run $run"
		unflip "$work/$1"
	done
	"$reader" "$work/$1" 2>/dev/null | sort -n | cmp -s - "$work/$1.truth" ||
		bad+="$2 put right: differs"
	judged "$1: $3 images with bits turned in: $2"
}

# Zeros over what holds the first inodes, the root's and those of the filesystem's own among them:
# what cannot be read and is missing is what users had there.
loses() { # NAME WHAT OFFSET BYTES
	local found missing
	copy "$1"
	dd if=/dev/zero of="$work/copy" bs=512 seek=$(($3 / 512)) count=$(($4 / 512)) conv=notrunc \
		status=none
	missing=$("$reader" "$work/copy" 2>&1 >"$work/output" | awk -F ': ' '{ n += $3 } END { print n + 0 }')
	found=$(wc -l <"$work/output")
	ok "$1: without $2, inodes are missing" test "$missing" -gt 0
	is "$1: without $2, none of the filesystem's own is missing" $((found + missing)) $files
}

lost() { # NAME
	local block sector inode
	block=$(field "$work/$1" blocksize -c 'sb 0')
	sector=$(field "$work/$1" sectsize -c 'sb 0')
	inode=$(xfs_db -r -c "convert inode $(field "$work/$1" rootino -c 'sb 0') fsbyte" "$work/$1" |
		tr -d '()' | awk '{ print $NF }')
	loses "$1" 'the first chunk' "$inode" $((64 * $(field "$work/$1" inodesize -c 'sb 0')))
	loses "$1" 'an inode tree' $(($(field "$work/$1" root -c 'agi 0') * block)) "$block"
	loses "$1" 'an inode header' $((2 * sector)) "$sector"
}

# One number of the superblock lies, and its checksum is right: the inodes are those that they are,
# and it is told.
lies() { # NAME
	local field value status
	for field in rootino rbmino rsumino; do
		for value in 0 129 1000 0xffffffffffffffff; do
			copy "$1"
			xfs_db -x -c 'sb 0' -c "write $field $value" "$work/copy" >/dev/null
			[ "$(field "$work/copy" "$field" -c 'sb 0')" != "$(field "$work/$1" "$field" -c 'sb 0')" ] ||
				continue
			status=0
			"$reader" "$work/copy" >"$work/output" 2>"$work/errors" || status=$?
			sort_output
			[ $status = 1 ] && cmp -s "$work/$1.truth" "$work/found" &&
				grep -q 'do not lie side by side' "$work/errors" ||
				bad+="$field $value: exit status $status, $(wc -l <"$work/found") inodes"$'\n'
			seen+=" $status"
		done
	done
	judged "$1: the superblock lies about its first inodes"
}

# The superblock says that somebody's inode is one of quota, or one that is not there: what is there
# is counted, and it is told.
hides() { # NAME
	local field ino status
	for field in uquotino gquotino; do
		for ino in $(sed -n '1p;2p;50p;$p' "$work/$1.truth" | cut -d ' ' -f 1) 0x7fffffff; do
			copy "$1"
			xfs_db -x -c 'sb 0' -c "write versionnum $(($(field "$work/$1" versionnum -c 'sb 0') | 0x40))" \
				-c "write $field $ino" "$work/copy" >/dev/null
			status=0
			"$reader" "$work/copy" >"$work/output" 2>"$work/errors" || status=$?
			sort_output
			[ $status = 1 ] && cmp -s "$work/$1.truth" "$work/found" &&
				[ "$(cat "$work/errors")" = "$(grep 'is said to hold quota, and does not' "$work/errors")" ] ||
				bad+="$field $ino: exit status $status, $(wc -l <"$work/found") inodes"$'\n'
			seen+=" $status"
		done
	done
	judged "$1: the superblock hides inodes as those of quota"
}

# The superblock is damaged, at each of its bytes that version 5 looks at but for its magic number and
# its version, and there are its copies: all is counted, and it is told. So by the program, whatever
# it learns of the size of a block; without a copy it says what to do.
copied() {
	local at step ag status
	step=$(($(field "$work/v5" agblocks -c 'sb 0') * $(field "$work/v5" blocksize -c 'sb 0')))
	copy v5
	for at in 4 5 6 7 8 15 16 24 32 48 56 64 72 80 84 87 88 91 96 99 100 $(seq 102 3 270) 511; do
		flip "$work/copy" "$at" 1 1
		status=0
		"$reader" "$work/copy" >"$work/output" 2>"$work/errors" || status=$?
		sort_output
		[ $status = 1 ] && cmp -s "$work/v5.truth" "$work/found" &&
			grep -q 'superblock: it is damaged; its copy in AG [123] is taken instead' "$work/errors" ||
			bad+="byte $at: exit status $status, $(wc -l <"$work/found") inodes: $(cat "$work/errors")"$'\n'
		seen+=" $status"
		unflip "$work/copy"
	done
	judged 'v5: copies of a damaged superblock'

	put_byte "$work/copy" 6 255
	run scan --db="$db" --format=json "$work/copy"
	is 'a damaged superblock: exit status' "$status" 1
	is 'a damaged superblock: inodes, block size and failures' \
		"$(jq .inodes,.errors "$out" | xargs) $(sql 'SELECT block_bytes FROM scan')" "$files 1 4096"
	for ag in 1 2 3; do
		like "without that of AG $((ag - 1)): the copy in AG $ag" \
			"$("$reader" "$work/copy" 2>&1 >/dev/null)" "its copy in AG $ag is taken instead"
		put_byte "$work/copy" $((step * ag + 300)) 255
	done
	run scan --db="$db" "$work/copy"
	failed_clearly 'no sound superblock' 2 'superblock is damaged; try xfs_repair -n'
	put_byte "$work/copy" 6 16
	put_byte "$work/copy" 300 255
	run scan --db="$db" "$work/copy"
	failed_clearly 'no sound superblock, but a block size' 2 \
		'checksum is wrong, and no copy of it is found; try xfs_repair -n'
}

# Fields of $work/copy get new values, "NAME VALUE" each, and a right checksum.
tamper() { # COMMAND… -- FIELDS…
	local commands=()
	while [ "$1" != -- ]; do
		commands+=(-c "$1")
		shift
	done
	shift
	for write; do
		commands+=(-c "write -d $write")
	done
	xfs_db -x "${commands[@]}" "$work/copy" >/dev/null
}

# $work/copy lacks MISSING inodes: the others are counted, and one line tells how many and why.
lacks() { # NAME MISSING WHY
	local status=0
	"$reader" "$work/copy" >"$work/output" 2>"$work/errors" || status=$?
	sort_output
	[ $status = 1 ] && ! grep -qvxFf "$work/$1.truth" "$work/found" &&
		[ $(($(wc -l <"$work/found") + $2)) = $files ] &&
		[ "$(awk -F ': ' -v "why=$3" '$0 ~ why { print $3 }' "$work/errors")" = "$2" ] &&
		[ "$(wc -l <"$work/errors")" = 1 ] ||
		bad+="$3: exit status $status, $(wc -l <"$work/found") inodes: $(cat "$work/errors")"$'\n'
	seen+=" $status"
}

# What lies agrees with what is next to it: a superblock that leaves out the last AG, a tree that has
# lost a record or calls a chunk free, with an AGI that knows of no more. Only the superblock's counts
# tell. And there is an inode that is free, whatever the tree says.
conceals() { # NAME
	local agcount agblocks count free records last ino
	agcount=$(field "$work/$1" agcount -c 'sb 0')
	agblocks=$(field "$work/$1" agblocks -c 'sb 0')
	count=$(field "$work/$1" count -c "agi $((agcount - 1))")
	free=$(field "$work/$1" freecount -c "agi $((agcount - 1))")
	copy "$1"
	tamper 'sb 0' -- "agcount $((agcount - 1))" "dblocks $(((agcount - 1) * agblocks))"
	lacks "$1" $((count - free)) 'the superblock counts'

	count=$(field "$work/$1" count -c 'agi 1')
	free=$(field "$work/$1" freecount -c 'agi 1')
	records=$(field "$work/$1" numrecs -c 'agi 1' -c 'addr root')
	last=$(field "$work/$1" "recs[$records].freecount" -c 'agi 1' -c 'addr root')
	copy "$1"
	tamper 'agi 1' 'addr root' -- "numrecs $((records - 1))"
	tamper 'agi 1' -- "count $((count - 64))" "freecount $((free - last))"
	lacks "$1" $((64 - last)) 'the superblock counts'
	copy "$1"
	tamper 'agi 1' 'addr root' -- 'recs[1].free 0x3ff' 'recs[1].freecount 10' # of the first, all 64 are used
	tamper 'agi 1' -- "freecount $((free + 10))"
	lacks "$1" 10 'the superblock counts'

	ino=$(sed -n 70p "$work/$1.truth" | cut -d ' ' -f 1)
	copy "$1"
	tamper "inode $ino" -- 'core.mode 0'
	lacks "$1" 1 "inode $ino: the inode tree has it in use, but it is free"
	judged "$1: metadata conceals inodes"
}

# A superblock that speaks of as many AGs as there can be, on a sparse image of that size: a hole is a
# hole, and no reading.
vast() { # NAME
	local agblocks=$(($(field "$work/$1" agblocks -c 'sb 0'))) status=0 most
	mkdir -p "$work/vast"
	mountpoint -q "$work/vast" || mount -t tmpfs none "$work/vast" 2>/dev/null || {
		skip "$1: a vast image" 'needs root for a tmpfs'
		return
	}
	cp --sparse=always "$work/$1" "$work/vast/copy"
	most=$(((1 << 32) - 1))
	xfs_db -x -c 'sb 0' -c "write agcount $most" -c "write dblocks $((most * agblocks))" \
		"$work/vast/copy" >/dev/null
	truncate -s $((most * agblocks * 4096)) "$work/vast/copy" || return
	timeout 30 "$reader" "$work/vast/copy" >"$work/output" 2>"$work/errors" || status=$?
	sort_output
	is "$1: a vast image: exit status" $status 1
	same "$1: a vast image: inodes" "$work/found" "$work/$1.truth"
	like "$1: a vast image: it is told once" "$(cat "$work/errors")" \
		'^ag: -61: 0: AG 4: as far as AG 4294967294, the image is a hole [^:]*$'
	rm "$work/vast/copy"
}

write_prototype >"$work/prototype"
for kind in v5 v4; do
	options=()
	[ $kind != v4 ] || options=(-m crc=0)
	if ! make_image $kind "${options[@]}"; then
		skip "$kind" 'mkfs.xfs does not make it'
		continue
	fi
	places "$work/$kind" >"$work/$kind.places"
	random_bits $kind super $((share * 2))
	random_bits $kind agi $((share * 2))
	random_bits $kind tree $((share * 3))
	random_bits $kind inode $((share * 2))
	random_bits $kind anywhere $((share * 2))
	trash $kind 'sb agf agfl bnobt cntbt finobt rmapbt refcntbt log' $((share / 4)) -n 2 -x 1 -y 64
	trash $kind 'agi inobt inode' "$share" -n 2 -x 1 -y 64
	cut_short $kind 0 1 511 512 4096 33000 131072 5000000 78643200 157286400 314572799
	lost $kind
	lies $kind
	hides $kind
	conceals $kind
	[ $kind != v5 ] || copied
	[ $kind != v4 ] || vast $kind # xfs_db writes no such superblock of version 5
done
done_testing
