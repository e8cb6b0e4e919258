#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What others do with the database meanwhile, and what a user asks of it: it is removed, replaced or
# locked during a scan; scans are pruned, by several at once too, and found by where they were taken.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs

# Starts a scan and halts it on its way, when the database has been open for a while.
begin_scan() { # DATABASE
	"$XFSCENSUS" scan --db="$1" --engine=walk --jobs=1 --quiet --format=json "$work/xfs" \
		>"$work/out" 2>"$work/err" &
	scan=$!
	until readlink "/proc/$scan/fd/"* 2>/dev/null | grep -qE "^(/d[0-9]+|$work/xfs/.*)$"; do
		kill -0 "$scan" 2>/dev/null || break
	done
	kill -STOP "$scan"
}

end_scan() {
	kill -CONT "$scan"
	status=0
	wait "$scan" || status=$?
	out=$work/out
	err=$(cat "$work/err")
}

# The ids of the scans in a database, in one line.
ids() { # [OPTION…]
	"$XFSCENSUS" scans --db="$db" --format=json "$@" | jq -r '[.rows[].scan_id] | join(" ")'
}

new_database() { # SCANS
	local i
	rm -f "$db" "$db"-*
	for ((i = 0; i < $1; i++)); do
		"$XFSCENSUS" scan --db="$db" --engine=walk --quiet "$work/xfs" >/dev/null
	done
}

removed_and_replaced() {
	new_database 1
	begin_scan "$db"
	rm "$db" "$db-wal" "$db-shm"
	end_scan
	not_stored 'removed during a scan' 'removed or replaced'
	ok 'removed during a scan: it stays removed' test ! -e "$db"

	new_database 1
	"$XFSCENSUS" scan --db="$work/other.db" --engine=walk --quiet "$work/small" >/dev/null
	begin_scan "$db"
	mv "$work/other.db" "$db"
	end_scan
	not_stored 'replaced during a scan' 'removed or replaced'
	is 'replaced during a scan: the other one is sound' "$(sql 'PRAGMA integrity_check')" ok
	is 'replaced during a scan: it holds what it held' "$(ids)" 1
	is 'replaced during a scan: of the other filesystem' \
		"$("$XFSCENSUS" scans --db="$db" --format=json | jq -r '.rows[0].mount_point')" \
		"$work/small"
}

locked_at_the_end() {
	new_database 1
	sqlite3 "$db" 'BEGIN IMMEDIATE' '.shell echo held; sleep 8' >"$work/held" &
	until [ -s "$work/held" ]; do sleep 0.05; done
	run scan --db="$db" --engine=walk "$work/small"
	is 'locked for a while: exit status' "$status" 0
	like 'locked for a while: it says that it waits' "$err" 'locked.*waiting'
	is 'locked for a while: it is stored' "$(ids)" '1 2'
	wait
}

pruning() {
	local i failed=0 pids=()
	new_database 3
	run scans --prune=1,7 --db="$db"
	failed_clearly 'a scan that is not there' 2 'no scan 7'
	is 'a scan that is not there: nothing is deleted' "$(ids)" '1 2 3'
	run scans --prune=3,0 --db="$db"
	failed_clearly 'scan 0' 64 '3,0'
	run scans --prune=1,3,1 --db="$db"
	is 'a scan named twice: exit status' "$status" 0
	is 'a scan named twice: it is deleted' "$(ids)" 2
	run scans --prune=older:1d --db="$db"
	is 'none is old enough' "$(ids)" 2
	run scans --fs="$work/xfs" --prune=2 --format=json --db="$db"
	is 'all of a filesystem: exit status' "$status" 0
	is 'all of a filesystem: the list is empty' "$(jq -c .rows "$out")" '[]'

	new_database 6
	for ((i = 0; i < 6; i++)); do
		"$XFSCENSUS" scans --prune=keep:1 --quiet --db="$db" >"$work/prune.$i" 2>&1 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || failed=$((failed + 1))
	done
	is 'six prune at once: none fails' "$failed" 0
	diag "$(cat "$work"/prune.* | grep xfscensus: )"
	is 'six prune at once: the newest is left' "$(ids)" 6
	sql 'PRAGMA ignore_check_constraints = ON;
		UPDATE scan SET started_seconds = -9223372036854775807 - 1'
	"$XFSCENSUS" scan --db="$db" --engine=walk --quiet "$work/xfs" >/dev/null
	run scans --prune=older:1d --db="$db"
	is 'a scan of the beginning of time: exit status' "$status" 0
	is 'a scan of the beginning of time: it is deleted' "$(ids)" 7
}

newest_of() { # FS
	"$XFSCENSUS" report users --db="$db" --fs="$1" --format=json | jq .scan_id
}

found_by_mount() {
	new_database 1
	mkdir "$work/bind" && mount --bind "$work/xfs" "$work/bind"
	"$XFSCENSUS" scan --db="$db" --engine=walk --quiet "$work/bind" >/dev/null
	is 'by the mount point of an earlier scan' "$(newest_of "$work/xfs")" 2
	is 'by the bind mount' "$(newest_of "$work/bind")" 2
	ln -s xfs "$work/link"
	is 'by a relative path' "$(cd "$work" && newest_of xfs)" 2
	is 'by a relative path with a slash' "$(cd "$work/bind" && newest_of ../xfs/)" 2
	is 'by a link' "$(newest_of "$work/link")" 2
	is 'listed by a relative path' "$(cd "$work" && ids --fs=xfs)" '1 2'
	mkdir "$work/$(sql 'SELECT fs_id FROM filesystem')"
	is 'by an id that is also a name' \
		"$(cd "$work" && newest_of "$(sql 'SELECT fs_id FROM filesystem')")" 2
	umount "$work/bind"
}

make_xfs xfs 300M || skip_all 'no filesystem'
make_xfs small 300M || skip_all 'no filesystem'
populate "$work/xfs" many --inodes=20000
removed_and_replaced
locked_at_the_end
pruning
found_by_mount
done_testing
