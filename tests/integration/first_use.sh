#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What somebody does who has just installed it, beside the way that was meant: scans of a tree between
# those of the filesystem, the image behind a mount, places that cannot be written, too much pruned.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands setpriv

scan() { # ARGUMENT…
	run scan --db="$db" --format=json "$@"
}

run_as_nobody() { # ARGUMENT…
	status=0
	out=$work/out
	setpriv --reuid=65534 --regid=65534 --clear-groups "$XFSCENSUS" "$@" >"$out" 2>"$work/err" </dev/null || status=$?
	err=$(cat "$work/err")
}

# The scan and place that a command acts on.
acts_on() { # COMMAND…
	run "$@" --db="$db" --format=json
	jq -r '"\(.scan_id) \(.scope)"' "$out"
}

trees() {
	scan "$work/xfs"
	scan --engine=walk "$work/xfs/home"
	is 'a scan of a tree: it is one' "$(jq -r '.scan_id, .scope' "$out" | paste -sd' ')" '2 tree'
	is 'a tree after the whole: report' "$(acts_on report)" '1 filesystem'
	is 'a tree after the whole: report --fs' "$(acts_on report users --fs="$work/xfs")" '1 filesystem'
	is 'a tree after the whole: check' "$(acts_on check)" '1 filesystem'
	is 'a tree after the whole: check --fs' "$(acts_on check --fs="$work/xfs")" '1 filesystem'
	is 'a tree after the whole: quota' "$(acts_on quota)" '1 filesystem'
	is 'a tree after the whole: trend' "$(acts_on report trend)" '1 filesystem'
	run report --db="$db" --format=openmetrics
	like 'a tree after the whole: the label of the metrics' "$(cat "$out")" "filesystem=\"$work/xfs\""
	is 'a tree by its path' "$(acts_on report --fs="$work/xfs/home")" '2 tree'
	is 'a tree by its number' "$(acts_on report --scan=2)" '2 tree'
	run scan --db="$db" --engine=walk "$work/xfs/home"
	like 'a scan of a tree says how to see it' "$(cat "$out")" 'report --scan=3 shows this one'
	run scans --db="$db" --prune=3 --quiet
}

# What was written is in memory and in the log, not yet in the image.
image() {
	mkdir "$work/xfs/new"
	touch "$work/xfs/new/"{1..500}
	ln -s xfs.img "$work/other-name"
	scan --engine=device "$work/other-name"
	is 'an image that is mounted: exit status' "$status" 0
	is 'an image that is mounted: all files' "$(jq .regular_files "$out")" "$(find "$work/xfs" -type f | wc -l)"
	like 'an image that is mounted: it says so' "$(jq -r .engine_reason "$out")" \
		"xfs.img is mounted at $work/xfs through /dev/loop"
	chmod 644 "$work/xfs.img"
	install -d -o 65534 "$work/nobody"
	run_as_nobody scan --db="$work/nobody/x.db" --format=json "$work/xfs.img"
	is 'as an ordinary user: through the mount' "$(jq -r '"\(.engine) \(.regular_files)"' "$out")" 'walk 525'
	unmount_image "$work/xfs" "$work/xfs.img"
	scan "$work/xfs.img"
	is 'an image that is not mounted' "$(jq -r '"\(.device) \(.regular_files)"' "$out")" "$work/xfs.img 525"
	mount -o loop,noatime "$work/xfs.img" "$work/xfs"
}

# A result that cannot be shown is known before anything is done, where that can be.
output() {
	local scans
	scans=$(sql 'SELECT count(*) FROM scan')
	run scan --db="$db" --output="$work/none/x" "$work/xfs"
	failed_clearly 'no folder for the output' 2 'cannot write .*/none/x: No such file'
	run scan --db="$db" --output="$work/xfs" "$work/xfs"
	failed_clearly 'the output is a folder' 2 'cannot write .*: Is a directory'
	run calibrate --db="$db" --budget=1s --output="$work/none/x" "$work/xfs"
	failed_clearly 'calibrate: no folder for the output' 2 'cannot write .*/none/x'
	run scans --db="$db" --prune=1 --output="$work/none/x"
	failed_clearly 'prune: no folder for the output' 2 'cannot write .*/none/x'
	is 'what cannot be shown is not done' "$(sql 'SELECT count(*) FROM scan')" "$scans"
	run scan --db="$work/new.db" --output="$work/none/x" "$work/xfs"
	is 'what cannot be shown makes no database' "$(find "$work" -name 'new.db*' | wc -l)" 0
	run scan --db="$db" --output=/dev/full "$work/xfs"
	failed_clearly 'a full device' 2 "stored as scan $(sql 'SELECT max(scan_id) FROM scan'), but not shown: cannot write /dev/full"
	is 'a full device: stored all the same' "$(sql 'SELECT count(*) FROM scan')" $((scans + 1))
	is 'no file is left beside' "$(find "$work" -name '.xfscensus*' | wc -l)" 0
}

prune() {
	run scans --db="$db" --prune=keep:0
	failed_clearly 'prune: nothing to be kept' 64 'keep:0 would delete every scan'
	run scans --db="$db" --prune=keep:1
	is 'prune: exit status' "$status" 0
	is 'prune: it says how many' "$err" 'xfscensus: 3 scans deleted'
	is 'prune: the newest of the whole and of the tree are left' \
		"$(sql "SELECT group_concat(whole_filesystem, '') FROM v_scan")" 01
	run scans --db="$db" --prune=keep:1
	is 'prune: nothing more' "$err" 'xfscensus: 0 scans deleted'
}

make_xfs xfs 300M || skip_all 'cannot make or mount an XFS filesystem'
mkdir "$work/xfs/home"
touch "$work/xfs/home/"{1..5} "$work/xfs/"{1..20}
trees
image
output
prune
done_testing
