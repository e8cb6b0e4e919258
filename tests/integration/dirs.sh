#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every file charged to its directory, against sums made of what find prints, on a filesystem with a
# deep tree, a huge directory and hard links across directories; then with mounts inside, with files
# that are open but deleted, and while directories are moved about. ENTRIES is the size of the huge
# directory (short: 50000); the long form is ENTRIES=1000000, in a few minutes.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands find awk jq

levels=5000
huge=${ENTRIES:-50000}

scan() { # NAME OPTION…: leaves the scan's id in $id
	local name=$1
	shift
	run scan --db="$db" --format=json "$@" "$work/xfs"
	is "$name: exit status" "$status" 0
	id=$(jq .scan_id "$out")
}

# A chain of directories longer than any path may be, put together from the bottom up.
make_chain() { # FOLDER
	local piece=$1/new chain path
	path=$(printf 'd/%.0s' $(seq 1000))
	for chain in $(seq $((levels / 1000))); do
		mkdir -p "$piece/$path"
		echo "$chain" >"$piece/${path}f"
		[ "$chain" = 1 ] || mv "$1/d" "$piece/$path"
		mv "$piece/d" "$1/d"
		rmdir "$piece"
	done
}

make_population() {
	local d=$work/xfs
	mkdir "$d/many" "$d/huge" "$d/links" "$d/links/a" "$d/links/b" "$d/shared" "$d/empty"
	populate "$d/many" many --inodes=20000
	make_chain "$d"
	(cd "$d/huge" && seq -f 'file%.0f' "$huge" | xargs touch)
	chown -R 4000 "$d/huge"
	# b was made after a; the smaller directory counts, whichever comes first in the walk
	for i in $(seq 50); do
		echo "$i" >"$d/links/b/f$i"
		ln "$d/links/b/f$i" "$d/links/a/g$i"
		ln "$d/links/b/f$i" "$d/huge/h$i"
	done
	for i in $(seq 300); do
		head -c $((i * 30)) /dev/zero >"$d/shared/f$i"
		chown $((5000 + i % 3)) "$d/shared/f$i"
	done
	ln -s nowhere "$d/shared/link"
	mkfifo "$d/shared/fifo"
	sync -f "$d"
}

# What a report should say, made of find's lines: each inode at the directory with the smallest
# number of those that name it, each directory added to all above it. UID selects a user's files.
expected() { # [UID]
	find "$work/xfs" -xdev -printf '%i\t%y\t%U\t%s\t%h\t%p\n' | awk -F'\t' -v only="$1" '
		$2 == "d" { ino[$6] = $1; path[$1] = $6; owner[$1] = $3; up[$1] = ino[$5]; next }
		{ at = ino[$5]; if (!($1 in place) || at < place[$1]) place[$1] = at; kind[$1] = $2
			size[$1] = $4; uid[$1] = $3 }
		END {
			for (i in place) {
				if (kind[i] != "f" || (only != "" && uid[i] != only))
					continue
				at = place[i]
				files[at]++; bytes[at] += size[i]
				if (size[i] < 4096) tiny[at]++
			}
			for (d in path) {
				if (!files[d]) continue
				for (at = d; at != ""; at = up[at]) { tree[at] += files[d]; treetiny[at] += tiny[d] }
			}
			for (d in path)
				if (only == "" || tree[d])
					printf "%s\t%s\t%d\t%d\t%d\t%d\t%d\n", path[d], owner[d], files[d], tiny[d], bytes[d],
						tree[d], treetiny[d]
		}' | sort
}

reported() { # OPTION…
	"$XFSCENSUS" report dirs --db="$db" --scan="$id" --format=json "$@" >"$work/dirs.json" || return
	jq -r '.rows[] | select(.path != "(unresolved)") |
		[.path, .user, .files, .tiny_files, .bytes, .tree_files, .tree_tiny_files] | @tsv' \
		"$work/dirs.json" | sort
}

# Everything that is stored of directories, without ids.
stored() { # ID
	sql "SELECT ino, hex(name), uid, subdirectories, tree_directories, files, tiny_files, bytes, allocated_bytes,
			tree_files, tree_tiny_files, tree_bytes, tree_allocated_bytes, directory_id, parent_id
		FROM v_directory WHERE scan_id = $1 ORDER BY directory_id"
	sql "SELECT directory_id, uid, files, tiny_files, bytes, allocated_bytes, tree_files, tree_tiny_files,
			tree_bytes, tree_allocated_bytes
		FROM v_directory_user WHERE scan_id = $1 ORDER BY directory_id, uid"
}

# The root's tree and the unresolved row are the whole census.
totals_hold() { # NAME
	is "$1: root and unresolved are the census" "$(sql "SELECT sum(tree_files), sum(tree_tiny_files), sum(tree_bytes),
			sum(tree_allocated_bytes) FROM v_directory WHERE scan_id = $id AND parent_id IS NULL")" \
		"$(sql "SELECT regular_files, tiny_files, bytes, allocated_bytes FROM v_scan WHERE scan_id = $id")"
	is "$1: so are the users" "$(sql "SELECT sum(u.tree_files), sum(u.tree_allocated_bytes)
			FROM v_directory_user AS u JOIN v_directory AS d USING (scan_id, directory_id)
			WHERE scan_id = $id AND d.parent_id IS NULL")" \
		"$(sql "SELECT regular_files, allocated_bytes FROM v_scan WHERE scan_id = $id")"
}

unresolved() { # COLUMN
	sql "SELECT coalesce(sum($1), 0) FROM v_directory WHERE scan_id = $id AND parent_id IS NULL AND directory_id > 0"
}

make_xfs xfs "$((600 + huge / 1000))M" -i maxpct=80 || skip_all 'no filesystem'
make_population
expected >"$work/expected"
ok 'find sees the chain' test "$(wc -l <"$work/expected")" -gt $levels

for variant in '--engine=bulkstat' '--engine=walk' '--engine=device' '--engine=bulkstat --jobs=1' '--engine=walk --jobs=9'; do
	# shellcheck disable=SC2086 # two options
	scan "$variant" --dir-rows=0 $variant
	totals_hold "$variant"
	if [ ! -e "$work/stored" ]; then
		stored "$id" >"$work/stored"
		first=$id
		reported >"$work/actual"
		same "$variant: directories as find sees them" "$work/actual" "$work/expected"
		is "$variant: nothing is unresolved" "$(unresolved tree_files)" 0
	fi
	stored "$id" >"$work/stored.other"
	same "$variant: all that is stored is the same" "$work/stored.other" "$work/stored"
done

for user in 0 4000 5001; do
	expected $user >"$work/expected.user"
	reported --user=$user >"$work/actual"
	same "user $user: as find sees them" "$work/actual" "$work/expected.user"
done

# Part of the tree, by a path with or without the mount point before it.
awk -F'\t' -v top="$work/xfs/links" '$1 == top || index($1, top "/") == 1' "$work/expected" >"$work/part"
reported --under="$work/xfs/links/" >"$work/actual"
same 'under a directory' "$work/actual" "$work/part"
reported --under=links --depth=0 >"$work/actual"
same 'under a directory, that one alone' "$work/actual" <(head -n 1 "$work/part")
is 'sorted by tiny files' "$(jq -r '.rows[0].path' "$work/dirs.json")" "$work/xfs/links"
reported --top=1 >/dev/null
is 'the directory with most tiny files' "$(jq -r '.rows[0] | "\(.path) \(.tiny_files)"' "$work/dirs.json")" \
	"$work/xfs/huge $huge"
run report dirs --db="$db" --under=no/such
failed_clearly 'under what is not there' 64 'no directory no/such'

run report tree --db="$db"
is 'tree: exit status' "$status" 0
like 'tree: the huge directory is hot' "$(cat "$out")" '─ huge .*[0-9.]+ [kM]'
run report --db="$db"
like 'summary: it names the worst tree' "$(cat "$out")" "Trees with most tiny files: $work/xfs/huge [0-9.]+ [kM]"
like 'summary: it says where to go on' "$(cat "$out")" 'Next: xfscensus report dirs'

# Folding leaves out rows and changes none.
scan folded --dir-rows=40
totals_hold folded
ok 'folded: few rows are left' test "$(sql "SELECT count(*) FROM v_directory WHERE scan_id = $id")" -le 41
is 'folded: the threshold is told' \
	"$(sql "SELECT count(*) FROM v_directory JOIN v_directory_scan AS s USING (scan_id)
		WHERE scan_id = $id AND tree_files < s.fold_files AND directory_id > 0")" 0
is 'folded: rows are as they were' "$(sql "SELECT count(*) FROM v_directory AS a WHERE scan_id = $id AND NOT EXISTS
	(SELECT 1 FROM v_directory AS b WHERE b.scan_id = $first AND b.ino = a.ino AND b.files = a.files
		AND b.tree_files = a.tree_files AND b.tree_allocated_bytes = a.tree_allocated_bytes
		AND b.subdirectories = a.subdirectories)")" 0

scan 'without directories' --no-dirs
run report dirs --db="$db"
failed_clearly 'without directories: the report' 2 'has no directories.*--no-dirs'

# An old image whose names carry no file types: the census is whole, and it says what is missing.
truncate -s 300M "$work/old.img"
mkfs.xfs -q -m crc=0 -n ftype=0 "$work/old.img"
run scan --db="$db" --format=json "$work/old.img"
is 'no file types: exit status' "$status" 0
is 'no file types: the inodes are counted' "$(jq .inodes "$out")" 1
like 'no file types: it says why there are no directories' "$(jq -r .engine_reason "$out")" 'ftype=0'

# A deep tree does not make the view of paths slow.
deep=$work/deep
mkdir -p "$deep/$(printf 'd/%.0s' $(seq 1500))"
run scan --db="$db" --engine=walk --quiet "$deep"
ok 'the paths of 1500 levels in a view' \
	timeout 60 sqlite3 "$db" 'SELECT max(length(path)) FROM v_directory WHERE scan_id = (SELECT max(scan_id) FROM scan)'
run report --db="$db"
is 'without directories: the summary' "$status" 0

# What is mounted inside hides nothing from bulkstat and device, and is not looked at by walk.
mount -t tmpfs none "$work/xfs/many" && touch "$work/xfs/many/above"
mount --bind "$work/xfs/huge" "$work/xfs/empty"
for engine in bulkstat device; do
	scan "mounts inside, $engine" --dir-rows=0 --engine=$engine
	totals_hold "mounts inside, $engine"
	stored "$id" >"$work/stored.other"
	same "mounts inside: $engine sees what is below them" "$work/stored.other" "$work/stored"
done
scan 'mounts inside, walk' --dir-rows=0 --engine=walk
totals_hold 'mounts inside, walk'
is 'mounts inside, walk: no directory twice' \
	"$(sql "SELECT count(*) - count(DISTINCT ino) FROM v_directory WHERE scan_id = $id")" 0
umount "$work/xfs/many" "$work/xfs/empty"

# A bind mount of a part: the engines count the whole, by the names that it has in the whole.
bound() { # ENGINE NAME REASON PREFIX
	run scan --db="$db" --format=json --dir-rows=0 --engine="$1" "$work/bound"
	is "$2, $1: exit status" "$status" 0
	id=$(jq .scan_id "$out")
	like "$2, $1: it says what it counts" "$(jq -r .engine_reason "$out")" "$3"
	[ "$1" = walk ] && return
	stored "$id" >"$work/stored.other"
	same "$2, $1: all that is stored is the same" "$work/stored.other" "$work/stored"
	reported --depth=3 >"$work/actual"
	awk -F '\t' -v OFS='\t' -v from="$work/xfs" -v to="$4" '
		{ $1 = to substr($1, length(from) + 1); sub(/^$/, "/", $1) }
		gsub("/", "/", $1) <= depth + gsub("/", "/", to)' depth=3 "$work/expected" |
		sort >"$work/renamed"
	same "$2, $1: paths" "$work/actual" "$work/renamed"
}
mkdir "$work/bound"
mount --bind "$work/xfs/links" "$work/bound"
for engine in bulkstat device walk; do
	name='bind mount of a part'
	reason="the whole filesystem at $work/xfs, not only"
	[ $engine != walk ] || reason="counts only what is below $work/bound"
	bound $engine "$name" "$reason" "$work/xfs"
done
is 'bind mount of a part, walk: its files' "$(jq .regular_files "$out")" 50
umount "$work/xfs"
for engine in bulkstat device; do
	bound $engine 'no mount of the root' 'shows a part; paths begin at its root, which no mount' ''
done
mount -o noatime "$(findmnt -no SOURCE "$work/bound" | sed 's/\[.*//')" "$work/xfs"
umount "$work/bound"

# Open, but deleted.
exec 9>"$work/xfs/gone"
head -c 5000 /dev/zero >&9
rm "$work/xfs/gone"
for engine in bulkstat device; do
	scan "open but deleted, $engine" --engine=$engine
	totals_hold "open but deleted, $engine"
	is "open but deleted, $engine: it is unresolved" \
		"$(unresolved tree_files) $(unresolved tree_bytes)" '1 5000'
done
reported --depth=1 >/dev/null
is 'open but deleted: it has a row' "$(jq -r '.rows[] | select(.path == "(unresolved)").files' "$work/dirs.json")" 1
exec 9>&-

# Names of any bytes.
odd=$'a\tb\n\\ \xff'
mkdir -p "$work/xfs/$odd/below" && touch "$work/xfs/$odd/below/file"
scan 'odd names' --engine=bulkstat
reported --under="$work/xfs/$odd" >/dev/null
is 'odd names: escaped' "$(jq -r '.rows[] | select(.files == 1).path' "$work/dirs.json")" \
	"$work/xfs/"'a\x09b\x0a\\ \xff/below'
rm -r "$work/xfs/$odd"

# Directories that move, come and go while they are read.
churn() {
	while :; do
		mv "$work/xfs/many/"[0-9a-z]* "$work/xfs/empty/" 2>/dev/null
		mkdir -p "$work/xfs/churn/x/y" && touch "$work/xfs/churn/x/y/z"
		mv "$work/xfs/empty/"* "$work/xfs/many/" 2>/dev/null
		rm -rf "$work/xfs/churn"
	done
}
churn &
for round in 1 2 3; do
	for engine in bulkstat walk device; do
		run scan --db="$db" --format=json --engine=$engine --dir-rows=0 "$work/xfs"
		id=$(jq .scan_id "$out")
		ok "moving directories, $engine, $round: done" test "$status" -le 1
		totals_hold "moving directories, $engine, $round"
	done
done
kill $! && wait $! 2>/dev/null
done_testing
