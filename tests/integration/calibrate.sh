#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calibration on real XFS filesystems: what it samples, and that it leaves things as they were.

driver=${top_builddir:?}/tests/integration/calibrate_driver
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C.UTF-8
number=0

ok() { # NAME: passes if the command before it did
	local status=$?
	number=$((number + 1))
	if [ $status = 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
	fi
}

is() { # NAME GOT WANTED
	[ "$2" = "$3" ]
	ok "$1"
	[ "$2" = "$3" ] || printf '# got:    %s\n# wanted: %s\n' "$2" "$3"
}

same() { # NAME FILE FILE
	diff "$2" "$3" >"$work/diff"
	ok "$1"
	head -n 20 "$work/diff" | sed 's/^/# /'
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

cleanup() {
	mountpoint -q "$m" && umount "$m"
	rm -rf --one-file-system -- "$work"
}

make_xfs() {
	mountpoint -q "$m" && umount "$m"
	rm -f "$work/image"
	truncate -s 512M "$work/image" && mkfs.xfs -q -f "$work/image" && remount
}

remount() { # so that nothing is in the caches
	mountpoint -q "$m" && umount "$m"
	mount -o loop,strictatime "$work/image" "$m"
}

# value KEY: of the driver's line
value() {
	tr ' ' '\n' <"$work/line" | sed -n "s/^$1=//p"
}

[ "$(id -u)" = 0 ] || skip_all "needs root to mount filesystems"
for tool in mkfs.xfs fincore setpriv setfattr; do
	command -v $tool >/dev/null || skip_all "needs $tool"
done
work=$(mktemp -d "${TMPDIR:-/tmp}/xfscensus-calibrate.XXXXXX")
m=$work/mount
mkdir "$m" && chmod 755 "$work"
trap cleanup EXIT
make_xfs || skip_all "cannot mount XFS here"

# --- nothing there ------------------------------------------------------------------------------
"$driver" "$m" 5 >"$work/line"
ok "an empty filesystem can be calibrated"
is "an empty filesystem has no sample" "$(value files)" 0
is "and one directory" "$(value directories)" 1
is "the filesystem is known by its UUID" "$(value fs)" "$(blkid -o value -s UUID "$work/image")"
is "the device is known" "$(value device)" "$(findmnt -no SOURCE "$m")"

# --- a population -------------------------------------------------------------------------------
mkdir "$m"/d{1..20}
for i in {1..1200}; do
	head -c $((i * 7 % 9000)) /dev/urandom >"$m/d$((i % 20 + 1))/f$i"
done
setfattr -n user.a -v "$(printf %0200d 0)" "$m"/d1/f*
ln -s target "$m/link"
ln "$m/d1/f20" "$m/hard"
mkfifo "$m/fifo"
head -c 40M /dev/urandom >"$m/big"
truncate -s 1T "$m/sparse" && printf x | dd of="$m/sparse" bs=1 seek=1G conv=notrunc 2>/dev/null
: >"$m/empty"
find "$m" -printf '%p\n' | sort >"$work/names"
find "$m" -type f ! -name empty ! -name sparse -printf '%p\n' | sort >"$work/files"
# Whoever drops all caches of the machine meanwhile spoils the comparison: then once more.
for _ in 1 2 3 4 5; do
	remount
	tail -n 100 "$work/files" | xargs cat >/dev/null
	# fincore(1) maps files, which counts as access
	xargs -d '\n' fincore -n -b -o PAGES,FILE <"$work/files" >"$work/pages.before"
	xargs -d '\n' stat -c '%x %y %z %n' <"$work/names" >"$work/times.before"
	"$driver" "$m" 30 >"$work/line"
	status=$?
	xargs -d '\n' stat -c '%x %y %z %n' <"$work/names" >"$work/times.after"
	xargs -d '\n' fincore -n -b -o PAGES,FILE <"$work/files" >"$work/pages.after"
	[ "$(value cached)" -gt 50 ] && cmp -s "$work/pages.before" "$work/pages.after" && break
done
is "a population can be calibrated" "$status" 0
same "no time changed, access times included" "$work/times.before" "$work/times.after"
same "the page cache is as it was" "$work/pages.before" "$work/pages.after"
cached=$(awk '$1 > 0' "$work/pages.before" | wc -l)
[ "$cached" -gt 50 ]
ok "the test has cached files"
# a hard link may be among them
is "cached files are noticed" "$(value cached)" "$(awk '$1 > 0 { print $2 }' "$work/pages.before" |
	xargs stat -c %i | sort -u | wc -l)"
is "all others were read" $(($(value files) + $(value cached))) \
	"$(find "$m" -type f -printf '%i\n' | sort -u | wc -l)"
is "nothing was skipped" "$(value skipped)" 0
is "every run was drawn" "$(value runs)" "$(value of)"
is "the pass took in every inode" "$(value map)" "$(find "$m" -printf '%i\n' | sort -u | wc -l)"
is "and every directory" "$(value directories)" 21
[ "$(value bytes)" -lt $((50 << 20)) ] && [ "$(value bytes)" -gt $((16 << 20)) ]
ok "a big file was read, no byte of it twice"

"$driver" "$m/d1" 30 >"$work/line2"
ok "any directory of the filesystem will do"
is "and means the whole" "$(sed 's/.* inodes=\([0-9]*\).*/\1/' "$work/line2")" "$(value inodes)"

# --- what users get wrong -----------------------------------------------------------------------
remount
"$driver" "$m" 30 cancelled >"$work/line"
is "a calibration that is stopped says so" "$? $(cat "$work/line")" \
	"2 code=-125 $m: calibration stopped"

cp "$driver" "$work/driver" && chmod 755 "$work/driver"
setpriv --reuid 65534 --regid 65534 --clear-groups "$work/driver" "$m" 5 >"$work/line"
is "without privilege it says what it takes" "$? $(cat "$work/line")" \
	"2 code=-1 $m: calibration opens files by inode number, which takes root (CAP_SYS_ADMIN)"

"$driver" /proc 5 >"$work/line"
is "off XFS it says so" "$? $(cat "$work/line")" \
	"2 code=-95 /proc is not on XFS: calibration replays xfsdump, which dumps XFS only"

start=$(date +%s)
remount
"$driver" "$m" 0.000001 >"$work/line"
is "a budget too small for a file is an error" "$? $(cut -d ' ' -f 1 "$work/line")" "2 code=-61"
[ $(($(date +%s) - start)) -lt 10 ]
ok "and is kept"

echo "1..$number"
