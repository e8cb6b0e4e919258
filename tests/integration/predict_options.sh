#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What predict tells of dumps other than a whole one, against the real xfsdump: -e, -A, -z, a level
# above 0, several streams. xfsdump's own estimate has every inode and block in it, so that meeting it
# to the byte says that just the right inodes were counted.
# shellcheck disable=SC2016 # jq and inner shells have variables of their own
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands xfsdump xfs_io setfattr unshare

# xfsdump with an inventory of the test's own.
dump() { # OPTION…
	mkdir -p "$work/inventory" /var/lib/xfsdump
	in_namespace sh -c 'mount --bind "$0" /var/lib/xfsdump && exec "$@"' \
		"$work/inventory" xfsdump -v verbose -L test -M test "$@" >"$work/dump.log" 2>&1 ||
		diag "$(tail -n 5 "$work/dump.log")"
}

told() { # JQ-EXPRESSION
	jq -r "$1" "$work/told.json"
}

within() { # TOLD ACTUAL PER-MILLION
	local off=$((($1 - $2) * 1000000 / $2))
	diag "told $1, written $2 bytes, off by $off/1000000"
	[ "${off#-}" -le "$3" ]
}

# That the size is right to a thousandth (a half more where little is left: padding is known on average
# only), and xfsdump's own estimate to the byte.
against_dump() { # NAME FOLDER PREDICT-OPTIONS XFSDUMP-OPTIONS [PER-MILLION]
	local status=0
	# shellcheck disable=SC2086 # options are words
	"$XFSCENSUS" predict --db="$db" --fs="$2" --format=json $3 >"$work/told.json" || status=$?
	rm -f "$work/dump"
	# shellcheck disable=SC2086
	dump -f "$work/dump" $4 "$2"
	is "$1: predict: exit status" "$status" 0
	ok "$1: size" within "$(told .dump_bytes)" "$(stat -c %s "$work/dump")" "${5:-1000}"
	is "$1: what xfsdump itself estimates" "$(told .xfsdump_estimate_bytes)" \
		"$(sed -n 's/.*estimated dump size: \([0-9]*\) bytes/\1/p' "$work/dump.log")"
}

# --- what options leave out -----------------------------------------------------------------------
make_xfs options 700M || skip_all 'no filesystem'
m=$work/options
populate "$m" aged --inodes=5000 >/dev/null || skip_all 'cannot fill the filesystem'
find "$m" -type f | awk 'NR % 11 == 0' | xargs xfs_io -r -c 'chattr +d' 2>/dev/null
find "$m" -type f | awk 'NR % 9 == 0' | xargs setfattr -n user.k -v v
find "$m" -type f | awk 'NR % 33 == 0' | xargs setfattr -n user.large -v "$(printf '%04000d' 0)"
for i in 100 1000 1001 5000; do xfs_io -f -c "pwrite -q 0 ${i}k" "$m/kib-$i"; done
mkdir "$m/links" && (cd "$m/links" && seq 200 | xargs -I{} ln ../kib-100 'a name of some length {}')

umount "$m" && mount -o loop,noatime "$m.img" "$m" # nothing of it in the page cache
run scan --db="$db" --engine=device "$m"
is 'scan: exit status' "$status" 0
run calibrate --db="$db" --budget=20s "$m"
is 'calibrate: exit status' "$status" 0

against_dump 'level 0' "$m" '' '-J -l 0'
against_dump '-e' "$m" '--exclude-nodump' '-J -l 0 -e'
against_dump '-A' "$m" '--no-attrs' '-J -l 0 -A'
against_dump '-z, a power of two' "$m" '--max-size=1M' '-J -l 0 -z 1024' 1500
against_dump '-z, small' "$m" '--max-size=16K' '-J -l 0 -z 16' 1500
against_dump '-z, -e and -A' "$m" '--max-size=128K --exclude-nodump --no-attrs' '-J -l 0 -z 128 -e -A' 1500

# --- whoever counts -------------------------------------------------------------------------------
facts() { # SCAN-ID
	sql "SELECT range_shift, recent_shift, recent_from, entry_stream_bytes FROM dump_scan WHERE scan_id = $1;
		SELECT uid, flags, kind, size_class, allocation_class, inodes, allocated_bytes, extents, stream_bytes
		FROM dump_choice WHERE scan_id = $1 ORDER BY 1, 2, 3, 4, 5;
		SELECT axis, range, weight_bytes, hex(parts) FROM dump_range WHERE scan_id = $1 ORDER BY 1, 2"
}
run scan --db="$db" --engine=bulkstat "$m"
run scan --db="$db" --engine=device --jobs=1 "$m"
ok 'there is something to compare' test "$(facts 1 | wc -l)" -gt 100
is 'bulkstat notes the same for dumps as device' "$(facts 2 | sha256sum)" "$(facts 1 | sha256sum)"
is 'one thread notes the same' "$(facts 3 | sha256sum)" "$(facts 1 | sha256sum)"
parts() { # SCAN-ID
	sql "SELECT * FROM dump_part WHERE scan_id = $1" | cut -d'|' -f2-
}
ok 'there are sizes to compare' test "$(parts 1 | wc -l)" -gt 15
is 'one thread measures the same sizes' "$(parts 3)" "$(parts 1)"

# --- several streams ------------------------------------------------------------------------------
"$XFSCENSUS" predict --db="$db" --fs="$m" --format=json --streams=2 >"$work/told.json"
dump -J -l 0 -f "$work/dump-0" -f "$work/dump-1" "$m"
is 'streams: two of them' "$(told '.streams | length')" 2
for i in 0 1; do
	ok "stream $i: size within 2 %" within "$(told ".streams[$i].dump_bytes")" \
		"$(stat -c %s "$work/dump-$i")" 20000
done
ok 'streams: their sizes add up' within "$(told .dump_bytes)" \
	"$(cat "$work/dump-0" "$work/dump-1" | wc -c)" 1000
diag "starts at inode $(told '.streams[1].first_inode'): $(grep 'stream 1: ino' "$work/dump.log")"
rm "$work/dump-0" "$work/dump-1"

# --- a level above 0 ------------------------------------------------------------------------------
rm -f "$work/dump"
dump -l 0 -f "$work/dump" "$m"
base=$(date -d "$(sed -n 's/.*dump date: //p' "$work/dump.log")" +%s)
sleep 1.1
find "$m" -type f -size -64k | sort | awk 'NR % 17 == 0' | xargs -I{} sh -c 'echo more >>"$1"' sh {}
mkdir "$m/new" && (cd "$m/new" && seq 300 | split -l 1 -a 4)
find "$m" -type f -name '*[05]' | sort | head -n 20 | xargs rm -f
sync "$m"
run scan --db="$db" --engine=device "$m"
"$XFSCENSUS" predict --db="$db" --fs="$m" --format=json --since="@$base" >"$work/told.json"
rm "$work/dump"
dump -J -l 1 -f "$work/dump" "$m"
is 'level 1: files' "$(told .files)" "$(find "$m" -type f -newerct "@$base" -printf '%i\n' | sort -u | wc -l)"
# Directories on the way are known; what is left is chance in the padding before data of 32 KiB and more.
padded=$(find "$m" -type f -newerct "@$base" -size +31k | wc -l)
ok 'level 1: size within 0.1 % and chance' within "$(told .dump_bytes)" "$(stat -c %s "$work/dump")" \
	"$(awk -v n="$padded" -v bytes="$(stat -c %s "$work/dump")" 'BEGIN { printf "%d", 1000 + 2.6 * 1200 * sqrt(n) * 1e6 / bytes }')"
is 'level 1: the level is told' "$(told .level)" 1
run predict --db="$db" --fs="$m" --level=3
failed_clearly 'a level whose base is not known' 2 'say since when'
run predict --db="$db" --fs="$m" --since="@$(($(date +%s) + 5))"
failed_clearly 'a base after the scan' 2 'older than the base.*scan again'
run predict --db="$db" --fs="$m" --since=tomorrow
failed_clearly 'a time that is none' 64 'since.*no time'

# --- what it would be if --------------------------------------------------------------------------
run predict --db="$db" --fs="$m" --format=json --sink=rate:1M --sink=null --pack=user:0 --without=user:4294967294
is 'what if: the rows' "$(jq -c '[.variants[].name]' "$out")" \
	'["as is","--without=user:4294967294","--pack=user:0","--sink=null","all together"]'
is 'what if: a slow sink holds it back' "$(jq -r '.bottleneck' "$out")" sink
ok 'what if: shares add up' jq -e '([.shares[].seconds] | add) as $all | (.seconds - $all) * 1000 | fabs < 1' "$out"
ok 'what if: phases add up' jq -e '([.phases[].seconds] | add) as $all | (.seconds - $all) * 1000 | fabs < 1' "$out"
ok 'what if: users add up' jq -e '([.users[].seconds] | add) as $all | (.seconds - $all) * 1000 | fabs < 1' "$out"
ok 'what if: without the sink it is short' jq -e '.variants[3].seconds < .variants[0].seconds / 2' "$out"
ok 'what if: packing leaves fewer files' jq -e '.variants[2].files < .variants[0].files' "$out"
run predict --db="$db" --fs="$m" --format=csv --streams=1 --streams=4
is 'what if: as CSV' "$(cut -d, -f1 "$out" | tr '\n' ' ')" 'name as is --streams=4 '

# --- doubts ---------------------------------------------------------------------------------------
# Mounted again, from another loop device of the same image: the old one shows something else by now.
umount "$m" && truncate -s 1M "$work/other" && attach "$work/other" >/dev/null && mount -o loop,noatime "$m.img" "$m"
run predict --db="$db" --fs="$m"
is 'doubts: none where only the name of the device changed' \
	"$(tr '\n' ' ' <"$out" | grep -oE 'another +device')" ''
sqlite3 "$db" "UPDATE calibration SET device_identity = CAST('another disk' AS BLOB), inodes = 7"
run predict --db="$db" --fs="$m"
like 'doubts: another device' "$(tr '\n' ' ' <"$out")" 'Doubtful: the calibration is of another device, another +disk'
like 'doubts: another filesystem, as it were' "$(tr '\n' ' ' <"$out")" 'Doubtful: the filesystem had 7 inodes'

for wrong in '--sink=rate:' '--streams=0' '--streams=21' '--pack=group:0' '--pack=user:0:below=3' \
	'--without=nobody' '--without=user:no such user' '--max-size=100000' '--level=10'; do
	run predict --db="$db" --fs="$m" "$wrong"
	is "wrong usage: $wrong" "$status" 64
done
done_testing
