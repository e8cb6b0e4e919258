#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The size that is predicted for a dump against the media file that the real xfsdump writes, on a
# population with holes, preallocation, attributes, links and many extents.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands xfsdump xfs_io setfattr

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

predicted_size() { # FOLDER
	"$XFSCENSUS" scan --quiet --db="$db" "$1" >/dev/null &&
		"$XFSCENSUS" calibrate --quiet --budget=2s --db="$db" "$1" >/dev/null &&
		"$XFSCENSUS" predict --db="$db" --fs="$1" --format=json | jq .dump_bytes
}

dumped_size() { # FOLDER
	xfsdump -J -l 0 -L session -M media -f "$work/dump" "$1" >"$work/dump.log" 2>&1 &&
		stat -c %s "$work/dump"
}

within() { # NAME PREDICTED ACTUAL PER-10000
	local off=$((($2 - $3) * 10000 / $3))
	diag "$1: predicted $2, written $3 bytes, off by $off/10000"
	[ "${off#-}" -le "$4" ]
}

for preset in odd aged; do
	make_xfs $preset 700M || skip_all 'no filesystem'
	case $preset in
	odd) populate "$work/odd" odd >/dev/null && add_what_matters "$work/odd" ;;
	aged) populate "$work/aged" aged --inodes=6000 >/dev/null ;;
	esac || skip_all 'cannot fill the filesystem'
	# so that the page cache holds nothing: what it holds cannot be calibrated by
	umount "$work/$preset" && mount -o loop,noatime "$work/$preset.img" "$work/$preset"
	predicted=$(predicted_size "$work/$preset")
	actual=$(dumped_size "$work/$preset")
	ok "$preset: within 0.5 % of what xfsdump writes" within $preset "$predicted" "$actual" 50
	umount "$work/$preset" && rm "$work/$preset.img" "$work/dump"
done
done_testing
