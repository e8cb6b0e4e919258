#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The walk engine on real XFS against xfs_io's bulkstat and find, inode by inode.
set -u
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_xfs
need_commands xfs_io setfattr setpriv perl
records=${top_builddir:?}/tests/integration/walk_records
mnt=$work/mnt

# A fresh filesystem on $mnt, which keeps access times so that a walk could change them.
new_fs() { # [MKFS-OPTION…]
	umount -R "$mnt" 2>/dev/null
	rm -f "$work/mnt.img"
	make_xfs mnt 2G "$@" || skip_all 'cannot make or mount an XFS filesystem'
	mount -o remount,strictatime "$mnt"
}

repeat() {
	printf "%0$2d" 0 | tr 0 "$1"
}

# Everything odd that an XFS filesystem can hold, in $mnt/odd.
fill() {
	local d=$mnt/odd i

	mkdir -p "$d/deep/er" "$d/project/below" "$d/"$'\xff\n\t\x01' "$d/m1" "$d/m2"
	for i in $(seq 300); do
		head -c $((i * i)) /dev/zero >"$d/deep/f$i"
		chown $((i % 7)):$((i % 5)) "$d/deep/f$i"
	done
	for i in $(seq 40); do
		: >"$d/"$'\xff\n\t\x01'"/$(printf '\\x%02x' $((i + 128)) | xargs -0 printf)"
	done
	ln "$d/deep/f7" "$d/project/f7"
	ln "$d/deep/f7" "$d/f7"
	mkfifo "$d/pipe"
	ln "$d/pipe" "$d/deep/er/pipe"
	mknod "$d/char" c 1 3
	mknod "$d/block" b 7 99
	perl -MIO::Socket::UNIX -e 'chdir shift; IO::Socket::UNIX->new(Local => "socket", Listen => 1)' "$d"
	truncate -s 5T "$d/hole"
	truncate -s 9223372036854775807 "$d/full-hole" || truncate -s 7E "$d/full-hole"
	xfs_io -f -c 'falloc 0 1m' "$d/prealloc"
	xfs_io -f -c 'falloc -k 0 1m' -c 'pwrite -q 0 100' "$d/beyond"
	for i in $(seq 0 8 160); do
		echo "pwrite -q $((i * 4096)) 4096"
	done | xfs_io -f "$d/many-extents" >/dev/null
	for i in 1 15 16 31 32 100 330 400 900 1023; do
		ln -s "$(repeat x $i)" "$d/link$i"
		ln -s "$(repeat x $i)" "$d/attr-link$i"
		setfattr -h -n trusted.a -v "$(repeat v 3000)" "$d/attr-link$i"
		ln -s "$(repeat x $i)" "$d/small-attr-link$i"
		setfattr -h -n trusted.a -v v "$d/small-attr-link$i"
	done
	setfattr -n user.small -v v "$d/prealloc" "$d/deep"
	setfattr -n user.large -v "$(repeat v 3000)" "$d/hole" "$d/deep/er"
	setfattr -h -n trusted.a -v v "$d/char"
	xfs_io -c 'chattr +d' "$d/deep/f9" "$d/deep/er"
	xfs_io -c 'chproj 42' -c 'chattr +P' "$d/project"
	: >"$d/project/below/inherits"
	mkfifo "$d/project/pipe"
	ln -s nowhere "$d/project/link"
	chown -h 4294967294:4294967294 "$d/project/link"
	touch -d '1960-01-02 03:04:05' "$d/deep/f10"
	touch -d '2400-01-02 03:04:05' "$d/deep/f11"
	: >"$d/file-mount"
	sync -f "$d"
}

walk() {
	"$records" "$@" | sort >"$work/walk"
}

# What walk_records prints, from xfs_io; field 11, unknown, is 0. xfs_io prints negative times as
# huge numbers, and the kernel tells no blocks of an inode whose data is inline, though it may have
# some for attributes: both are masked here and left to the comparison with find.
bulkstat() {
	xfs_io -r -c bulkstat "$mnt" | awk '
		function seconds(time) { sub(/\..*/, "", time); return length(time) > 18 ? "<0" : time }
		function emit() {
			if (ino == "")
				return
			nodump = substr("0" v["bs_xflags"], length(v["bs_xflags"]), 1) ~ /[89a-f]/
			extents = v["bs_extents64"] > 0 ? v["bs_extents64"] : v["bs_extents"]
			blocks = sprintf("%.0f", v["bs_blocks"] * v["bs_blksize"])
			if (v["bs_blocks"] == 0 && v["bs_aextents"] > 0)
				blocks = "?"
			print ino, substr(v["bs_mode"], 2), v["bs_nlink"], v["bs_uid"], v["bs_gid"],
				v["bs_projectid"], v["bs_size"], blocks, extents,
				(v["bs_forkoff"] > 0) + 2 * nodump, 0,
				seconds(v["bs_mtime"]), seconds(v["bs_ctime"])
			delete v
		}
		$1 == "bs_ino" { emit(); ino = $3; next }
		$2 == "=" { v[$1] = $3 }
		END { emit() }' | sort >"$work/bulkstat"
}

# Masks in $work/walk what bulkstat() masked.
mask_walk() {
	awk 'NR == FNR { if ($8 == "?") masked[$1]; next }
		$1 in masked { $8 = "?" }
		$12 < 0 { $12 = "<0" }
		{ print }' "$work/bulkstat" "$work/walk" >"$work/masked"
}

equal() { # FILE FILE
	[ -s "$work/$1" ] && diff "$work/$1" "$work/$2"
}

# What find says of each inode once: inode, mode, links, owner, size, allocated bytes, mtime.
find_records() {
	find "$@" -xdev -printf '%i %y %n %U %G %s %b %T@\n' | sort -u |
		awk '{ split($8, t, "."); print $1, $2, $3, $4, $5, $6, $7 * 512, t[1] }' |
		sort >"$work/find"
}

# The same columns from walk_records.
walk_like_find() {
	"$records" "$@" | awk '
		BEGIN { split("1 2 4 6 10 12 14", n); split("p c d b f l s", t)
			for (i in n) type[n[i]] = t[i] }
		/^[0-9]/ { print $1, type[substr($2, 1, length($2) - 4)], $3, $4, $5, $7, $8, $12 }' |
		sort >"$work/walk"
}

walk_is_bulkstat() { # [OPTION]
	walk "$@" "$mnt" 2 && bulkstat && mask_walk && equal bulkstat masked
}

# An old kernel tells only of what can be opened; the rest must say what it does not know.
old_walk_is_bulkstat() {
	walk -o "$mnt" 2 && mask_walk || return 1
	awk '{ type = substr($2, 1, length($2) - 4) }
		type != "10" && type != "4" { $6 = $9 = $10 = "?"; $11 = $8 == 0 ? 6 : 7 }
		{ print }' "$work/bulkstat" >"$work/truth"
	awk '{ type = substr($2, 1, length($2) - 4) }
		type != "10" && type != "4" { $6 = $9 = $10 = "?" }
		{ print }' "$work/masked" >"$work/old"
	equal truth old
}

walk_is_find() {
	walk_like_find "$1" 2 && find_records "$1" && equal find walk
}

# Whether this kernel and this mkfs still know XFS of version 4.
knows_v4() {
	make_xfs v4 512M -m crc=0 && umount "$work/v4"
}

geometries=("-b size=4096" "-b size=1024" "-n size=16384 -i size=2048")
knows_v4 >/dev/null 2>&1 && geometries+=("-m crc=0")
for geometry in "${geometries[@]}"; do
	# shellcheck disable=SC2086 # several options
	new_fs $geometry
	fill
	ok "walk = bulkstat, every record ($geometry)" walk_is_bulkstat -s
	ok "walk by name = bulkstat ($geometry)" walk_is_bulkstat -n
	ok "walk without file_getattr = bulkstat where files open ($geometry)" old_walk_is_bulkstat
	ok "walk = find ($geometry)" walk_is_find "$mnt"
done
ok "a tree in it = find" walk_is_find "$mnt/odd/deep"

# Of those 300, some in runs too short for a call of their own.
most_in_bulk() {
	local bulk
	bulk=$("$records" -bs "$mnt/odd/deep" 2)
	diag "$bulk in bulk"
	[ "$bulk" -ge 280 ] && [ "$("$records" -bn "$mnt/odd/deep" 2)" = 0 ] &&
		[ "$(setpriv --reuid 65534 --clear-groups "$records" -bs "$mnt/odd/deep" 2)" = 0 ]
}
ok "consecutive inodes are read in bulk, by root" most_in_bulk

no_atime_changes() {
	find "$mnt" -xdev -type d -exec touch -a -d 2001-01-01 {} +
	walk "$mnt" 2
	! find "$mnt" -xdev -type d -newerat 2001-01-02 | grep .
}
ok "directories keep their access time" no_atime_changes

one_is_many() {
	walk "$mnt" 1 && cp "$work/walk" "$work/one" && walk "$mnt" 7 && equal one walk
}
ok "7 workers = 1 worker" one_is_many

cover() {
	local d=$mnt/odd

	mount -t tmpfs none "$d/m1" && : >"$d/m1/file"
	mount --bind "$d/deep" "$d/m2"
	mount --bind "$d/deep/f1" "$d/file-mount"
}

uncover() {
	umount "$mnt/odd/m1" "$mnt/odd/m2" "$mnt/odd/file-mount"
}

# Root sees what other mounts cover, and nothing of those mounts.
covered_is_counted() {
	walk "$mnt" 2 && cp "$work/walk" "$work/bare"
	cover
	walk "$mnt" 1 && equal bare walk && walk "$mnt" 7 && equal bare walk && walk_is_bulkstat -s
}
for i in $(seq 50); do : >"$mnt/odd/m1/covered$i"; done
mkdir "$mnt/odd/m2/covered"
sync -f "$mnt"
ok "what other mounts cover is counted: walk = bulkstat" covered_is_counted

# To mount is one privilege, to leave the access time of others' directories alone another.
covered_is_counted_without_owners_rights() {
	local rc
	chown 5000 "$mnt"
	walk "$mnt" 2 && mv "$work/walk" "$work/owned" &&
		setpriv --bounding-set=-fowner "$records" "$mnt" 2 | sort >"$work/walk" && equal owned walk
	rc=$?
	chown 0 "$mnt"
	return "$rc"
}
ok "what other mounts cover is counted without the rights of owners, too" \
	covered_is_counted_without_owners_rights

# Who may not look below mounts tallies them.
hidden_is_tallied() {
	setpriv --reuid 65534 --clear-groups "$records" "$mnt" 2 >"$work/walk"
	grep -v '^[0-9]' "$work/walk"
	[ "$(grep -c '^[0-9]' "$work/walk")" = $(($(wc -l <"$work/bare") - 54)) ] &&
		grep -A3 -x "failure hidden 3" "$work/walk" | tail -n 3 | sort >"$work/hidden" &&
		printf "example Success $mnt/odd/%s\\n" file-mount m1 m2 | cmp - "$work/hidden"
}
ok "an ordinary user gets a tally of what is hidden" hidden_is_tallied
uncover

unreadable_is_tallied() {
	local d=$mnt/locked

	mkdir -p "$d/no/hidden" "$d/yes" "$d/list" && : >"$d/list/entry"
	chmod 700 "$d/no" && chmod 744 "$d/list"
	setpriv --reuid 65534 --clear-groups "$records" "$d" 2 | sort >"$work/walk"
	cat "$work/walk"
	[ "$(grep -c '^[0-9]' "$work/walk")" = 4 ] &&
		grep -qx "failure open-directory 1" "$work/walk" &&
		grep -qx "example Permission denied $d/no" "$work/walk" &&
		grep -qx "failure stat 1" "$work/walk" &&
		grep -qx "example Permission denied $d/list/entry" "$work/walk"
}
ok "an ordinary user gets a tally of what is locked" unreadable_is_tallied

deep_tree() {
	perl -e 'chdir shift or die; for (1 .. 5000) { my $n = "d" x 200; mkdir $n or die $!;
		mkdir "side" or die $!; chdir $n or die $!; }' "$mnt/deep" || return 1
	(ulimit -n 64 && "$records" "$mnt/deep" 2 >"$work/walk") || return 1
	! grep failure "$work/walk" && [ "$(wc -l <"$work/walk")" = 10001 ]
}
mkdir "$mnt/deep"
ok "5000 levels with 64 descriptors" deep_tree

huge_directory() {
	perl -e 'chdir shift or die; for (1 .. 200000) { open my $f, ">", "file-$_" or die $! }' \
		"$mnt/huge" || return 1
	walk_is_find "$mnt/huge" && [ "$(wc -l <"$work/walk")" = 200001 ]
}
mkdir "$mnt/huge"
ok "200 000 entries in one directory" huge_directory

# Frees an inode and has a file elsewhere take it: the kernel does both when it likes.
cat >"$work/replace" <<-'EOF'
	cd "$1" && old=$(stat -c %i f50) && rm f50 || exit
	for i in $(seq 2000); do
		: >new
		[ "$(stat -c %i new)" = "$old" ] && exec mv new ..
		mv new "../spare$i"
	done
	exit 1
EOF
replaced_is_not_counted() {
	local d=$mnt/replaced old

	old=$(stat -c %i "$d/f50")
	walk -c "sh '$work/replace' '$d'" "$d" 1 || return 1
	[ "$(wc -l <"$work/walk")" = 130 ] && [ "$(stat -c %i "$mnt/new")" = "$old" ] &&
		! grep "^$old " "$work/walk"
}
unwritten_is_counted() {
	[ "$("$records" -b "$mnt/replaced" 2)" -ge 110 ] && walk_is_find "$mnt/replaced"
}
mkdir "$mnt/replaced"
for i in $(seq 100); do : >"$mnt/replaced/f$i"; done
sync -f "$mnt"
for i in $(seq 30); do head -c $((i * 5000)) /dev/zero >"$mnt/replaced/g$i"; done
sleep 2.1
ok "what is not written back yet has its size" unwritten_is_counted
ok "a name that is gone is not counted as what has its inode now" replaced_is_not_counted

# Makes, moves and removes files and directories until it is killed.
stir() {
	exec perl -e 'chdir shift or die; for (my $i = 0;; $i++) {
		my $n = $i % 50;
		mkdir "d$n"; mkdir "d$n/e"; open my $f, ">", "d$n/e/f"; close $f; link "d$n/e/f", "l$n";
		rename "d$n", "r$n"; unlink "l$n", "r$n/e/f"; rmdir "r$n/e"; rmdir "r$n"; }' "$1"
}

changes_are_no_failures() {
	local i
	for i in $(seq 100); do
		"$records" "$mnt/busy" 3
	done >"$work/walk"
	[ "$(wc -l <"$work/walk")" -gt 100 ] && ! grep -A3 failure "$work/walk"
}
mkdir "$mnt/busy"
stir "$mnt/busy" &
ok "what changes meanwhile is no failure" changes_are_no_failures
kill $!
done_testing
