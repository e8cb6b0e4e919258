#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What somebody does who has just installed it, beside the way that was meant: scans of a tree between
# those of the filesystem, the image behind a mount, places that cannot be written, too much pruned.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs

scan() { # ARGUMENT…
	run scan --db="$db" --format=json "$@"
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

make_xfs xfs 300M || skip_all 'cannot make or mount an XFS filesystem'
mkdir "$work/xfs/home"
touch "$work/xfs/home/"{1..5} "$work/xfs/"{1..20}
trees
done_testing
