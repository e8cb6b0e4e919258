# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Damaged copies of filesystems with known contents, for the tests of what reads them. Source it
# instead of lib.sh. A test sets $reader, the program that reads an image, and defines sort_output(),
# from $work/output to $work/found, and wrong NAME STATUS, which says what is wrong with that.
#
# IMAGES is the number of images (short: 200, long: 1000).

# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

# shellcheck disable=SC2034 # for the tests
share=$((${IMAGES:-200} / 20))
reader=''
bad=''  # what was wrong with the images of a test
seen='' # exit statuses of the runs of a test

# An address sanitizer reserves far more than it uses.
limit_memory() { # KIB
	memory_kib=$1
	! grep -q __asan_init "$reader" || memory_kib=unlimited
}

# The same numbers at every run.
random=1
next_random() {
	random=$(((random * 1103515245 + 12345) % 2147483648))
	random=$((random / 65536 * 65536 + random / 65536))
}

put_byte() { # IMAGE OFFSET VALUE
	# shellcheck disable=SC2059
	printf "\\$(printf '%03o' "$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Turns COUNT bits within those bytes, by the random numbers at hand, and notes the bytes as they
# were.
flip() { # IMAGE OFFSET BYTES COUNT
	local at old
	: >"$work/before"
	for _ in $(seq 1 "$4"); do
		next_random
		at=$(($2 + random % $3))
		next_random
		old=$(od -An -tu1 -j "$at" -N 1 "$1")
		echo "$at $((old))" >>"$work/before"
		put_byte "$1" "$at" $((old ^ (1 << (random % 8))))
	done
}

# Puts the bytes back, the last one first.
unflip() { # IMAGE
	local at old
	tac "$work/before" | while read -r at old; do
		put_byte "$1" "$at" "$old"
	done
}

copy() { # NAME: into $work/copy
	cp --sparse=always --reflink=auto "$work/$1" "$work/copy"
}

# Whatever the image is: the program must end by itself, without a sanitizer's complaint, within
# its memory, and say so if it failed. Its output, sorted, is in $work/found. Says what is wrong.
judge() { # NAME IMAGE WHAT
	local status=0 complaint=''
	(
		ulimit -v "$memory_kib"
		timeout 60 "$reader" "$2"
	) >"$work/output" 2>"$work/errors" || status=$?
	seen+=" $status"
	sort_output
	if [ $status -gt 2 ]; then
		complaint="exit status $status"
	elif grep -q 'runtime error\|Sanitizer' "$work/errors"; then
		complaint='a sanitizer complains'
	elif [ $status != 0 ] && [ ! -s "$work/errors" ]; then
		complaint='failed without a word'
	else
		complaint=$(wrong "$1" $status)
	fi
	[ -n "$complaint" ] || return 0
	bad+="$3: $complaint"$'\n'$(head -n 3 "$work/errors")$'\n'
}

# One result for all that were judged since the last one, with how often each exit status was seen.
judged() { # NAME
	none "$1" printf '%s' "$bad"
	diag "exit statuses:$(tr ' ' '\n' <<<"$seen" | sort | uniq -c |
		awk 'NF == 2 { printf " %s × %s", $1, $2 }')"
	seen='' bad=''
}

# xfs_db's own destroyer, with its OPTIONS.
trash() { # NAME TYPES COUNT OPTION…
	local name=$1 types=$2 count=$3 run type
	shift 3
	for run in $(seq 1 "$count"); do
		copy "$name"
		for type in $types; do
			timeout 20 xfs_db -x -c blockget -c "blocktrash -s $run $* -t $type" "$work/copy" \
				>/dev/null 2>&1
		done
		judge "$name" "$work/copy" "blocktrash $types, run $run"
	done
	judged "$name: $count images after blocktrash of $types"
}

cut_short() { # NAME BYTES…
	local name=$1 bytes
	shift
	for bytes; do
		copy "$name"
		truncate -s "$bytes" "$work/copy"
		judge "$name" "$work/copy" "cut to $bytes"
	done
	judged "$name: $# images cut short"
}
