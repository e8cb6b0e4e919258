# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Slow arrays made of image files, for benches and for proofs of predictions. Needs root.
#
#	array_begin                   makes a folder, $array_work, in which `memory` lies in memory; all
#	                                goes when the shell ends
#	array_make ARRAY IMAGE        attaches IMAGE as $array_device:
#	    plain                       a loop device, as fast as what is below it
#	    cached                      a loop device that reads through the page cache, and all of
#	                                the image in there
#	    throttled[:IOPS:BPS]        the same held to 4000 reads and 250 MB a second by cgroup
#	    spindle[:OPTION,OPTION…]    on simulated hard disks; tests/lab/spindle --help has the
#	                                options, e.g. spindle:spindles=4,chunk=64
#	array_within COMMAND…         runs COMMAND under the array's limits; whatever is timed must be
#	array_mount, array_unmount    $array_device on $array_mount_point
#	array_cold                    mounted, with nothing of it in memory
#	array_cold_command            the same, but for the first mount, as a command line for bash
#	array_keep_memory BYTES       from here on array_cold also has so much free memory touched
#	array_late                    how often simulated disks were slower than they should be
#	array_destroy                 detaches; IMAGE stays
#
# A virtual machine may give free memory back to its host and pays for each page when it is touched
# again: reads of gigabytes that nobody cached before then take several times as long, at random. With
# array_keep_memory, no memory is given back while the lab runs, where the kernel has knobs for that
# (module page_reporting), and what will be filled has been touched.
#
# Limits of a cgroup hold for the processes in it, those of the spindles for everyone. SPINDLE names
# the server of simulated disks (build/tests/lab/spindle).

array_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
array_spindle=${SPINDLE:-$array_top/build/tests/lab/spindle}
array_work='' array_device='' array_mount_point='' array_server='' array_group=''
array_touch_bytes=0 array_knobs=/sys/module/page_reporting/parameters array_knobs_before=()

array_fail() {
	echo "lab: $*" >&2
	exit 2
}

array_begin() {
	[ "$(id -u)" = 0 ] || array_fail 'needs root'
	array_work=$(mktemp -d "${TMPDIR:-/tmp}/xfscensus-lab.XXXXXX") || exit 2
	array_mount_point=$array_work/mount
	# shared, so that no mount namespace made meanwhile keeps in use what is unmounted in it
	mount --bind "$array_work" "$array_work" && mount --make-shared "$array_work"
	mkdir "$array_mount_point" "$array_work/memory"
	mount -t tmpfs -o size=90%,mode=700 memory "$array_work/memory"
	trap array_end EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

array_end() {
	set +e # all that can go goes, also when a killed bench's command still uses the array
	array_destroy
	array_give_memory
	[ -z "$array_work" ] || umount "$array_work/memory" || umount -l "$array_work/memory"
	[ -z "$array_work" ] || umount "$array_work" || umount -l "$array_work"
	[ -z "$array_work" ] || rm -rf --one-file-system -- "$array_work"
	array_work=''
}

array_set_knob() { # NAME VALUE
	local knob=$array_knobs/$1
	[ -w "$knob" ] || return 0
	array_knobs_before+=("$1=$(cat "$knob")")
	echo "$2" >"$knob"
}

array_keep_memory() { # BYTES
	array_touch_bytes=$1
	[ "${#array_knobs_before[@]}" = 0 ] || return 0
	array_set_knob min_free_ms 60000
	array_set_knob max_waiting_mib 10000000
}

array_give_memory() {
	local knob
	for knob in "${array_knobs_before[@]}"; do
		echo "${knob#*=}" >"$array_knobs/${knob%%=*}"
	done
	array_knobs_before=() array_touch_bytes=0
}

# Touches free memory by filling a file in there, half of what is free at most.
array_touch_memory() {
	local free_mib=$(($(sed -n 's/^MemFree: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 2048))
	local mib=$((array_touch_bytes >> 20))
	[ "$mib" -gt 0 ] || return 0
	dd if=/dev/zero of="$array_work/memory/touched" bs=1M status=none \
		count=$((mib < free_mib ? mib : free_mib))
	rm "$array_work/memory/touched"
}

array_attach() { # FILE
	array_device=$(losetup -f --show --direct-io=on "$1" 2>/dev/null) ||
		array_device=$(losetup -f --show "$1") || array_fail "no loop device for $1"
}

# A cgroup of the kernel's first or second generation that holds reads of the device.
array_throttle() { # IOPS BPS
	local number root=/sys/fs/cgroup
	number=$(cat "/sys/class/block/${array_device#/dev/}/dev")
	if [ -d "$root/blkio" ]; then
		array_group=$root/blkio/xfscensus-lab-$$
		mkdir "$array_group" &&
			echo "$number $1" >"$array_group/blkio.throttle.read_iops_device" &&
			echo "$number $2" >"$array_group/blkio.throttle.read_bps_device"
	else
		array_group=$root/xfscensus-lab-$$
		echo +io >"$root/cgroup.subtree_control" && mkdir "$array_group" &&
			echo "$number riops=$1 rbps=$2" >"$array_group/io.max"
	fi || array_fail 'this machine refuses to throttle a device by cgroup'
}

array_start_spindle() { # IMAGE [OPTION,OPTION…]
	local options=() folder=$array_work/spindle
	[ -x "$array_spindle" ] || array_fail "$array_spindle is missing: configure with fuse3, make"
	[ -z "${2-}" ] || IFS=, read -ra options <<<"$2"
	mkdir "$folder"
	# in time also where others want the processors
	chrt -r 1 "$array_spindle" "${options[@]/#/--}" "$1" "$folder" &
	array_server=$!
	until [ -e "$folder/disk" ]; do
		kill -0 "$array_server" 2>/dev/null || array_fail 'the simulated disk did not start'
		sleep 0.05
	done
	array_attach "$folder/disk"
}

array_make() { # ARRAY IMAGE
	local limits
	IFS=: read -ra limits <<<"$1"
	case ${limits[0]} in
	plain) array_attach "$2" ;;
	cached)
		cat -- "$2" >/dev/null
		array_device=$(losetup -f --show "$2") || array_fail "no loop device for $2"
		;;
	throttled)
		array_attach "$2"
		array_throttle "${limits[1]:-4000}" "${limits[2]:-250000000}"
		;;
	spindle) array_start_spindle "$2" "${limits[1]-}" ;;
	*) array_fail "no array is called $1; there are plain, cached, throttled and spindle" ;;
	esac
}

array_within() { # COMMAND…
	if [ -n "$array_group" ]; then
		# shellcheck disable=SC2016 # for the inner shell
		bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$array_group" "$@"
	else
		"$@"
	fi
}

array_mount() {
	mount -o noatime "$array_device" "$array_mount_point"
}

array_unmount() {
	! mountpoint -q "$array_mount_point" || umount "$array_mount_point" 2>/dev/null ||
		umount -l "$array_mount_point"
}

array_cold() {
	array_unmount
	sync -f "$array_work"
	echo 3 >/proc/sys/vm/drop_caches
	array_touch_memory
	array_mount
}

# array_cold as a command line, for those who run one before what they time.
array_cold_command() {
	echo "umount $array_mount_point && sync -f $array_work && echo 3 >/proc/sys/vm/drop_caches &&
		array_work=$array_work array_touch_bytes=$array_touch_bytes &&
		$(declare -f array_touch_memory) && array_touch_memory &&
		mount -o noatime $array_device $array_mount_point"
}

# Of the reads from simulated disks so far "PIECES LATE": late are those that this machine could not
# serve in the time of the disk. Nothing for other arrays.
array_late() {
	[ -z "$array_server" ] || cat "$array_work/spindle/late"
}

array_destroy() {
	[ -n "$array_device" ] || [ -n "$array_server" ] || return 0
	array_unmount
	[ -z "$array_device" ] || losetup -d "$array_device"
	if [ -n "$array_server" ]; then
		umount -l "$array_work/spindle" 2>/dev/null || kill "$array_server" 2>/dev/null
		wait "$array_server" 2>/dev/null || :
		rmdir "$array_work/spindle"
	fi
	[ -z "$array_group" ] || rmdir "$array_group"
	array_device='' array_server='' array_group=''
}
