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

# Options and paths as they come to mind.
words() {
	local long name program
	program=$(realpath "$XFSCENSUS")
	run scan
	failed_clearly 'no path' 64 'PATH is missing'
	run --db="$db" scan "$work/xfs"
	failed_clearly 'options before the command' 64 'options follow the command'
	name=$(printf '%0100d' 7)
	mkdir "$work/xfs/home/$name"
	touch "$work/xfs/home/$name/"{1..9}
	scan "$work/xfs"
	long=$(cd "$work" && "$program" report dirs --db="$db" --under=./xfs/home --format=json)
	is 'a directory from here' "$(jq -r '[.rows[].path] | min' <<<"$long")" "$work/xfs/home"
	long=$(cd "$work" && "$program" report dirs --db="$db" --under=home --format=json)
	is 'a directory from the root of the scan' "$(jq -r '[.rows[].path] | min' <<<"$long")" "$work/xfs/home"
	run report dirs --db="$db" --under=nowhere
	failed_clearly 'a directory that is nowhere' 64 "no directory nowhere in the scan, neither from its root nor as $(pwd)/nowhere"
	run report dirs --db="$db"
	ok 'a long path: whole, in a pipe' grep -q "/home/$name\$" "$out"
	is 'a long path: fills no other row' "$(grep -v "$name" "$out" | awk 'length > 120' | wc -l)" 0
	scan "$work/xfs"
	run report growth --db="$db"
	like 'growth of less than a day' "$(head -n 1 "$out")" '^In [0-9.]+ (s|ms|min)[^a-z]'
	mount -t tmpfs tmpfs "$work/xfs/home"
	run_as_nobody scan --db="$work/nobody/x.db" --engine=walk "$work/xfs"
	like 'what a mount covers' "$(cat "$out")" 'or a subvolume: 1 .at least 1 inode is missing.'
	umount "$work/xfs/home"
	run_as_nobody report --db="$work/nobody/x.db"
	like 'who is not root is told to calibrate as root' "$(cat "$out")" \
		"sudo xfscensus calibrate --db=$work/nobody/x.db $work/xfs"
}

make_xfs xfs 300M || skip_all 'cannot make or mount an XFS filesystem'
mkdir "$work/xfs/home"
touch "$work/xfs/home/"{1..5} "$work/xfs/"{1..20}
trees
image
output
prune
words
done_testing
