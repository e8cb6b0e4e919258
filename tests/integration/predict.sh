#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# calibrate and predict against a real xfsdump where a few big files hold nearly all of the bytes,
# and what is said and stored where a sample is not to be had. Durations are held to their order of
# magnitude only: whatever else runs on the machine must not fail a test.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_xfs
need_commands xfsdump xfs_db blkid

# Keeps sync(2), by which a dump waits for all filesystems of the machine, out of it.
nosync=$work/nosync.so
printf 'void sync(void) {}' | ${CC:-cc} -shared -fPIC -x c -o "$nosync" - 2>/dev/null || nosync=

cold() { # NAME: nothing of it in memory
	umount "$work/$1" && sync "$work/$1.img" &&
		dd if="$work/$1.img" iflag=nocache count=0 status=none && # drops what is cached of it
		mount -o loop,noatime "$work/$1.img" "$work/$1"
}

dump_seconds() { # NAME
	local start
	start=$(date +%s%N)
	LD_PRELOAD=$nosync xfsdump -J -l 0 -L test -M test -f /dev/null "$work/$1" >"$work/dump.log" 2>&1 ||
		diag "$(cat "$work/dump.log")"
	echo $((($(date +%s%N) - start) / 1000000))
}

# NAME PREDICTED ACTUAL FACTOR: milliseconds, within a factor of each other; a tenth of a second is
# granted both.
of_the_order() {
	local status=0
	((($2 + 100) * $4 >= $3 && $2 <= ($3 + 100) * $4)) || status=1
	tap_result "$status" "$1" || diag "predicted $2 ms, took $3 ms"
}

calibrations() {
	sql 'SELECT count(*) FROM v_calibration'
}

# against_dump NAME: scan, calibrate and predict cold, then dump.
against_dump() {
	local name=$1 m=$work/$1 actual
	cold "$name"
	run scan --db="$db" --engine=bulkstat "$m"
	cold "$name"
	run calibrate --db="$db" --budget=20s --quiet --format=json "$m"
	is "$name: calibrate: exit status" "$status" 0
	cp "$out" "$work/calibration.json"
	run predict --db="$db" --fs="$m" --format=json
	is "$name: predict: exit status" "$status" 0
	cp "$out" "$work/prediction.json"
	cold "$name"
	actual=$(dump_seconds "$name")
	of_the_order "$name: the dump takes about as long" \
		"$(jq '.seconds * 1000 | floor' "$work/prediction.json")" "$actual" 12
	is "$name: the calibration is named" \
		"$(jq -c '[.calibration_id, .calibrated, .calibration_device, .sampled_files]' "$work/prediction.json")" \
		"$(jq -c '[.calibration_id, .started, .device, .sampled_files]' "$work/calibration.json")"
}

# --- thousands of tiny files, two big ones ------------------------------------------------------
make_xfs tiny 1G || skip_all 'no filesystem'
mkdir "$work/tiny/d"
(cd "$work/tiny/d" && seq 3000 | split -l 1 -a 4)
head -c 400M /dev/urandom >"$work/tiny/big" && head -c 60M /dev/urandom >"$work/tiny/less"
against_dump tiny
is 'tiny: both big files are priced by themselves' \
	"$(jq -c '[.rows[] | select(.class >= 21) | [.class, .sampled_files]]' "$work/calibration.json")" \
	'[[26,1],[29,1]]'
ok 'tiny: more than the first piece of the big one is read' \
	jq -e '.rows[] | select(.class == 29) | .sampled_bytes > 50000000' "$work/calibration.json"
ok 'tiny: tiny files do not make it the hours that their rate would' \
	jq -e '.classes[] | select(.class == 29) | .seconds < 60' "$work/prediction.json"

# --- nothing but empty files below them ---------------------------------------------------------
make_xfs empties 1G
mkdir "$work/empties/d"
(cd "$work/empties/d" && seq 2500 | xargs touch)
head -c 400M /dev/urandom >"$work/empties/big"
against_dump empties
ok 'empties: the big file costs something' \
	jq -e '.classes[] | select(.class == 29) | .seconds > 0.01' "$work/prediction.json"

# --- a single file ------------------------------------------------------------------------------
make_xfs single 1G
head -c 400M /dev/urandom >"$work/single/big"
against_dump single

# --- no sample: nothing is stored, and it says why ----------------------------------------------
before=$(calibrations)
run calibrate --db="$db" --budget=0.000001s "$work/tiny"
failed_clearly 'no time' 2 'budget of .* was used up before a file was read.*--budget'
# Another test, or the kernel for want of memory, may drop what was cached just now: then once more.
for ((i = 0; i < 5; i++)); do
	before=$(calibrations)
	cat "$work/single/big" >/dev/null
	run calibrate --db="$db" --budget=20s "$work/single"
	[ "$status" = 0 ] || break
done
failed_clearly 'all in the page cache' 2 'page cache.*drop_caches'
is 'a calibration without a sample is not stored' "$(calibrations)" "$before"
run predict --db="$db" --fs="$work/tiny" --format=json
is 'the good calibration is still the one' "$status $(jq .calibration_id "$out")" "0 1"

# A file came after the calibration that it says nothing of: no advice that leads in circles.
make_xfs later 1G
(cd "$work/later" && seq 500 | split -l 1 -a 4)
cold later
run calibrate --db="$db" --budget=20s "$work/later"
is 'later: calibrate: exit status' "$status" 0
head -c 200M /dev/urandom >"$work/later/big"
run scan --db="$db" --engine=bulkstat "$work/later"
run predict --db="$db" --fs="$work/later"
failed_clearly 'a calibration without any big file' 2 \
	'calibration [0-9]+ of .*/later: no file of about 128 MiB was sampled'
run report --db="$db" --fs="$work/later"
like 'the first screen says why there is no window' "$(cat "$out")" 'No backup window: calibration'

# A database that holds useless calibrations, newer than the good one.
id=$(sqlite3 "$db" "INSERT INTO calibration (filesystem_id, started_seconds, seconds,
	budget_seconds, cpu_seconds, seed, inodes, runs, runs_in_all, picked_files, cached_files,
	skipped_files) SELECT filesystem_id, started_seconds, seconds, budget_seconds, cpu_seconds, seed,
	inodes, 0, runs_in_all, 0, cached_files, skipped_files FROM calibration WHERE calibration_id = 1;
	SELECT max(calibration_id) FROM calibration")
ok 'a calibration without files was put in' test "$id" -gt 1
run predict --db="$db" --fs="$work/tiny" --format=json
is 'the newest usable calibration is taken' "$status $(jq .calibration_id "$out")" "0 1"
sqlite3 "$db" 'PRAGMA ignore_check_constraints = on;
	UPDATE calibration SET runs = 4294967295 WHERE calibration_id = 1'
run predict --db="$db" --fs="$work/tiny"
failed_clearly 'a damaged number of runs' 2 'damaged'

# --- budgets beyond reason ----------------------------------------------------------------------
make_xfs patient 300M
for i in {1..30}; do mkdir "$work/patient/d$i" && echo "$i" >"$work/patient/d$i/f"; done
(cd "$work/patient/d1" && seq 400 | split -l 1 -a 4)
cold patient
run calibrate --db="$db" --budget=1000000000000s "$work/patient"
is 'a budget beyond a week: exit status' "$status" 64
run calibrate --db="$db" --budget=1w --format=json "$work/patient"
is 'a week: exit status' "$status" 0
is 'a week: every directory is read' \
	"$(jq '.passes[] | select(.pass == "directories") | .units' "$out")" 31

# --- nothing to dump ----------------------------------------------------------------------------
make_xfs bare 300M
run scan --db="$db" --engine=bulkstat "$work/bare"
run calibrate --db="$db" --budget=20s "$work/bare"
is 'an empty filesystem: calibrate: exit status' "$status" 0
run predict --db="$db" --fs="$work/bare" --format=json
is 'an empty filesystem: predict' "$status $(jq .files "$out")" '0 0'

# --- damage -------------------------------------------------------------------------------------
# far from the root directory, without which nothing can be mounted
ino=$(find "$work/patient/d1" -type f -printf '%i\n' | sort -n | tail -n 1)
umount "$work/patient"
xfs_db -x -c "inode $ino" -c 'write -d core.magic 0' "$work/patient.img" >/dev/null
mount -o loop,noatime "$work/patient.img" "$work/patient"
run calibrate --db="$db" --budget=20s "$work/patient"
failed_clearly 'a damaged inode' 2 'in use from number [0-9]+ on.*cannot be read.*xfsdump would fail.*xfs_repair'
near=$(sed -n 's/.*from number \([0-9]*\) on.*/\1/p' "$work/err")
ok 'a damaged inode: it says where' test "${near:-0}" -le "$ino" -a "$((ino - ${near:-0}))" -lt 64
# shellcheck disable=SC2016 # the inner shell expands
ok 'a damaged inode: xfsdump does fail there' \
	bash -c '! xfsdump -J -l 0 -L t -M t -f /dev/null "$0" >"$1" 2>&1 || ! grep -q "Dump Status: SUCCESS" "$1"' \
	"$work/patient" "$work/dump.log"
run scan --db="$db" --engine=bulkstat "$work/patient"
is 'a damaged inode: the scan goes on' "$status" 1
run predict --db="$db" --fs="$work/patient" --format=json
is 'a damaged inode: predict says what is missing' \
	"$status $(jq '.errors > 0 and .unread_inodes > 0' "$out")" '0 true'
run predict --db="$db" --fs="$work/patient"
like 'a damaged inode: in text as well' "$(cat "$out")" 'Too low: the scan met .*not in it'
done_testing
