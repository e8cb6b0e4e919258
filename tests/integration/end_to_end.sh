#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The census against independent witnesses on a filesystem with everything odd: find -printf summed
# up by SQL, and xfs_io. The engines, the ioctls' generations and any number of threads must agree
# in every cell.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands xfs_io find

scan() { # NAME OPTION…: leaves the scan's id in $id
	local name=$1
	shift
	run scan --db="$db" --format=json "$@" "$work/xfs"
	is "$name: exit status" "$status" 0
	is "$name: nothing on standard error" "$err" ''
	id=$(jq .scan_id "$out")
}

# What find sees, each inode once, in a table of its own.
ask_find() {
	find "$work/xfs" -xdev -printf '%i\t%y\t%U\t%G\t%s\t%b\n' | sort -u >"$work/find.tsv"
	rm -f "$work/find.db"
	sqlite3 -batch "$work/find.db" >/dev/null <<-END
		CREATE TABLE inode (ino INTEGER PRIMARY KEY, kind TEXT, uid INTEGER, gid INTEGER,
			size INTEGER, blocks INTEGER);
		.mode tabs
		.import $work/find.tsv inode
		CREATE TABLE class (class INTEGER, low INTEGER, high INTEGER);
		INSERT INTO class VALUES (0, 0, 1);
		INSERT INTO class WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 62)
			SELECT n, 1 << (n - 1), 1 << n FROM k;
	END
}

by_find() { # SQL
	sqlite3 -batch -separator ' ' "$work/find.db" "$1"
}

owners_by_find() { # COLUMN
	by_find "SELECT $1, sum(kind = 'f'), sum(kind = 'f' AND size < 4096),
			sum(CASE kind WHEN 'f' THEN size ELSE 0 END), sum(blocks * 512),
			sum(CASE WHEN kind = 'f' AND size < 4096 THEN size ELSE 0 END)
		FROM inode GROUP BY $1 ORDER BY $1"
}

owners_reported() { # REPORT
	"$XFSCENSUS" report "$1" --db="$db" --scan="$id" --format=json |
		jq -r '.rows | sort_by(.id)[] | "\(.id) \(.files) \(.tiny_files) \(.bytes) \(.allocated_bytes) \(.tiny_bytes)"'
}

against_find() { # NAME
	owners_by_find uid >"$work/expected"
	owners_reported users >"$work/actual"
	same "$1: users as find sees them" "$work/actual" "$work/expected"
	owners_by_find gid >"$work/expected"
	owners_reported groups >"$work/actual"
	same "$1: groups as find sees them" "$work/actual" "$work/expected"
	by_find "SELECT class, count(*), sum(size) FROM inode, class
		WHERE kind = 'f' AND size >= low AND size < high GROUP BY class ORDER BY class" >"$work/expected"
	"$XFSCENSUS" report classes --db="$db" --scan="$id" --format=json |
		jq -r '.rows[] | select(.files > 0) | "\(.class) \(.files) \(.bytes)"' >"$work/actual"
	same "$1: size classes as find sees them" "$work/actual" "$work/expected"
	is "$1: inodes as find sees them" "$(jq .inodes "$out")" "$(by_find 'SELECT count(*) FROM inode')"
	is "$1: directories as find sees them" "$(jq .directories "$out")" \
		"$(by_find "SELECT count(*) FROM inode WHERE kind = 'd'")"
}

projects() {
	"$XFSCENSUS" report projects --db="$db" --scan="$id" --format=json |
		jq -r '.rows | sort_by(.id)[] | select(.id > 0) | "\(.id) \(.files) \(.bytes)"'
}

make_xfs xfs 500M || skip_all 'no filesystem'
populate "$work/xfs" odd
# at once: nothing of it needs to be on the disk yet
scan 'device at once' --engine=device
cells "$id" >"$work/cells.at_once"
like 'device at once: it says what came from the log' "$(jq -r .engine_reason "$out")" \
	'^asked for; merged [0-9]+ inodes from the log$'
ask_find
ok 'find sees a few hundred inodes' test "$(wc -l <"$work/find.tsv")" -gt 400

scan bulkstat --engine=bulkstat
cells "$id" >"$work/cells"
ok 'the cube has cells' test -s "$work/cells"
is 'the engine is told' "$(jq -r .engine "$out")" bulkstat
against_find bulkstat
is 'inodes as xfs_io sees them' "$(jq .inodes "$out")" \
	"$(xfs_io -c bulkstat "$work/xfs" | grep -c 'bs_ino = ')"
same 'device at once and bulkstat agree in every cell' "$work/cells.at_once" "$work/cells"
is 'projects' "$(projects)" "$(printf '77 10 5000\n3000000000 10 90000')"

scan walk --engine=walk
cells "$id" >"$work/cells.walk"
against_find walk
same 'walk and bulkstat agree in every cell' "$work/cells.walk" "$work/cells"

for variant in '--engine=bulkstat --bulkstat-v1' '--engine=bulkstat --jobs=1' \
	'--engine=bulkstat --jobs=9' '--engine=walk --jobs=1' '--engine=walk --jobs=9' \
	'--engine=device' '--engine=device --jobs=1' '--engine=device --jobs=9' \
	'--engine=device --freeze' '--engine=device --log-fault=late'; do
	# shellcheck disable=SC2086 # two options
	scan "$variant" $variant
	cells "$id" >"$work/cells.other"
	same "$variant: the same in every cell" "$work/cells.other" "$work/cells"
done
scan auto
is 'auto takes the device' "$(jq -r .engine "$out")" device
cells "$id" >"$work/cells.other"
same 'auto: the same in every cell' "$work/cells.other" "$work/cells"

# Any path on the filesystem will do for both, and they say that they count more than asked for.
for engine in device bulkstat; do
	run scan --db="$db" --engine=$engine --format=json "$work/xfs/sizes"
	is "$engine from a folder: exit status" "$status" 0
	like "$engine from a folder: it says so" "$(jq -r .engine_reason "$out")" "whole filesystem at $work/xfs"
	cells "$(jq .scan_id "$out")" >"$work/cells.other"
	same "$engine from a folder: the whole filesystem" "$work/cells.other" "$work/cells"
done
run scan --db="$db" --engine=walk --format=json "$work/xfs/sizes"
is 'walk of a folder: that tree alone' "$(jq .regular_files "$out")" \
	"$(find "$work/xfs/sizes" -type f | wc -l)"

# A remount elsewhere is the same filesystem.
umount "$work/xfs" && mkdir "$work/other" && mount -o loop "$work/xfs.img" "$work/other"
run scan --db="$db" --engine=bulkstat --format=json "$work/other"
cells "$(jq .scan_id "$out")" >"$work/cells.other"
same 'after a remount: the same in every cell' "$work/cells.other" "$work/cells"
is 'after a remount: known as the same filesystem' \
	"$(sql 'SELECT count(*) FROM v_filesystem')" 1

run report --db="$db"
is 'the first screen: exit status' "$status" 0
like 'the first screen: the first line is the answer' "$(head -n 1 "$out")" '159 files.* tiny .*uid 41'
like 'the first screen: names the filesystem' "$(cat "$out")" "$work/other"
# Cron and rescue systems have no UTF-8: texts that hold more than ASCII must still come out.
for report in summary users groups projects classes ages; do
	status=0
	LC_ALL=C timeout 20 "$XFSCENSUS" report "$report" --db="$db" >"$out" || status=$?
	is "report $report in the C locale: exit status" "$status" 0
	ok "report $report in the C locale: it says something" test -s "$out"
done
run scan --db="$db" --engine=bulkstat --quiet --format=text "$work/other"
is 'a scan without news is silent on standard error' "$err" ''
done_testing
