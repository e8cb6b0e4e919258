#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What calibrate says besides the cost of files: of the array as such, held against fio and dd, of
# sinks, of others at work, and of what was in memory; and what can go wrong with each.
. "${top_srcdir:?}/tests/integration/lib.sh"
# shellcheck source=tests/lab/lib.sh
. "$top_srcdir/tests/lab/lib.sh"
need_xfs

finish() {
	array_end
	work_cleanup
}

calibrate() { # ARGUMENT…: under the array's limits, if it has any
	status=0
	out=$work/out
	array_within timeout 120 "$XFSCENSUS" calibrate --db="$db" --quiet --format=json "$@" \
		>"$out" 2>"$work/err" </dev/null || status=$?
	err=$(cat "$work/err")
}

# Files of 3000 bytes.
many_files() { # FOLDER COUNT
	head -c $(($2 * 3000)) /dev/urandom | split -b 3000 -a 4 - "$1/f"
}

stored() {
	sql 'SELECT count(*) FROM v_calibration'
}

# reading PATTERN BYTES: bytes a second, as a whole number
reading() { # PATTERN BYTES [AT-ONCE]
	jq ".array[] | select(.pattern == \"$1\" and .read_bytes == $2 and .at_once == ${3:-1}) |
		.bytes_per_second | floor" "$out"
}

# Within a factor of 3: the bench `array` has the figures, whatever else runs must not fail a test.
near() { # GOT WANTED
	echo "# $1 against $2"
	[ "$1" -le $((3 * $2)) ] && [ "$2" -le $((3 * $1)) ]
}

fio_rate() { # PATTERN BYTES
	array_within fio --name=read --filename="$array_device" --readonly --direct=1 --ioengine=psync \
		--iodepth=1 --rw="$1" --bs="$2" --time_based --runtime=1 --norandommap --randrepeat=0 \
		--output-format=json | jq '.jobs[0].read.bw_bytes'
}

# Reads and bytes that a cgroup lets through are the same for whoever asks for them.
against_others() {
	local bytes=$((1 << 20)) start_ns
	calibrate --budget=8s "$array_mount_point"
	is 'throttled: exit status' "$status" 0
	is 'throttled: eight readings' "$(jq '.array | length' "$out")" 8
	# shellcheck disable=SC2016 # jq's
	ok 'its own reads, several at once among them, are not taken for those of others' \
		jq -e '([.array[] | select(.at_once > 1) | .read_bytes * .reads] | add) as $several |
			$several > 0 and .others_read_bytes < $several / 2' "$out"
	ok 'random reads are what fio says' near "$(reading random 4096)" "$(fio_rate randread 4096)"
	ok 'large random reads too' near "$(reading random $bytes)" "$(fio_rate randread $bytes)"
	ok 'eight readers share what there is' near "$(reading random 4096 8)" "$(reading random 4096)"
	start_ns=$(date +%s%N)
	array_within dd if="$array_device" of=/dev/null bs=1M count=30 iflag=direct status=none
	ok 'sequential reads are what dd says' near "$(reading sequential $bytes)" \
		$((30 * bytes * 1000 / (($(date +%s%N) - start_ns) / 1000000)))
	is 'they are stored' "$(sql 'SELECT count(*) FROM v_calibration_reading WHERE bytes_per_second > 0
		AND calibration_id = (SELECT max(calibration_id) FROM v_calibration)')" 8
}

# Only the second time are inodes and directories in memory, unless somebody drops all caches just
# then; both times they have their price.
what_was_in_memory() {
	local cold
	cold=$(jq -c '[.passes[] | select(.pass == "inode-map") | .seconds, .assumed_seconds]' "$out")
	for _ in 1 2 3; do
		calibrate --budget=4s "$array_mount_point"
		! jq -e '.passes[] | select(.pass == "inode-map") | .assumed_seconds > 0' "$out" >/dev/null || break
	done
	diag "cold $cold, then $(jq -c '.passes[0]' "$out")"
	ok 'cold, nothing is assumed' jq -en "$cold | .[1] == 0"
	ok 'what was in memory is put at what the device takes' jq -e \
		"(.passes[] | select(.pass == \"inode-map\")) as \$map | \$map.assumed_seconds > 0 and
		\$map.seconds > ($cold)[0] / 10 and \$map.seconds < ($cold)[0] * 10" "$out"
}

others_at_work() {
	while :; do dd if="$array_device" of=/dev/null bs=1M count=100 iflag=direct status=none; done &
	calibrate --budget=2s --format=text "$array_mount_point"
	kill $!
	wait $! 2>/dev/null
	like 'what others read is said' "$(cat "$out")" 'Others used the disk meanwhile \(read'
	ok 'and stored' test "$(sql 'SELECT others_read_bytes FROM v_calibration
		ORDER BY calibration_id DESC LIMIT 1')" -gt 20000000
}

nice() {
	calibrate --budget=3s --nice "$array_mount_point"
	is 'nice: exit status, and it is told' "$status $(jq .nice "$out")" '0 1'
}

sinks() {
	local before
	calibrate --budget=3s --sink='pipe:cat >/dev/null' "$work/small"
	ok 'a pipe: what it takes' jq -e '.sink == "pipe:cat >/dev/null" and
		.sink_bytes_per_second > 1000000 and .sink_buffer_bytes >= 4096' "$out"
	calibrate --budget=3s --sink="file:$work/dump" "$work/small"
	ok 'a file: what it takes' jq -e '.sink_bytes_per_second > 1000000 and .sink_measured_bytes > 0' "$out"
	is 'it is gone' "$(ls "$work"/dump* "$work"/.xfscensus* 2>/dev/null)" ''
	is 'sinks are stored' "$(sql 'SELECT count(*) FROM v_calibration_sink WHERE bytes_per_second > 0')" 2
	before=$(stored)
	calibrate --budget=3s --sink='pipe:exit 5' "$work/small"
	failed_clearly 'a command that fails' 2 'pipe:exit 5.*exit status 5'
	calibrate --budget=3s --sink='pipe:sleep 100' "$work/small"
	failed_clearly 'a command that reads nothing' 2 'nothing more'
	calibrate --budget=3s --sink="file:$db" "$work/small"
	failed_clearly 'a file that exists' 2 'nothing is overwritten'
	calibrate --sink=tape "$work/small"
	failed_clearly 'no sink' 64 'tape.*pipe:COMMAND'
	is 'nothing was stored of these' "$(stored)" "$before"
}

# A signal ends the command with the program, and leaves no file.
a_signal() {
	"$XFSCENSUS" calibrate --db="$db" --quiet --budget=60s --sink="pipe:echo \$\$ >$work/pid; sleep 100" \
		"$work/small" >/dev/null 2>"$work/err" &
	until [ -s "$work/pid" ]; do sleep 0.05; done
	kill -TERM $!
	wait $!
	is 'a signal: exit status' $? 2
	like 'a signal: it says so' "$(cat "$work/err")" 'interrupted'
	ok 'the command is gone' test ! -e "/proc/$(cat "$work/pid")"
}

locked() {
	local before
	before=$(stored)
	sqlite3 "$db" 'BEGIN IMMEDIATE' '.shell echo held; sleep 9' >"$work/held" &
	until [ -s "$work/held" ]; do sleep 0.05; done
	calibrate --budget=1s --patience=1s "$work/small"
	wait
	is 'locked: exit status' "$status" 2
	like 'locked: it says so' "$err" 'locked'
	is 'locked: the result is shown' "$(jq '.calibration_id == 0 and (.rows | length) > 0' "$out")" true
	is 'locked: nothing is stored' "$(stored)" "$before"
}

odd_filesystems() {
	make_xfs none 300M
	run calibrate --db="$db" --quiet "$work/none"
	is 'an empty filesystem: exit status' "$status" 0
	like 'an empty filesystem is said to be one' "$(cat "$out")" 'There is no regular file here to read'
	run calibrate --db="$db" /proc
	failed_clearly 'not XFS' 2 '/proc is not on XFS'
	umount "$work/none"
	run calibrate --db="$db" "$work/none.img"
	failed_clearly 'not mounted' 2 'mount it'
	run calibrate --db="$db" --quiet --budget=2s "$work/small"
	like 'a device that can be read' "$(cat "$out")" 'The array as such'
	# Without the device's node, but with the null device that a dump's stream goes to.
	out=$work/out
	# shellcheck disable=SC2016 # for the inner shell
	in_namespace sh -c 'touch "$0/null" && mount --bind /dev/null "$0/null" && mount -t tmpfs none /dev &&
		touch /dev/null && mount --bind "$0/null" /dev/null && exec "$@"' "$work" \
		"$XFSCENSUS" calibrate --db="$db" --quiet --budget=2s "$work/small" >"$out" 2>"$work/err"
	is 'a device that cannot be read: exit status' $? 0
	like 'it is said' "$(cat "$out")" 'The device itself could not be read'
	find "$work/small" -type f -exec cat {} + >/dev/null
	run calibrate --db="$db" --budget=2s "$work/small"
	failed_clearly 'everything in the page cache' 2 'were in the page cache; calibrate after'
}

make_xfs small 300M
many_files "$work/small" 1000
umount "$work/small"
mount -o loop,noatime "$work/small.img" "$work/small"
sinks
a_signal
locked
odd_filesystems

if command -v fio >/dev/null; then
	array_begin
	trap finish EXIT
	truncate -s 1G "$work/array.img"
	mkfs.xfs -q -f "$work/array.img"
	# First in a shell of its own, since a machine may refuse to throttle.
	if (
		trap array_destroy EXIT
		array_make throttled:400:50000000 "$work/array.img"
	) 2>"$work/err"; then
		array_make throttled:400:50000000 "$work/array.img"
		array_mount
		populate "$array_mount_point" many --inodes=12000
		many_files "$array_mount_point" 500
		array_unmount
		array_mount
		against_others
		what_was_in_memory
		others_at_work
		nice
	else
		skip 'a throttled array' "$(cat "$work/err")"
	fi
else
	skip 'the array as such' 'needs fio'
fi
done_testing
