# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real XFS filesystems on loop devices for tests. Each test has a folder of its own, so that tests
# run in parallel; all that is made in it is unmounted and deleted however the test ends.

# shellcheck source=tests/tap.sh
. "${top_srcdir:?}/tests/tap.sh"

: "${XFSCENSUS:?is the program to test}" "${top_builddir:?}"
# What the tests have of /usr/sbin: an ordinary user's PATH lacks it.
PATH=$PATH:/usr/sbin:/sbin
export PATH LC_ALL=C.UTF-8

work=''

work_cleanup() {
	local mount_point job
	for job in $(jobs -p); do
		kill -KILL "$job" 2>/dev/null
	done
	[ -n "$work" ] || return 0
	# the deepest mount first
	findmnt -rno TARGET | grep -F "$work/" | sort -r | while IFS= read -r mount_point; do
		mount_point=$(printf '%b' "$mount_point") # findmnt -r escapes
		umount "$mount_point" 2>/dev/null || umount -l "$mount_point"
	done
	losetup -nO NAME,BACK-FILE | awk -v folder="$work/" 'index($2, folder) == 1 { print $1 }' |
		xargs -r losetup -d
	! mountpoint -q "$work" || umount "$work" 2>/dev/null || umount -l "$work"
	rm -rf --one-file-system -- "$work"
	work=''
}

# Makes the test's folder, $work, and the database path, $db. For root the folder is a shared mount:
# what is unmounted in it leaves also the mount namespaces that other tests have made meanwhile (by
# in_namespace), which would keep the filesystem in use, and warm.
work_begin() {
	work=$(mktemp -d "${TMPDIR:-/tmp}/xfscensus-test.XXXXXX") || exit 99
	work=$(realpath -- "$work")
	chmod 755 "$work"
	[ "$(id -u)" != 0 ] || { mount --bind "$work" "$work" && mount --make-shared "$work"; } 2>/dev/null || :
	# shellcheck disable=SC2034 # for the tests
	db=$work/census.db
	trap work_cleanup EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Tests on real filesystems start with this. A mount or loop device that the kernel refuses (a
# container without rights) counts as not being able to.
need_xfs() {
	[ "$(id -u)" = 0 ] || skip_all 'needs root for a loop mount'
	need_commands mkfs.xfs findmnt mount umount sqlite3 jq
	work_begin
	make_xfs probe 300M >/dev/null || skip_all 'this machine refuses to mount XFS on a loop device'
	umount "$work/probe"
}

# A loop device for a file below $work; it goes with the test.
attach() { # FILE
	losetup -f --show "$1"
}

# Makes a filesystem of SIZE mounted on $work/NAME. The loop device goes with the mount.
make_xfs() { # NAME SIZE [MKFS-OPTION…]
	local name=$1 size=$2
	shift 2
	truncate -s "$size" "$work/$name.img" &&
		mkfs.xfs -q -f "$@" "$work/$name.img" &&
		mkdir -p "$work/$name" &&
		mount -o loop,noatime "$work/$name.img" "$work/$name"
}

# Runs a command in a mount namespace of its own, in which others' filesystems are not kept in use.
in_namespace() { # COMMAND…
	unshare -m --propagation slave "$@"
}

# Unmounts what IMAGE holds and waits until it is at rest: a mount namespace that somebody else makes
# meanwhile may keep a filesystem in use for as long as it lives.
unmount_image() { # MOUNT-POINT IMAGE
	umount "$1" || return
	for _ in $(seq 100); do
		[ -n "$(losetup -nO NAME -j "$2")" ] || return 0
		sleep 0.1
	done
	diag "$2 is still in use"
}

# Mounts $work/NAME anew so that the kernel allocates no blocks ahead of writing: those it gives back
# whenever it likes, also between two scans that are to be compared.
without_preallocation() { # NAME
	umount "$work/$1" && mount -o loop,noatime,allocsize=4k "$work/$1.img" "$work/$1"
}

# Fills a folder with a known population; see populate --help.
populate() { # FOLDER PRESET [OPTION…]
	local folder=$1 preset=$2
	shift 2
	"$top_builddir/tests/population/populate" --preset="$preset" "$@" "$folder"
}

# Runs the program, on the test's database where the command takes one, and keeps what came out
# in $out (a file), $err (text) and $status; 124 is a program that does not end.
run() { # ARGUMENT…
	status=0
	out=$work/out
	timeout 120 "$XFSCENSUS" "$@" >"$out" 2>"$work/err" </dev/null || status=$?
	err=$(cat "$work/err")
}

# One line of SQL on the test's database.
sql() { # STATEMENT
	sqlite3 -batch -bail "$db" "$1"
}

# The last run, a scan with --format=json, must have failed to store what it shows all the same.
not_stored() { # NAME REGEX
	is "$1: exit status" "$status" 2
	is "$1: one line on standard error" "$(wc -l <"$work/err")" 1
	like "$1: it says what is wrong" "$err" "$2"
	is "$1: the result is shown, without a scan id" "$(jq '.scan_id == 0 and .inodes > 0' "$out")" true
}

# Every cell of a scan's owner cube and ages, whatever the columns of the public views, but without
# the scan.
cells() { # SCAN-ID
	local view columns
	for view in v_cell v_age; do
		columns=$(sql "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('$view') WHERE name <> 'scan_id'")
		sql "SELECT '$view', $columns FROM $view WHERE scan_id = $1 ORDER BY $columns"
	done
}

# The last run must have failed as a user should see it: the status, and one clear line (after
# wrong usage also where to read on).
failed_clearly() { # NAME STATUS REGEX
	is "$1: exit status" "$status" "$2"
	is "$1: one line on standard error" "$(grep -cv '^See xfscensus .*--help$' "$work/err")" 1
	like "$1: it says what is wrong" "$err" "$3"
	is "$1: nothing on standard output" "$(wc -c <"$out")" 0
}
