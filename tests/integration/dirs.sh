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

# What a report should say, made of find's lines: each inode at the directory with the smallest number of
# those that name it, each directory, from the last one back, added to the one above it, which find prints
# earlier. UID selects a user's files. Of each directory: path, owner, its own files, tiny files, bytes and
# allocated bytes, and files, tiny files and allocated bytes of its tree.
expected() { # [UID]
	find "$work/xfs" -xdev -printf '%i\t%y\t%U\t%s\t%b\t%h\t%p\n' | awk -F'\t' -v only="$1" '
		$2 == "d" { ino[$7] = $1; path[$1] = $7; owner[$1] = $3; up[$1] = ino[$6]; place[$1] = order[++dirs] = $1 }
		$2 != "d" { at = ino[$6]; if (!($1 in place) || at < place[$1]) place[$1] = at }
		{ kind[$1] = $2; uid[$1] = $3; size[$1] = $4; held[$1] = $5 }
		END {
			for (i in place) {
				if (only != "" && uid[i] != only)
					continue
				at = place[i]
				blocks[at] += held[i]
				if (kind[i] != "f")
					continue
				files[at]++; bytes[at] += size[i]
				if (size[i] < 4096) tiny[at]++
			}
			for (i = dirs; i > 0; i--) {
				d = order[i]
				treefiles[d] += files[d]; treetiny[d] += tiny[d]; treeblocks[d] += blocks[d]
				treefiles[up[d]] += treefiles[d]; treetiny[up[d]] += treetiny[d]
				treeblocks[up[d]] += treeblocks[d]
				if (only == "" || treefiles[d])
					printf "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", path[d], owner[d], files[d], tiny[d],
						bytes[d], 512 * blocks[d], treefiles[d], treetiny[d], 512 * treeblocks[d]
			}
		}' | sort
}

reported() { # OPTION…
	"$XFSCENSUS" report dirs --db="$db" --scan="$id" --format=json "$@" >"$work/dirs.json" || return
	jq -r '.rows[] | select(.path != "(unresolved)") | [.path, .user, .files, .tiny_files, .bytes, .allocated_bytes,
		.tree_files, .tree_tiny_files, .tree_allocated_bytes] | @tsv' "$work/dirs.json" | sort
}

# How many directories there are in each directory, and in its tree, by inode number: of find and of a scan.
expected_directories() {
	find "$work/xfs" -xdev -type d -printf '%i\t%h\t%p\n' | awk -F'\t' '
		{ ino[$3] = order[NR] = $1; up[$1] = ino[$2]; below[up[$1]]++ }
		END {
			for (i = NR; i > 0; i--) {
				d = order[i]
				all[up[d]] += all[d] + 1
				printf "%d|%d|%d\n", d, below[d], all[d]
			}
		}' | sort
}
stored_directories() {
	sql "SELECT ino, subdirectories, tree_directories FROM v_directory
		WHERE scan_id = $id AND (parent_id IS NOT NULL OR directory_id = 0)" | sort
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
		same "$variant: how many directories are where" <(stored_directories) <(expected_directories)
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
ln -s "$work/xfs/links" "$work/short"
reported --under="$work/short" >"$work/actual"
same 'under a directory, by a link that leads there' "$work/actual" "$work/part"
reported --under="/$work/xfs/./links//" >"$work/actual"
same 'under a directory, by a roundabout path' "$work/actual" "$work/part"
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
run report tree --db="$db"
failed_clearly 'without directories: the tree' 2 'has no directories.*--no-dirs'
run report --db="$db"
is 'without directories: the summary' "$status" 0
run report --db="$db" --format=html
is 'without directories: the page' "$status" 0

# Old images, one whose names carry no file types and one with: the same directories in both.
old_prototype() {
	printf '/none\n0 0\nd--755 0 0\n'
	for d in 2 30 700; do
		printf 'd%d d--755 %d 0\n' $d $d
		seq -f "a-file-%.0f ---644 $d 0 $work/tiny" 1 $d
		printf 'large ---644 0 0 %s\nlink l--777 0 0 d%d\nbelow d--755 0 0\n' "$work/large" $d
		seq -f "b%.0f ---644 0 0 $work/tiny" 1 $((d / 2))
		printf '$\n$\n'
	done
	echo '$'
}
printf 'tiny' >"$work/tiny"
head -c 5000 /dev/zero >"$work/large"
old_prototype >"$work/prototype"
printf '%s\t%d\t%d\t%d\t%d\t%d\n' / 0 0 1101 0 1098 >"$work/expected.old"
for d in 2 30 700; do
	printf '%s\t%d\t%d\t%d\t%d\t%d\n' /d$d $d $((d + 1)) $((d + 1 + d / 2)) $((4 * d + 5000)) $((d + d / 2)) \
		/d$d/below 0 $((d / 2)) $((d / 2)) $((4 * (d / 2))) $((d / 2))
done >>"$work/expected.old"
for old in '-n ftype=0' '-n ftype=1' '-b size=512 -n size=65536,ftype=0'; do
	rm -f "$work/old.img"
	truncate -s 300M "$work/old.img"
	# shellcheck disable=SC2086 # several options
	mkfs.xfs -q -m crc=0 $old -p "$work/prototype" "$work/old.img" >"$work/mkfs" 2>&1
	run scan --db="$db" --format=json "$work/old.img"
	is "version 4, $old: exit status" "$status" 0
	"$XFSCENSUS" report dirs --db="$db" --format=json | jq -r '.rows[] |
		[.path, .user, .files, .tree_files, .bytes, .tree_tiny_files] | @tsv' | sort >"$work/actual"
	same "version 4, $old: directories" "$work/actual" <(sort "$work/expected.old")
done

# A deep tree does not make the view of paths slow.
deep=$work/deep
mkdir -p "$deep/$(printf 'd/%.0s' $(seq 1500))"
run scan --db="$db" --engine=walk --quiet "$deep"
ok 'the paths of 1500 levels in a view' \
	timeout 60 sqlite3 "$db" 'SELECT max(length(path)) FROM v_directory WHERE scan_id = (SELECT max(scan_id) FROM scan)'

# What is mounted inside hides nothing, and is not looked at; root's walk sees below it as well.
mount -t tmpfs none "$work/xfs/many" && touch "$work/xfs/many/above"
mount --bind "$work/xfs/huge" "$work/xfs/empty"
for engine in bulkstat device walk; do
	scan "mounts inside, $engine" --dir-rows=0 --engine=$engine
	totals_hold "mounts inside, $engine"
	stored "$id" >"$work/stored.other"
	same "mounts inside: $engine sees what is below them" "$work/stored.other" "$work/stored"
done
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

# Open, but deleted: a file, and a directory that was a large one.
mkdir "$work/xfs/gone.d"
(cd "$work/xfs/gone.d" && seq 2000 | xargs touch && seq 2000 | xargs rm)
exec 8<"$work/xfs/gone.d"
rmdir "$work/xfs/gone.d"
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
exec 8<&- 9>&-

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
		is "moving directories, $engine, $round: none counts twice" "$(sql "SELECT count(*) - count(DISTINCT ino)
			FROM v_directory WHERE scan_id = $id AND (parent_id IS NOT NULL OR directory_id = 0)")" 0
	done
done
kill $! && wait $! 2>/dev/null
done_testing
