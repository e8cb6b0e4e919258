#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The size that is predicted for a dump against the media file that the real xfsdump writes, and what
# is told of xfsdump's own estimate against what it says: every kind of inode, holes, preallocation,
# many extents, hard links, long names, attributes of any size.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands xfsdump xfs_io setfattr setfacl

# What the populations lack: preallocation inside and past the end, large attributes, a fragmented
# file, files over the 16 MiB at which xfsdump starts a new group of extents.
add_what_matters() { # FOLDER
	local i
	mkdir "$1/more" &&
		xfs_io -f -c 'pwrite -q 0 100k' -c 'falloc 1m 2m' "$1/more/preallocated" &&
		xfs_io -f -c 'pwrite -q 0 1m' -c 'falloc -k 1m 8m' "$1/more/past-the-end" &&
		xfs_io -f -c 'pwrite -q 0 40m' "$1/more/groups" &&
		xfs_io -f -c 'pwrite -q 0 33m' -c 'fpunch 5m 3m' -c 'fpunch 20m 64k' "$1/more/holes" &&
		xfs_io -f -c 'truncate 1g' -c 'pwrite -q 512m 4k' "$1/more/sparse" || return
	for ((i = 0; i < 64; i++)); do
		xfs_io -f -c "pwrite -q $((i * 128))k 4k" "$1/more/islands" || return
	done
	for ((i = 0; i < 40; i++)); do
		echo data >"$1/more/attributes-$i" &&
			setfattr -n user.note -v "$(printf '%0*d' $((i * 5)) 0)" "$1/more/attributes-$i" || return
	done
}

# Attributes: none, labels as of SELinux, lists of users and groups, values in blocks of their own, so
# many that a tree leads to them. What options leave out has not what the mean file has.
make_attributes() { # FOLDER
	local i j large file
	large=$(printf '%030000d' 0)
	for ((i = 0; i < 300; i++)); do
		((i % 50)) || mkdir "$1/d$i" || return
		file=$1/d$((i / 50 * 50))/f$i
		head -c $((i * 20)) /dev/zero >"$file" &&
			setfattr -n security.selinux -v 'unconfined_u:object_r:user_home_t:s0' "$file" || return
		((i % 3)) || setfattr -n user.comment -v "$(printf '%0*d' $((i % 60)) 0)" "$file" || return
		((i % 9)) || setfattr -n user.large -v "${large:i*90}" "$file" || return
	done
	for ((i = 0; i < 300; i += 50)); do
		printf '# file: %s\n' "$1/d$i/f$i"
		for ((j = 0; j < i; j++)); do
			printf 'user.attribute-%d="%0*d"\n' $j $((j % 150 + 1)) 0
		done
		echo
	done | (cd / && setfattr --restore=-) &&
		find "$1" -name '*[27]0' -exec xfs_io -r -c 'chattr +d' {} + &&
		find "$1" -name '*5' -exec setfacl -m u:1000:r,u:1001:rw,g:1002:r,u:1003:r,u:1004:r {} + &&
		find "$1" -type d -exec setfacl -m d:u:1000:r {} +
}

# What options leave out, as the device engine sees it: without data of 32 KiB there is no chance in it.
against_options() { # NAME FOLDER
	local options
	for options in '--exclude-nodump:-e' '--max-size=16K:-z 16' '--no-attrs:-A'; do
		# shellcheck disable=SC2086 # options are words
		xfsdump -J -l 0 -L session -M media ${options#*:} -f "$work/part" "$2" >/dev/null 2>&1
		is "$1, ${options#*:}: size, to the byte" \
			"$("$XFSCENSUS" predict --db="$db" --fs="$2" --format=json "${options%:*}" | jq .dump_bytes)" \
			"$(stat -c %s "$work/part")"
		rm "$work/part"
	done
}

# Hard links, directories with long names below each other, links of any length, files of whole pages.
make_names() { # FOLDER
	local i folder=$1 name
	name=$(printf '%0250d' 0)
	for ((i = 0; i < 300; i++)); do
		((i % 12)) || folder=$1
		folder=$folder/${name:i%200}
		mkdir -p "$folder" && ln -s "${name:0:i%250+1}" "$folder/link" || return
		head -c $(((i % 3) * 65536)) /dev/zero >"$folder/pages" || return
		ln "$folder/pages" "$1/${name:0:i%90}$i" || return
	done
}

# One row of a table: what, told, actual, and how far off.
within() { # NAME TOLD ACTUAL PER-MILLION
	local off=$((($2 - $3) * 1000000 / $3))
	diag "$(printf '%-28s told %10d  actual %10d  off by %d/1000000' "$1" "$2" "$3" "$off")"
	[ "${off#-}" -le "$4" ]
}

# The newest scan against a dump of it.
against_dump() { # NAME FOLDER PER-MILLION
	"$XFSCENSUS" predict --db="$db" --fs="$2" --format=json >"$work/told.json"
	ok "$1: size" within "$1" "$(jq .dump_bytes "$work/told.json")" "$actual" "$3"
	is "$1: what xfsdump itself estimates" "$(jq .xfsdump_estimate_bytes "$work/told.json")" "$estimate"
}

for preset in odd aged attributes names; do
	make_xfs $preset 700M || skip_all 'no filesystem'
	case $preset in
	odd) populate "$work/odd" odd >/dev/null && add_what_matters "$work/odd" ;;
	aged) populate "$work/aged" aged --inodes=6000 >/dev/null ;;
	attributes) make_attributes "$work/attributes" ;;
	names) make_names "$work/names" ;;
	esac || skip_all 'cannot fill the filesystem'
	# so that the page cache holds nothing: what it holds cannot be calibrated by
	umount "$work/$preset" && mount -o loop,noatime "$work/$preset.img" "$work/$preset"
	run scan --db="$db" --engine=device "$work/$preset"
	run calibrate --db="$db" --budget=20s "$work/$preset"
	xfsdump -v verbose -J -l 0 -L session -M media -f "$work/dump" "$work/$preset" >"$work/dump.log" 2>&1
	actual=$(stat -c %s "$work/dump")
	estimate=$(sed -n 's/.*estimated dump size: \([0-9]*\) bytes/\1/p' "$work/dump.log")
	against_dump "$preset, device" "$work/$preset" 1000
	[ $preset != attributes ] || against_options "$preset, device" "$work/$preset"
	run scan --db="$db" --engine=bulkstat "$work/$preset"
	# which sees no extents and no attributes, and goes by those that calibration met
	against_dump "$preset, bulkstat" "$work/$preset" 2000
	umount "$work/$preset" && rm "$work/$preset.img" "$work/dump"
done
done_testing
