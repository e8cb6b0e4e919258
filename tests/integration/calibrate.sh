#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calibration on real XFS filesystems: what it samples, and that it leaves things as they were.

set -u
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_xfs
need_commands fincore setpriv setfattr
driver=${top_builddir:?}/tests/integration/calibrate_driver
m=$work/m

remount() { # so that nothing is in the caches
	umount "$m" && mount -o loop,strictatime "$work/m.img" "$m"
}

# Runs the driver and keeps its line, and its exit status in $status.
calibrate() { # FOLDER SECONDS [cancelled]
	status=0
	"$driver" "$@" >"$work/line" || status=$?
}

value() { # KEY: of the driver's line
	tr ' ' '\n' <"$work/line" | sed -n "s/^$1=//p"
}

make_xfs m 512M || skip_all 'cannot mount XFS here'
remount

# --- nothing there ------------------------------------------------------------------------------
calibrate "$m" 5
is "an empty filesystem can be calibrated" "$status" 0
is "an empty filesystem has no sample" "$(value files)" 0
is "and one directory" "$(value directories)" 1
is "the filesystem is known by its UUID" "$(value fs)" "$(blkid -o value -s UUID "$work/m.img")"
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
	calibrate "$m" 30
	xargs -d '\n' stat -c '%x %y %z %n' <"$work/names" >"$work/times.after"
	xargs -d '\n' fincore -n -b -o PAGES,FILE <"$work/files" >"$work/pages.after"
	[ "$(value cached)" -gt 50 ] && cmp -s "$work/pages.before" "$work/pages.after" && break
done
is "a population can be calibrated" "$status" 0
same "no time changed, access times included" "$work/times.before" "$work/times.after"
same "the page cache is as it was" "$work/pages.before" "$work/pages.after"
cached=$(awk '$1 > 0' "$work/pages.before" | wc -l)
ok "the test has cached files" test "$cached" -gt 50
# a hard link may be among them
is "cached files are noticed" "$(value cached)" "$(awk '$1 > 0 { print $2 }' "$work/pages.before" |
	xargs stat -c %i | sort -u | wc -l)"
is "all others were read" $(($(value files) + $(value cached))) \
	"$(find "$m" -type f -printf '%i\n' | sort -u | wc -l)"
is "nothing was skipped" "$(value skipped)" 0
is "every run was drawn" "$(value runs)" "$(value of)"
is "the pass took in every inode" "$(value map)" "$(find "$m" -printf '%i\n' | sort -u | wc -l)"
is "and every directory" "$(value directories)" 21
bytes=$(value bytes)
ok "a big file was read, no byte of it twice" \
	test "$bytes" -lt $((50 << 20)) -a "$bytes" -gt $((16 << 20))

inodes=$(value inodes)
calibrate "$m/d1" 30
is "any directory of the filesystem will do" "$status" 0
is "and means the whole" "$(value inodes)" "$inodes"

# Directories that nobody has looked at: for their names the kernel reads those above them.
mkdir -p "$m"/d{1..20}/e{1..5}/f
access_times() { # looked up anew, and all of it forgotten
	remount
	xargs -d '\n' stat -c '%x %n' <"$work/folders"
	remount
}
find "$m" -mindepth 1 -type d | sort >"$work/folders"
access_times >"$work/times.before"
calibrate "$m" 30
access_times >"$work/times.after"
same "access times of directories that were not in memory are as they were" \
	"$work/times.before" "$work/times.after"

# --- what users get wrong -----------------------------------------------------------------------
remount
calibrate "$m" 30 cancelled
is "a calibration that is stopped says so" "$status $(cat "$work/line")" \
	"2 code=-125 $m: calibration stopped"

cp "$driver" "$work/driver" && chmod 755 "$work/driver"
setpriv --reuid 65534 --regid 65534 --clear-groups "$work/driver" "$m" 5 >"$work/line"
is "without privilege it says what it takes" "$? $(cat "$work/line")" \
	"2 code=-1 $m: calibration opens files by inode number, which takes root (CAP_SYS_ADMIN)"

calibrate /proc 5
is "off XFS it says so" "$status $(cat "$work/line")" \
	"2 code=-95 /proc is not on XFS: calibration replays xfsdump, which dumps XFS only"

start=$(date +%s)
remount
calibrate "$m" 0.000001
is "a budget too small for a file is an error" "$status $(cut -d ' ' -f 1 "$work/line")" "2 code=-61"
ok "and is kept" test $(($(date +%s) - start)) -lt 10
done_testing
