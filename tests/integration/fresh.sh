#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the device engine does about a filesystem in use where merging with the log does not work:
# it waits, gives way to bulkstat, or is told to freeze. And a log on a device of its own.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands xfs_freeze losetup setpriv

probe=$top_builddir/tests/integration/log_probe
log_loop='' data_loop=''

finish() {
	xfs_freeze -u "$work/xfs" 2>/dev/null
	umount "$work/xfs" "$work/external" 2>/dev/null
	[ -z "$data_loop" ] || losetup -d "$data_loop"
	[ -z "$log_loop" ] || losetup -d "$log_loop"
	work_cleanup
}

# Scans, wants ENGINE to have done it, with REASON said, and every cell as bulkstat has it.
scan() { # NAME ENGINE REASON PATH OPTION…
	local name=$1 engine=$2 reason=$3 path=$4
	shift 4
	run scan --db="$db" --format=json "$@" "$path"
	is "$name: exit status" "$status" 0
	is "$name: nothing on standard error" "$err" ''
	is "$name: the engine" "$(jq -r .engine "$out")" "$engine"
	like "$name: it says why" "$(jq -r .engine_reason "$out")" "$reason"
	is "$name: in one line" "$(jq -r .engine_reason "$out" | wc -l)" 1
	cells "$(jq .scan_id "$out")" >"$work/cells"
	run scan --db="$db" --format=json --engine=bulkstat "$path"
	cells "$(jq .scan_id "$out")" >"$work/truth"
	same "$name: every cell" "$work/cells" "$work/truth"
}

churn() { # FOLDER SEED
	"$probe" churn "$1" "$2" 500 1500 >/dev/null
}

thawed() {
	timeout 20 touch "$work/xfs/thawed"
}

# Its changes reach the disk while it waits: freezing has them written.
waits() {
	churn "$work/xfs" 1
	{
		sleep 1
		xfs_freeze -f "$work/xfs"
		xfs_freeze -u "$work/xfs"
	} >/dev/null 2>&1 &
	scan 'waiting' device '^fastest.*waited .* s for changes to reach the disk.*cannot be read: a test' \
		"$work/xfs" --log-fault=read --fresh=100s
	wait $!
}

gives_way() {
	local jobs
	churn "$work/xfs" 2
	scan 'not waiting' bulkstat '^not device: its log cannot be read.*within 0 s$' "$work/xfs" \
		--log-fault=read --fresh=0
	churn "$work/xfs" 3
	scan 'waiting in vain' bulkstat 'within 0.5 s$' "$work/xfs" --log-fault=read --fresh=0.5
	for jobs in 1 3; do
		scan "giving way after counting, $jobs jobs" bulkstat \
			'^device was asked for; not device: its log cannot be read' "$work/xfs" \
			--engine=device --log-fault=late --jobs=$jobs
	done
}

freezes() {
	local engine
	for engine in device bulkstat walk; do
		churn "$work/xfs" 4
		scan "frozen, $engine" $engine '^asked for; frozen for .*s, so this is the state of one moment$' \
			"$work/xfs" --engine=$engine --freeze
		ok "frozen, $engine: and thawed" thawed
	done
	churn "$work/xfs" 5
	scan 'frozen, by its device' device 'frozen for' "$(findmnt -nro SOURCE "$work/xfs")" --freeze
	run scan --db="$db" --engine=device --freeze --freeze-limit=0 "$work/xfs"
	is 'thawed before the end: exit status' "$status" 1
	like 'thawed before the end: it says so' "$(cat "$out")" 'thawed after 0 s, before the scan was done'
	ok 'thawed before the end: it is thawed' thawed
}

# Those who write wait, and go on; nobody finds it frozen afterwards, however the scan ends.
freezes_under_load() {
	local i writer pid signal
	mkdir "$work/xfs/busy"
	(
		i=0
		while [ -d "$work/xfs/busy" ]; do
			i=$(((i + 1) % 300))
			echo x >"$work/xfs/busy/$i"
		done
	) 2>/dev/null &
	writer=$!
	for i in 1 2 3; do
		run scan --db="$db" --engine=device --freeze "$work/xfs"
		is "frozen under load, $i: exit status" "$status" 0
	done
	for signal in INT TERM KILL; do
		for i in 0 1 2 3 4; do
			env --default-signal=INT "$XFSCENSUS" scan --db="$db" --engine=walk --jobs=1 --freeze \
				"$work/xfs" >/dev/null 2>&1 &
			pid=$!
			sleep 0.0$((i * 2 + 1))
			kill -s $signal $pid 2>/dev/null
			wait $pid
		done 2>/dev/null
		ok "ended by SIG$signal at five moments: thawed" thawed
	done
	rm -rf "$work/xfs/busy"
	kill "$writer" 2>/dev/null
	wait "$writer" 2>/dev/null
	rm -rf "$work/xfs/busy"
}

refuses() {
	run scan --db="$work/xfs/census.db" --freeze "$work/xfs"
	failed_clearly 'database on the frozen filesystem' 2 'census\.db lies on the filesystem that is to be frozen'
	ok 'it is not made' test ! -e "$work/xfs/census.db"
	run scan --db="$work/xfs/new/folder/census.db" --freeze "$work/xfs"
	failed_clearly 'database in a new folder there' 2 'lies on the filesystem that is to be frozen'
	run scan --db="$db" --output="$work/xfs/out" --freeze "$(findmnt -nro SOURCE "$work/xfs")"
	failed_clearly 'output on the frozen filesystem' 2 '--output=.*lies on the filesystem'
	run scan --db="$db" --freeze "$work/probe.img"
	failed_clearly 'freezing an image' 2 'is not mounted: there is nothing to freeze'
	xfs_freeze -f "$work/xfs"
	run scan --db="$db" --freeze "$work/xfs"
	xfs_freeze -u "$work/xfs"
	failed_clearly 'what is frozen already' 2 'is frozen already'
	chmod 755 "$work/xfs"
	setpriv --reuid=65534 --regid=65534 --clear-groups -- "$XFSCENSUS" scan --db="$work/nobody.db" \
		--engine=walk --freeze "$work/xfs" >"$out" 2>"$work/err"
	is 'freezing as an ordinary user: exit status' $? 2
}

external_log() {
	truncate -s 600M "$work/external.img"
	truncate -s 70M "$work/log.img"
	data_loop=$(losetup -f --show "$work/external.img") && log_loop=$(losetup -f --show "$work/log.img") &&
		mkfs.xfs -q -f -l "logdev=$log_loop" "$data_loop" && mkdir "$work/external" &&
		mount -o "logdev=$log_loop,allocsize=4k" "$data_loop" "$work/external" || return
	for round in 1 2 3; do
		churn "$work/external" $round
		scan "external log, round $round" device '^fastest.*merged [1-9][0-9]* inodes from the log$' \
			"$work/external"
	done
	churn "$work/external" 4
	scan 'external log, by the device' device 'merged' "$data_loop"
	churn "$work/external" 5
	scan 'external log, frozen' device 'frozen for' "$work/external" --freeze
	mount -o remount,ro "$work/external"
	scan 'external log, read-only' device '^fastest that can read it$' "$work/external"
	umount "$work/external"
	run scan --db="$db" --format=json "$work/external.img"
	is 'image of external log: exit status' "$status" 1
	is 'image of external log: one failure, of the log' "$(jq -c '[.errors, .rows[].kind]' "$out")" '[1,"log"]'
	like 'image of external log: it says that the log was not looked at' "$(jq -r '.examples[].what' "$out")" \
		'log is on another device and was not looked at'
	cells "$(jq .scan_id "$out")" >"$work/cells"
	same 'image of external log: every cell' "$work/cells" "$work/truth"
}

trap finish EXIT
make_xfs xfs 600M >/dev/null || skip_all 'cannot make the filesystem'
without_preallocation xfs || skip_all 'cannot mount it without preallocation'
waits
gives_way
freezes
freezes_under_load
refuses
external_log
done_testing
