#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Attributes in blocks of their own, as the device engine reads them from images: a single leaf, values
# in blocks of their own, trees, forks of many extents, versions 4 and 5; and what is damaged is told
# and costs no more than its own bytes. dump_size.sh holds the sizes against the real xfsdump.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands setfattr xfs_db xfs_io
export LC_ALL=C

# What attributes of these lengths take in a dump, besides an empty fork.
add_up() { # of lines NAME-BYTES VALUE-BYTES
	awk '{ sum += int((17 + $1 + $2 + 7) / 8) * 8 } END { print sum }'
}

# A file's attributes for setfattr --restore.
attributes() { # FILE FIRST LAST VALUE-BYTES-AT-MOST
	local i
	printf '# file: %s\n' "$1"
	for ((i = $2; i <= $3; i++)); do
		printf 'user.number-%d="%0*d"\n' "$i" $((i * 37 % $4 + 1)) 0
	done
	echo
}

# One leaf, values of up to 40 kB beside it, a tree; two forks that grow in turn lie in many extents.
fill() { # FOLDER
	local i
	(cd "$1" && touch leaf values tree many other && mkdir folder) || return
	{
		attributes leaf 1 4 200
		attributes values 990 1000 40000
		attributes tree 1 300 150
		attributes folder 97 99 5000
		for ((i = 100; i < 140; i++)); do
			attributes many $i $i 6000
			attributes other $i $i 7000
		done
	} >"$work/attributes"
	(cd "$1" && setfattr --restore="$work/attributes")
}

# What xfs_db cannot set is an attribute without a value.
make_v4() {
	local i
	truncate -s 300M "$work/v4.img"
	mkfs.xfs -q -f -m crc=0 -i size=256 "$work/v4.img" >/dev/null 2>&1 || return
	for ((i = 1; i <= 300; i++)); do
		echo "attr_set -s n$i -v $((i * 7 % 113 + 1))"
	done | xfs_db -x -c 'inode 128' -c 'attr_set -u hello -v 20' -c 'attr_set -r large -v 40000' \
		-c 'source /dev/stdin' "$work/v4.img" >/dev/null 2>&1
}

# Scans; sets $seen to INODES ERRORS, and of attributes: FORKS-SEEN FORKS-UNSEEN BYTES.
look() { # IMAGE [OPTION…]
	rm -f "$db"
	run scan --db="$db" --engine=device "$@"
	seen=$(sql 'SELECT (SELECT sum(inodes) FROM cube), (SELECT errors FROM scan), sum(attr_seen),
		sum(attr_inline + attr_blocks), sum(attr_bytes) FROM dump_part')
}

# Places of blocks with a magic number in their ninth byte.
blocks_of() { # MAGIC IMAGE
	grep -obUaP "$1" "$2" | cut -d : -f 1 | awk '$1 % 4096 == 8 { print $1 - 8 }'
}

# Copies an image with bytes changed, and looks at it.
look_at_damaged() { # IMAGE PLACE BYTES-AS-OF-PRINTF
	cp --sparse=always "$work/$1" "$work/copy"
	printf '%b' "$3" | dd of="$work/copy" bs=1 seek="$2" conv=notrunc status=none
	look "$work/copy"
}

# --- version 5 ------------------------------------------------------------------------------------
make_xfs v5 300M || skip_all 'no filesystem'
fill "$work/v5" || skip_all 'no attributes'
expected=$(
	cd "$work/v5" && getfattr -d -m - --absolute-names ./* |
		awk -F= '/^user/ { print length($1) - 5, length($2) - 2 }' | add_up
)
many=$(stat -c %i "$work/v5/many")
unmount_image "$work/v5" "$work/v5.img"
look "$work/v5.img"
whole=$seen
is 'version 5: exit status' "$status" 0
is 'version 5: all is seen' "$whole" "7|0|6|0|$((expected + 6 * 272))"
look "$work/v5.img" --jobs=1
is 'version 5: with one thread' "$seen" "$whole"
look "$work/v5.img" --no-dirs
is 'version 5: without directories' "$seen" "$whole"
extents=$(xfs_db -r -c "inode $many" -c 'p core.naextents' "$work/v5.img" | awk '{ print $3 }')
ok 'there is a fork of many extents' test "$extents" -gt 21

leaves=$(blocks_of '\x3b\xee' "$work/v5.img")
ok 'there are many leaves' test "$(wc -l <<<"$leaves")" -gt 14
nodes=$(blocks_of '\x3e\xbe' "$work/v5.img")
for place in $(sed -n '1p;7p;15p' <<<"$leaves") $(head -n 1 <<<"$nodes"); do
	look_at_damaged v5.img $((place + 100)) '\xa5\xa5'
	is "damaged at $place: one inode's attributes are not seen" "${seen%|*}" '7|1|5|1'
	is "damaged at $place: exit status" "$status" 1
	is "damaged at $place: what kind" "$(sql 'SELECT DISTINCT kind FROM failure_example')" attributes
done

# --- version 4 ------------------------------------------------------------------------------------
make_v4 || skip_all 'no filesystem of version 4'
expected=$({
	printf '5 20\n5 40000\n'
	for ((i = 1; i <= 300; i++)); do echo "$((1 + ${#i})) $((i * 7 % 113 + 1))"; done
} | add_up)
look "$work/v4.img"
is 'version 4: all is seen' "$seen" "1|0|1|0|$((expected + 272))"
root=$(blocks_of '\xfe\xbe' "$work/v4.img" | head -n 1)
# without checksums: a child that is the node itself, one that is a value, one that is nowhere
for child in '\0\0\0\0' '\0\0\0\x02' '\x7f\xff\xff\xff'; do
	look_at_damaged v4.img $((root + 20)) "$child"
	is "version 4: a child in block $child" "${seen%|*}" '1|1|0|1'
	is "version 4: a child in block $child: exit status" "$status" 1
done
done_testing
