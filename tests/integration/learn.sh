#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# learn from what a real xfsdump prints: level 0 and 1, two streams, interrupted, and what a user may
# hand over by mistake. A small dump takes no time, and xfsdump counts whole seconds: so its clock
# runs a hundred times as fast, and the calibration is of an array a hundred times as slow.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_xfs
need_commands xfsdump unshare
speed=100

# Keeps sync(2) out of it, which waits for all filesystems of the machine.
cat >"$work/clock.c" <<END
#include <time.h>
#include <unistd.h>
void sync(void) {}
time_t time(time_t *seconds)
{
	static double start;
	struct timespec now;
	double at;

	clock_gettime(CLOCK_REALTIME, &now);
	at = now.tv_sec + now.tv_nsec / 1e9;
	if (start == 0)
		start = at;
	at = start + (at - start) * $speed;
	if (seconds)
		*seconds = at;
	return at;
}
END
"${CC:-cc}" -shared -fPIC -o "$work/clock.so" "$work/clock.c" 2>"$work/err" || skip_all "no compiler: $(cat "$work/err")"

# xfsdump with that clock and an inventory of its own.
mkdir "$work/inventory"
mkdir -p /var/lib/xfsdump
dump() { # LOG ARGUMENT…
	local log=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands
	LD_PRELOAD=$work/clock.so in_namespace bash -c \
		'mount --bind "$1" /var/lib/xfsdump && shift && exec xfsdump "$@"' - \
		"$work/inventory" -F -L test -M test "$@" >>"$log" 2>&1
}

row() { # JQ-FILTER
	jq -r ".rows[0] | $1" "$out"
}

make_xfs home 300M || skip_all 'no filesystem'
m=$work/home
mkdir "$m/d"
(cd "$m/d" && seq 4000 | split -l 1 -a 4)
head -c 30M /dev/urandom >"$m/big"

again() { # nothing of it in memory
	umount "$m" && mount -o loop,noatime "$m.img" "$m"
}

# --- before anything is known -------------------------------------------------------------------
again
dump "$work/log0" -l 0 -f "$work/dump0" "$m"
run learn --db="$db" "$work/log0"
is 'unknown filesystem: exit status' "$status" 1
like 'unknown filesystem: it says what to do' "$(cat "$out")" 'not stored: no scan is known of .*/home'

run scan --db="$db" --engine=bulkstat "$m"
run learn --db="$db" --format=json "$work/log0"
is 'no calibration: exit status' "$status" 0
is 'no calibration: stored all the same' \
	"$(row '[.lesson, .remark] | join(": ")')" 'unpredicted: not learned: there is no calibration of it'
again
run calibrate --db="$db" --budget=3s --quiet "$m"
is 'calibrate: exit status' "$status" 0
sql "UPDATE calibration_cell SET file_seconds = $speed * file_seconds, data_seconds = $speed * data_seconds;
	UPDATE calibration_pass SET seconds = $speed * seconds"

# --- level 0 ------------------------------------------------------------------------------------
run learn --db="$db" --format=json "$work/log0"
is 'level 0: exit status' "$status" 0
is 'level 0: what the log says' \
	"$(row '[.level, .status, .streams, .mount_point, .known] | join(" ")')" "0 SUCCESS 1 $m 0"
is 'level 0: the size of the dump' "$(row .media_bytes)" "$(stat -c %s "$work/dump0")"
ok 'level 0: and about that was predicted' \
	jq -e '.rows[0] | .predicted_bytes / .media_bytes - 1 | . < 0.01 and . > -0.01' "$out"
is 'level 0: the id is that of the log' \
	"$(row .session_id)" "$(sed -n 's/^xfsdump: session id: //p' "$work/log0")"
is 'level 0: the date is that of the log' \
	"$(row .started)" "$(sed -n 's/^xfsdump: dump date: //p' "$work/log0" | date -u -f - +%Y-%m-%dT%H:%M:%SZ)"
is 'level 0: its scan and calibration' "$(row '[.scan_id, .calibration_id] | join(" ")')" '1 1'
is 'level 0: learned' "$(row .lesson) $(jq .learned "$out")" 'learned 1'
error=$(row .error)
ok 'level 0: what follows' jq -e '.corrections[0] | .lessons == 1 and .correction_factor != 1' "$out"

cat "$work/log0" "$work/log0" >"$work/twice"
run learn --db="$db" --format=json - <"$work/twice"
is 'nothing on standard input: exit status' "$status" 2
status=0
"$XFSCENSUS" learn --db="$db" --format=json - <"$work/twice" >"$out" || status=$?
is 'the same log again: exit status' "$status" 0
is 'the same log again: known' "$(jq -c '[.dumps, .known]' "$out")" '[2,2]'
is 'the same log again: one dump' "$(sql 'SELECT count(*) FROM v_dump')" 1

# --- predict shows it ---------------------------------------------------------------------------
run predict --db="$db" --format=json
is 'predict: exit status' "$status" 0
is 'predict: the past error' "$(jq '.history[0].error' "$out")" "$error"
is 'predict: how many dumps' "$(jq .history_dumps "$out")" 1
# shellcheck disable=SC2016 # jq expands
ok 'predict: half the way at most' jq -e '
	(.seconds / .uncorrected_seconds) as $factor
	| (1 / (1 + .history[0].error)) as $actual
	| ($factor - .correction_factor | fabs) < 1e-9
	and ($factor | log | fabs) <= ($actual | log | fabs) / 2 + 1e-9' "$out"
# shellcheck disable=SC2016 # jq expands
ok 'predict: phases still add up' \
	jq -e '.seconds as $all | [.phases[].seconds] | add / $all | . > 0.999 and . < 1.001' "$out"
run predict --db="$db"
like 'predict: in words' "$(cat "$out")" 'Corrected from .*: last dump: error [-+×]?[0-9]'

run predict --db="$db" --sink=rate:80M --format=json
is 'predict: nothing is known of dumps elsewhere' \
	"$(jq -c '[.history_dumps, .correction_factor, (.history | length)]' "$out")" '[0,1,0]'
run predict --db="$db" --level=1 --format=json
is 'predict: a level 1 starts from what was learned' \
	"$status $(jq -r .since "$out")" "0 $(sql 'SELECT started FROM v_dump WHERE level = 0')"

# --- rates that somebody knows ------------------------------------------------------------------
cat >"$work/rates.ini" <<'END'
[rates]
below 4K = 0.8 MB/s
4K-64K = 4 MB/s
from 64K = 40 MB/s
[sink]
rate = 80 MB/s
END
run predict --db="$db" --rates="$work/rates.ini" --format=json
is 'rates: exit status' "$status" 0
is 'rates: named, no calibration, no correction' \
	"$(jq -r '[.rates, .calibration_id, .correction_factor, .sink] | join(" ")' "$out")" \
	"$work/rates.ini  1 rate:80000000"
ok 'rates: 4000 tiny files are about 1104 bytes of the dump each' \
	jq -e '.classes[] | select(.class == 3) | .seconds / .files * 800000 | . > 1000 and . < 1200' "$out"
ok 'rates: the big one is 30 MiB at 40 MB/s' \
	jq -e '.classes[] | select(.class > 20) | .seconds * 40e6 / 31457280 | . > 0.99 and . < 1.02' "$out"
run predict --db="$db" --rates="$work/rates.ini"
like 'rates: in words' "$(cat "$out")" 'By the rates in .*rates.ini, not by a calibration'
run predict --db="$db" --rates=- --format=json <"$work/rates.ini"
failed_clearly 'rates: run gives no standard input' 2 '\[rates\] has none'
sed 's/40 MB/40 Mb/' "$work/rates.ini" >"$work/bad.ini"
run predict --db="$db" --rates="$work/bad.ini"
failed_clearly 'rates: a unit that is none' 2 'bad.ini:4: \[rates\] from 64K: "40 Mb/s"'

# --- level 1, two streams -----------------------------------------------------------------------
touch "$m/d/x"*
dump "$work/log1" -l 1 -f "$work/dump1a" -f "$work/dump1b" "$m"
run learn --db="$db" --format=json "$work/log1"
is 'level 1: exit status' "$status" 0
is 'level 1: what the log says' \
	"$(row '[.level, .status, .streams] | join(" ")')" '1 SUCCESS 2'
is 'level 1: based on level 0' "$(row .base_started)" "$(sql 'SELECT started FROM v_dump WHERE level = 0')"
ok 'level 1: predicted' jq -e '.rows[0].predicted_seconds > 0' "$out"
is 'level 1: the size of both' "$(row .media_bytes)" "$(cat "$work"/dump1? | wc -c)"

# --- interrupted --------------------------------------------------------------------------------
: >"$work/log2"
mkfifo "$work/fifo"
head -c 8M <"$work/fifo" >"$work/end" &
reader=$!
dump "$work/log2" -J -l 0 -f "$work/fifo" "$m"
wait "$reader"
run learn --db="$db" --format=json "$work/log2"
is 'interrupted: exit status' "$status" 0
is 'interrupted: stored, not learned' "$(row '[.status, .lesson] | join(" ")')" 'INTERRUPT failed'

# --- logs that are none -------------------------------------------------------------------------
: >"$work/empty"
run learn --db="$db" "$work/empty"
failed_clearly 'an empty file' 2 'empty is empty'
run learn --db="$db" "$work"
failed_clearly 'a directory' 2 'directory'
run learn --db="$db" "$work/nowhere"
failed_clearly 'no such file' 2 'cannot open .*nowhere'
run learn --db="$db" "$work/clock.so"
failed_clearly 'a binary' 2 'holds no dump.*any verbosity but silent'
run learn --db="$db" "$work/empty" "$work/log0"
is 'one of two is empty: exit status' "$status" 1
like 'one of two is empty: it says so' "$err" 'empty is empty'
run learn --db="$db" --sink=tape "$work/log0"
is 'a sink that is none: exit status' "$status" 64
sed -n 's/session id: ..../session id: ffff/; 1,10p' "$work/log0" >"$work/cut"
run learn --db="$db" "$work/cut"
is 'a log that is cut: exit status' "$status" 1

# --- a log of another machine -------------------------------------------------------------------
sed "s/ of [^ :]*:/ of elsewhere.example:/; s/session id: ..../session id: 0000/" "$work/log0" >"$work/moved"
run learn --db="$db" "$work/moved"
is 'another host: exit status' "$status" 1
like 'another host: which filesystem?' "$(cat "$out")" 'dumped on elsewhere.example.*--fs'
run learn --db="$db" --fs="$m" --format=json "$work/moved"
is 'another host, told: learned' "$status $(row .lesson)" '0 learned'
other=01234567-89ab-cdef-0123-456789abcdef
sql "INSERT INTO filesystem (fs_id, fs_type) VALUES ('$other', 'xfs')"
sed "s/session id: ..../session id: 1111/; /level 0 dump/axfsdump: fs /srv/other uuid [$other]" "$work/moved" >"$work/other"
run learn --db="$db" --fs="$m" "$work/other"
is 'the UUID of another filesystem: exit status' "$status" 1
like 'the UUID of another filesystem: not taken for that of --fs' "$(tr -s '\n ' ' ' <"$out")" \
	"not stored: its log says that it is of filesystem $other"
is 'the UUID of another filesystem: not stored' \
	"$(sql "SELECT count(*) FROM dump_session WHERE session_id LIKE '1111%'")" 0
run learn --db="$db" "$work/other"
is 'the UUID of another filesystem: it is of that' "$(sql "SELECT f.fs_id FROM dump_session AS d
	JOIN filesystem AS f USING (filesystem_id) WHERE d.session_id LIKE '1111%'")" "$other"
sed -n '/session id/d; p' "$work/log0" >"$work/filtered"
dumps=$(sql 'SELECT count(*) FROM dump_session')
run learn --db="$db" --format=json "$work/filtered"
is 'the same log without its session id: known' "$status $(jq -c '[.dumps, .known]' "$out")" '0 [1,1]'
is 'the same log without its session id: not counted twice' "$(sql 'SELECT count(*) FROM dump_session')" "$dumps"
run learn --db="$db" --fs=/nowhere "$work/moved"
failed_clearly 'a filesystem that is none' 2 '/nowhere'
done_testing
