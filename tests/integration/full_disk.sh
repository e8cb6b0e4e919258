#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The disk that holds the database fills up: a clear error, and nothing lost of what was there.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs

fill_but() { # KIB
	local free
	free=$(df --output=avail -k "$work/small" | tail -n 1)
	rm -f "$work/small/filler"
	head -c $(((free - $1) * 1024)) /dev/zero >"$work/small/filler"
}

# What the user can ask of the first scan, as it stands in the report.
first_scan() {
	"$XFSCENSUS" report users --db="$db" --scan=1 --format=csv
}

make_xfs xfs 500M || skip_all 'no filesystem'
populate "$work/xfs" odd
mkdir "$work/small"
mount -t tmpfs -o size=8M tmpfs "$work/small" || skip_all 'no tmpfs'
db=$work/small/census.db
run scan --db="$db" --engine=bulkstat --quiet "$work/xfs"
is 'a first scan is stored' "$status" 0
first_scan >"$work/before"
ok 'it has rows' grep -q 4100 "$work/before"

failures=0
shown=0
for kib in 0 4 16 32 48 64 96; do
	fill_but "$kib"
	run scan --db="$db" --engine=bulkstat --quiet --format=json "$work/xfs"
	if [ "$status" -ne 0 ]; then
		failures=$((failures + 1))
		# with too little space even to open the database, there is no scan to show
		if [ -s "$out" ]; then
			shown=$((shown + 1))
			not_stored "$kib KiB left" 'full|[Nn]o space'
		else
			failed_clearly "$kib KiB left" 2 'full|[Nn]o space'
		fi
	fi
	rm -f "$work/small/filler"
	is "$kib KiB left: the database is whole" "$(sql 'PRAGMA integrity_check')" ok
	first_scan >"$work/after"
	same "$kib KiB left: the first scan is as it was" "$work/after" "$work/before"
done
ok 'the disk was full at least once' test "$failures" -gt 0
ok 'and once with a scan to show' test "$shown" -gt 0
run scan --db="$db" --engine=bulkstat --quiet "$work/xfs"
is 'with space again, a scan is stored' "$status" 0

# A new database on a full disk, and a report that cannot be written.
fill_but 0
run scan --db="$work/small/new.db" --engine=bulkstat --quiet "$work/xfs"
failed_clearly 'a new database on a full disk' 2 'full|[Nn]o space'
run report users --db="$db" --output=/dev/full
failed_clearly 'a report to a full disk' 2 'No space'
done_testing
