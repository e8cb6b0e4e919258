#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong in the hands of a user: one clear line, the right exit status.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands setpriv xfs_io

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
}

# Like run(), as an ordinary user.
run_as_nobody() {
	status=0
	out=$work/out
	as_nobody "$XFSCENSUS" "$@" >"$out" 2>"$work/err" </dev/null || status=$?
	err=$(cat "$work/err")
}

wrong_usage() {
	run
	is 'no command: exit status' "$status" 64
	run frobnicate
	failed_clearly 'an unknown command' 64 frobnicate
	run scan
	failed_clearly 'scan without a path' 64 PATH
	run scan "$work" "$work"
	failed_clearly 'scan of two paths' 64 'PATH|operand|argument'
	run scan --no-such-option "$work"
	failed_clearly 'an unknown option' 64 no-such-option
	run scan --engine=telepathy "$work"
	failed_clearly 'an unknown engine' 64 '--engine.*bulkstat'
	run scan --jobs=many "$work"
	failed_clearly 'a number that is none' 64 '--jobs'
	run scan --jobs=0 "$work"
	failed_clearly 'a number out of range' 64 '--jobs'
	run scan --tiny=5000 "$work"
	failed_clearly 'an edge that is no power of two' 64 '--tiny'
	run scan -xy "$work"
	failed_clearly 'a short option that is none' 64 '"-x"'
	run report --scan=1 --fs=/ --db="$db"
	failed_clearly 'a scan chosen in two ways' 64 '--scan and --fs'
	run report users --bands=4K --db="$db"
	failed_clearly 'bands for a report without classes' 64 '--bands.*classes'
	run scan ''
	failed_clearly 'an empty path' 64 'empty'
	run scan --db="$work/no/such/folder/db" "$work"
	failed_clearly 'a database in no folder' 2 'no folder.*--db'
	run scan --fresh=soon "$work"
	failed_clearly 'a duration that is none' 64 '--fresh.*duration'
	run scan --fresh=10 --freeze "$work"
	failed_clearly 'waiting and freezing' 64 '--fresh and --freeze exclude each other'
	run scan --fresh=10 --engine=walk "$work"
	failed_clearly 'waiting for another engine' 64 '--fresh is for the device engine'
	run report nonsense --db="$db"
	failed_clearly 'an unknown report' 64 nonsense
	run report --format=xml --db="$db"
	failed_clearly 'an unknown format' 64 '--format'
	run scan --help
	is 'help: exit status' "$status" 0
	like 'help: shows the options' "$(cat "$out")" '--engine'
}

# "-" is standard output, and what cannot be written to is left as it is.
outputs() {
	local before
	before=$(pwd)
	cd "$work" || exit 99
	run scans --db="$work/few.db" --format=csv --output=-
	is 'output to -: exit status' "$status" 0
	like 'output to -: it is standard output' "$(head -n 1 "$out")" '^scan_id|^id|,'
	ok 'output to -: no file of that name' test ! -e -
	ln -s loop loop
	run scans --db="$work/few.db" --output=loop
	failed_clearly 'output to a link to itself' 2 'cannot write loop: Too many levels'
	is 'output to a link to itself: it stays' "$(readlink loop)" loop
	cd "$before" || exit 99
}

wrong_paths() {
	run scan --db="$db" "$work/nowhere"
	failed_clearly 'a missing path' 2 'nowhere.*No such file'
	run scan --db="$db" $'no\nsuch\e[31mfile'
	failed_clearly 'a name that acts on a terminal' 2 'no.x0asuch.x1b.31mfile: No such file'
	run scan --db="$db" --engine=bulkstat /proc
	failed_clearly 'bulkstat off XFS' 2 'bulkstat.*XFS|XFS.*bulkstat'
	mkdir -m 700 "$work/private"
	mkdir -m 777 "$work/shared"
	run_as_nobody scan --db="$work/shared/census.db" "$work/private"
	failed_clearly 'a path without permission' 2 'private.*Permission denied'
	run_as_nobody scan --db="$work/shared/census.db" --engine=bulkstat "$work/xfs"
	failed_clearly 'bulkstat as an ordinary user' 2 'bulkstat'
	run scan --db="$db" --engine=device /proc
	failed_clearly 'device off XFS' 2 'device engine cannot be used.*not XFS'
	run_as_nobody scan --db="$work/shared/census.db" --engine=device "$work/xfs"
	failed_clearly 'device as an ordinary user' 2 'device engine cannot be used.*Permission denied'
	head -c 1M /dev/zero >"$work/zeros"
	run scan --db="$db" "$work/zeros"
	failed_clearly 'a file that is no filesystem' 2 'zeros is no XFS image'
	run scan --db="$db" --engine=walk "$work/zeros"
	failed_clearly 'a walk of a file' 2 'zeros is no XFS image'
}

wrong_databases() {
	run report --db="$work/none.db"
	failed_clearly 'a missing database' 2 'none\.db'
	ok 'a missing database: reading does not make it' test ! -e "$work/none.db"
	run scan --db="$work/shared" --engine=walk "$work/xfs"
	failed_clearly 'a database that is a directory' 2 'shared.*directory'
	head -c 64K /dev/urandom >"$work/noise.db"
	run report --db="$work/noise.db"
	failed_clearly 'a database that is none' 2 'noise\.db.*not a database'
	cp "$work/noise.db" "$work/noise.copy"
	run scan --db="$work/noise.db" --engine=walk "$work/xfs"
	failed_clearly 'a scan into a file that is no database' 2 'noise\.db.*not a database'
	ok 'a file that is no database is left alone' cmp "$work/noise.db" "$work/noise.copy"
	run scan --db=/proc/nowhere/census.db --engine=walk "$work/xfs"
	failed_clearly 'a database where none can be' 2 '/proc/nowhere'
}

wrong_versions() {
	run scan --db="$db" --engine=walk --quiet "$work/xfs"
	is 'a scan to have a database' "$status" 0
	sql 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	cp "$db" "$work/newer.db"
	sqlite3 "$work/newer.db" 'PRAGMA user_version = 9999'
	run report --db="$work/newer.db"
	failed_clearly 'a newer database, reading' 2 'newer'
	run scan --db="$work/newer.db" --engine=walk "$work/xfs"
	failed_clearly 'a newer database, writing' 2 'newer'
	run report --db="$db" --scan=999
	failed_clearly 'a scan that is not there' 2 '999'
	run report --db="$db" --fs=/nowhere
	failed_clearly 'a filesystem that is not there' 2 '/nowhere'
}

locked_database() {
	local holder
	mkfifo "$work/hold"
	sqlite3 "$db" >"$work/held" <"$work/hold" &
	holder=$!
	exec 9>"$work/hold"
	printf 'BEGIN EXCLUSIVE;\nSELECT 1;\n' >&9
	for ((i = 0; i < 100; i++)); do
		[ ! -s "$work/held" ] || break
		sleep 0.1
	done
	run scan --db="$db" --engine=walk --quiet --patience=1s --format=json "$work/xfs"
	not_stored 'a locked database' 'locked'
	exec 9>&-
	wait "$holder"
	run scan --db="$db" --engine=walk --quiet "$work/xfs"
	is 'once unlocked, it works: exit status' "$status" 0
}

# An ordinary user's walk of a tree with a directory that is closed to him: done, but not clean.
unreadable_directory() {
	mkdir -p "$work/xfs/tree/open" "$work/xfs/tree/closed"
	echo data >"$work/xfs/tree/open/file"
	echo data >"$work/xfs/tree/closed/file"
	chmod 700 "$work/xfs/tree/closed"
	run_as_nobody scan --db="$work/shared/nobody.db" --engine=walk --format=json "$work/xfs/tree"
	is 'an unreadable directory: exit status' "$status" 1
	is 'an unreadable directory: it is counted' "$(jq .errors "$out")" 1
	is 'an unreadable directory: the rest is counted' "$(jq .regular_files "$out")" 1
	run scan --db="$db" --engine=walk --format=json "$work/xfs/tree"
	is 'the same as root: exit status' "$status" 0
	is 'the same as root: all is counted' "$(jq .regular_files "$out")" 2
}

# Something mounted on a directory of the filesystem: root counts what it hides, who may not look
# there is told that something is missing, and of what cannot be predicted.
hidden_directory() {
	local engine
	mkdir "$work/xfs/covered"
	touch "$work/xfs/covered/"{1..200}
	mount -t tmpfs none "$work/xfs/covered"
	for engine in bulkstat walk; do
		run scan --db="$db" --engine=$engine --format=json "$work/xfs"
		is "$engine, covered files: exit status" "$status" 0
		jq '[.inodes, .regular_files, .bytes, .allocated_bytes]' "$out" >"$work/$engine"
	done
	same 'covered files: walk as bulkstat' "$work/walk" "$work/bulkstat"
	like 'covered files: all are counted' "$(tr -d ' \n' <"$work/walk")" '^\[2[0-9][0-9],2'
	is 'covered files: the walk is of the whole' \
		"$(sql 'SELECT whole_filesystem FROM scan ORDER BY scan_id DESC LIMIT 1')" 1
	run_as_nobody scan --db="$work/shared/nobody.db" --engine=walk "$work/xfs"
	is 'hidden files: exit status' "$status" 1
	like 'hidden files: the place is named' "$(cat "$out" "$work/err")" 'xfs/covered'
	is 'hidden files: that scan is not of the whole' "$(sqlite3 "$work/shared/nobody.db" \
		'SELECT whole_filesystem FROM scan ORDER BY scan_id DESC LIMIT 1')" 0
	umount "$work/xfs/covered"
}

# A limit of open files: as many workers as it suffices for, or a refusal; no half scans.
few_descriptors() {
	local limit
	for limit in 12 20 30; do
		status=0
		(ulimit -n $limit && exec "$XFSCENSUS" scan --db="$work/few.db" --jobs=8 \
			--engine=walk --format=json "$work/xfs") >"$work/few" 2>"$work/err" || status=$?
		if [ $status = 0 ]; then
			is "$limit open files: all is counted" "$(jq '[.inodes, .errors]' "$work/few")" \
				"$(jq '[.inodes, .errors]' "$work/many")"
		else
			is "$limit open files: exit status" $status 2
			ok "$limit open files: nothing is shown" test ! -s "$work/few"
		fi
	done
	is '30 open files suffice' $status 0
}

# The filesystem shuts down while it is read: no engine may keep the wreck.
shut_down_meanwhile() { # ENGINE
	local scans delay
	make_xfs doomed 300M
	(cd "$work/doomed" && seq 300 | xargs mkdir && seq -f '%g/file' 300 | xargs touch &&
		for i in {1..300}; do echo "$i"/{1..100}; done | xargs touch)
	sync -f "$work/doomed"
	run scan --db="$db" --engine="$1" --quiet "$work/doomed"
	is "$1: a scan before" "$status" 0
	umount "$work/doomed"
	mount -o loop "$work/doomed.img" "$work/doomed"
	for delay in 0.3 0.15 0.07 0.03 0.015 0.007 0.003 0; do
		scans=$(sql 'SELECT count(*) FROM scan')
		(sleep $delay && xfs_io -x -c shutdown "$work/doomed") &
		run scan --db="$db" --engine="$1" --format=json "$work/doomed"
		wait $!
		umount "$work/doomed"
		mount -o loop "$work/doomed.img" "$work/doomed"
		[ "$status" = 0 ] || break
		is "$1: done before the shutdown: all is counted" "$(jq .regular_files "$out")" 30300
	done
	failed_clearly "$1: shut down meanwhile" 2 'shut down.*dmesg'
	is "$1: shut down meanwhile: nothing is stored" "$(sql 'SELECT count(*) FROM scan')" "$scans"
	umount "$work/doomed"
}

make_xfs xfs 300M || skip_all 'no filesystem'
echo data >"$work/xfs/file"
wrong_usage
wrong_paths
wrong_databases
wrong_versions
locked_database
unreadable_directory
hidden_directory
run scan --db="$work/few.db" --engine=walk --format=json "$work/xfs"
cp "$out" "$work/many"
outputs
few_descriptors
shut_down_meanwhile walk
shut_down_meanwhile bulkstat
shut_down_meanwhile device
done_testing
