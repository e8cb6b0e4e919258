#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sizes up to 2^63 - 1, 70 000 links, times before 1970 and far ahead, the highest owner: counted
# right by every engine, stored, and reported without an overflow.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs

make_xfs xfs 500M || skip_all 'no filesystem'
populate "$work/xfs" extreme >/dev/null || skip_all 'cannot fill the filesystem'

for engine in device bulkstat walk; do # device first: nothing was written to its place yet
	run scan --db="$db" --engine=$engine --format=json "$work/xfs"
	is "$engine: exit status" "$status" 0
	is "$engine: inodes as find sees them" "$(jq .inodes "$out")" \
		"$(find "$work/xfs" -xdev -printf '%i\n' | sort -u | wc -l)"
	cells "$(jq .scan_id "$out")" >"$work/$engine"
	ok "$engine: there are cells" test -s "$work/$engine"
done
same 'bulkstat and walk agree in every cell' "$work/walk" "$work/bulkstat"
same 'device and walk agree in every cell' "$work/walk" "$work/device"

find "$work/xfs" -xdev -type f -printf '%i %s\n' | sort -u | awk '$2 >= 2^62 {print $1}' | wc -l >"$work/expected"
sql "SELECT sum(inodes) FROM v_cell WHERE scan_id = 1 AND kind = 'regular' AND size_class = 63" >"$work/actual"
same 'files of 4 EiB and more are in their class' "$work/actual" "$work/expected"
is 'the sum of their sizes stops at 2^63 - 1' "$(sql 'SELECT bytes FROM v_scan WHERE scan_id = 1')" 9223372036854775807
is 'inodes of all ages' "$(sql 'SELECT sum(inodes) FROM v_age WHERE scan_id = 1')" \
	"$(sql 'SELECT inodes FROM v_scan WHERE scan_id = 1')"

for report in summary users groups projects classes ages; do
	for format in text json csv; do
		run report $report --db="$db" --format=$format
		is "$report as $format: exit status" "$status" 0
		is "$report as $format: no negative number" "$(grep -cE '(^|[ ,:])-[0-9]' "$out")" 0
	done
done
done_testing
