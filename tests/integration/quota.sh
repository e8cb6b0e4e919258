#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# quota against SQL of its own on the public views; what it writes for others: a script that the real
# xfs_quota runs dry and that no name breaks out of (quota_apply.sh has it applied), texts to users; and
# bad policies.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_xfs
need_commands xfs_quota shellcheck

# A filesystem whose mount point is as bad as a name can be, with files for three users.
# shellcheck disable=SC2016 # nothing of it is to be expanded
evil=$'it\'s "x" $(touch pwned) `touch pwned` ;touch pwned\n#\\'
make_xfs xfs 400M || skip_all 'no filesystem'
mkdir "$work/$evil"
mount --move "$work/xfs" "$work/$evil" 2>/dev/null ||
	{ umount "$work/xfs" && mount -o loop,noatime "$work/xfs.img" "$work/$evil"; }
m=$work/$evil

make_files() { # FOLDER UID GID COUNT BYTES
	mkdir "$m/$1"
	(cd "$m/$1" && head -c $(($4 * $5)) /dev/zero | split -a 4 -b "$5")
	chown -R "$2:$3" "$m/$1"
}

make_files tiny 2041 3000 900 100
make_files few 2177 3000 120 100
make_files big 2178 3001 5 3000000
make_files more 2178 3001 40 5000
mkdir "$m/old"
chown 2177:3000 "$m/old"
touch "$m/old/"{1..30}
chown -h 2177:3000 "$m/old/"*
truncate -s 40M "$m/old/1"
make_files mine 0 0 50 100
sync -f "$m"

run scan --db="$db" --format=json "$m"
is 'scan: exit status' "$status" 0
device=$(jq -r .device "$out")
# Nobody can make a file that was last changed long ago; the database can.
sql 'UPDATE age SET day = (day - 730) / 28 * 28 WHERE uid = 2177'

# --- evaluation against SQL ---------------------------------------------------------------------
cat >"$work/p.ini" <<'END'
[policy]
name = test
grace = 14d
tiny_percent_from = 100
[users]
files.soft = 100
files.hard = 500
inodes.hard = 500
tiny_files.soft = 20
bytes.hard = 20M
allocated_bytes.soft = 14M
files_per_tb.soft = 150
tiny_percent.hard = 95
old_files.hard = 0
[user 2177]
files.hard = none
tiny_files.soft = 200
[groups]
inodes.soft = 50
[projects]
inodes.hard = 1
END

# What an owner has, and its limits, as in p.ini: kind id rule value soft hard.
expected() {
	sql "
	CREATE TEMP TABLE has AS
	WITH cell AS (
		SELECT 'user' AS kind, uid AS id, c.kind AS what, size_class, inodes, size_bytes AS bytes, allocated_bytes FROM v_cell AS c
		UNION ALL
		SELECT 'group', gid, c.kind, size_class, inodes, size_bytes, allocated_bytes FROM v_cell AS c)
	SELECT kind, id, sum(inodes) AS inodes,
		sum(CASE what WHEN 'regular' THEN inodes ELSE 0 END) AS files,
		sum(CASE WHEN what = 'regular' AND size_class <= 12 THEN inodes ELSE 0 END) AS tiny,
		sum(CASE what WHEN 'regular' THEN bytes ELSE 0 END) AS bytes,
		sum(allocated_bytes) AS allocated
	FROM cell WHERE id >= 1000 GROUP BY kind, id;
	CREATE TEMP TABLE asked (kind, id, rule, value, soft, hard);
	INSERT INTO asked
		SELECT kind, id, 'inodes', inodes, NULL, 500 FROM has WHERE kind = 'user' UNION ALL
		SELECT kind, id, 'files', files, 100, CASE id WHEN 2177 THEN NULL ELSE 500 END FROM has WHERE kind = 'user' UNION ALL
		SELECT kind, id, 'tiny_files', tiny, CASE id WHEN 2177 THEN 200 ELSE 20 END, NULL FROM has WHERE kind = 'user' UNION ALL
		SELECT kind, id, 'bytes', bytes, NULL, 20971520 FROM has WHERE kind = 'user' UNION ALL
		SELECT kind, id, 'allocated_bytes', allocated, 14680064, NULL FROM has WHERE kind = 'user' UNION ALL
		SELECT kind, id, 'files_per_tb', files, 150, NULL FROM has WHERE kind = 'user' UNION ALL
		SELECT kind, id, 'tiny_percent', (tiny * 100 + files - 1) / files, NULL, 95 FROM has WHERE kind = 'user' AND files >= 100 UNION ALL
		SELECT kind, id, 'old_files', (SELECT coalesce(sum(files), 0) FROM v_age AS a
			WHERE a.uid = has.id AND a.day < (SELECT started_seconds / 86400 - 180 FROM v_scan)), NULL, 0
			FROM has WHERE kind = 'user' UNION ALL
		SELECT kind, id, 'inodes', inodes, 50, NULL FROM has WHERE kind = 'group';
	SELECT kind, id, rule, value, CASE WHEN value > hard THEN 'hard' WHEN value > soft THEN 'soft' ELSE 'ok' END
	FROM asked ORDER BY kind, id, rule"
}

run quota --db="$db" --policy="$work/p.ini" --format=json
is 'quota: exit status' "$status" 0
is 'quota: nothing on standard error' "$err" ''
expected >"$work/expected"
jq -r '.rows[] | [.kind, .id, .rule, .value, .state] | join("|")' "$out" | LC_ALL=C sort >"$work/actual"
LC_ALL=C sort -o "$work/expected" "$work/expected"
ok 'the SQL finds owners in every state' \
	test "$(cut -d'|' -f5 "$work/expected" | sort -u | tr '\n' ' ')" = 'hard ok soft '
same 'who is over what, as SQL sees it' "$work/actual" "$work/expected"
is 'those over and not exempt are counted' \
	"$(jq -c '.policies[0] | [.owners_ok, .owners_soft, .owners_hard, .owners_exempt]' "$out")" '[1,2,2,2]'
is 'without a calibration there is no window, and it says why' \
	"$(jq -c '[.window_seconds_before, .window_seconds_after, (.window_unknown | test("calibrate"))]' "$out")" \
	'[null,null,true]'
like 'quota accounting is asked for' "$(jq -c '[.quota_accounting, .quota_unknown]' "$out")" '^\["'
run quota --db="$db" --policy="$work/p.ini"
like 'text says how many are over' "$(sed -n 2p "$out")" 'Policy test: 4 of 5 owners are over a limit, 2 of them over a hard one; 2 are exempt'
run quota --db="$db" --policy="$work/p.ini" --policy="$top_srcdir/policies/zib-work.ini" --format=json
is 'policies side by side' "$(jq -c '[.policies[].owners_hard]' "$out")" '[2,0]'
run quota --db="$db" --format=json
is 'without --policy the built-in one' "$(jq -c '[.policies[0].policy, .rows[0].soft, .rows[0].hard]' "$out")" \
	'["built-in",500000,1000000]'
run quota --db="$db" suggest --window=8h
failed_clearly 'suggest without a calibration' 2 'no limit to suggest: .*calibrate'

# --- the script, dry, with the real xfs_quota ----------------------------------------------------
cd "$work" || exit 99
run quota --db="$db" --policy="$work/p.ini" --emit=script --output="$work/script"
is 'script: exit status' "$status" 0
ok 'script: shellcheck has nothing to say' shellcheck "$work/script"
is 'script: root is not limited' "$(grep -cE 'limit [ugp] 0 ' "$work/script")" 0
ok 'script: inodes have no suffix, bytes are bytes' \
	grep -qF 'limit u 2041 isoft=100 ihard=500 bsoft=14680064 bhard=20971520 #' "$work/script"
status=0
for shell in sh bash; do
	$shell "$work/script" >"$work/dry.$shell" 2>"$work/dry.err" || status=$?
	is "$shell, dry run: exit status" "$status" 0
	is "$shell, dry run: nothing on standard error" "$(cat "$work/dry.err")" ''
	is "$shell, dry run: says every command" "$(grep -c '^would run: xfs_quota -x -c ' "$work/dry.$shell")" 8
done
if xfs_quota -x -c state "$m" | grep -q 'Accounting: ON'; then
	skip 'accounting is off: the script says so' 'it is on'
else
	like 'accounting is off: the script says so' "$(cat "$work/dry.sh")" 'quota accounting is OFF \(state -u\)'
	status=0
	sh "$work/script" --apply >"$work/apply" 2>&1 || status=$?
	is 'accounting is off: nothing is applied' "$status $(tail -n 1 "$work/apply")" '2 nothing was changed'
fi
is 'no command in a mount point was run' "$(find "$work" -name pwned)" ''
umount "$m" && mkdir "$work/else"
status=0
sh "$work/script" >"$work/gone" 2>&1 || status=$?
is 'not mounted: exit status' "$status" 2
like 'not mounted: it says so' "$(cat "$work/gone")" 'nothing is mounted at'
mount -o loop,noatime "$work/xfs.img" "$m"

# --- restore files and mail ----------------------------------------------------------------------
run quota --db="$db" --policy="$work/p.ini" --emit=restore
failed_clearly 'two kinds into one restore file' 64 'name a folder by --output'
mkdir "$work/restore"
run quota --db="$db" --policy="$work/p.ini" --emit=restore --output="$work/restore"
is 'restore: exit status' "$status" 0
is 'restore: a file for each kind' "$(ls "$work/restore")" $'group.restore\nuser.restore'
is 'restore: device, then 512-byte blocks and inodes' "$(sed -n '1p;2p' "$work/restore/user.restore" | tr -s ' ')" \
	"fs = $device"$'\n2041 28672 40960 100 500 0 0'
run quota --db="$db" --policy="$work/p.ini" --emit=mail
is 'mail wants a folder' "$status" 64
# Names that are no file names, and two users of one name.
printf '%s\n' root:x:0:0::/: twin:x:2041:1::/: twin:x:2177:1::/: '../x:x:2178:1::/:' >"$work/passwd"
cat >"$work/with_names" <<END
#!/bin/sh
exec unshare -m --propagation slave sh -c 'mount --bind "\$1" /etc/passwd && shift && exec "\$@"' - '$work/passwd' '$XFSCENSUS' "\$@"
END
chmod 755 "$work/with_names"
XFSCENSUS=$work/with_names run quota --db="$db" --policy="$work/p.ini" --emit=mail --output="$work/mail"
is 'mail: exit status' "$status" 0
like 'mail: it says that nothing was sent' "$err" 'wrote 3 texts to .*; nothing was sent'
is 'mail: a text for each user over a limit' "$(ls "$work/mail")" $'twin.txt\nuid-2177.txt\nuid-2178.txt'
is 'mail: nothing anywhere else' "$(find "$work" -name 'x*.txt' -o -name '*.txt' -not -path "$work/mail/*")" ''
is 'mail: all of it is for its owner' "$(stat -c %a "$work/mail" "$work/mail/twin.txt" | tr '\n' ' ')" '700 600 '
like 'mail: where, what and how many' "$(cat "$work/mail/twin.txt")" \
	'files: 900.*limits are 100 \(soft\) and 500 \(hard\); 800 to go.*900  .*/tiny.*tar -czf.*chattr.*Please do so by 20'
like 'mail: who has too many bytes hears where they are' "$(cat "$work/mail/uid-2178.txt")" \
	'space on disk: .*bytes are in these directories:.* MiB  .*/big'
# What is grace counts from the day that the text is written on.
sql 'UPDATE scan SET started_seconds = started_seconds - 8640000'
run quota --db="$db" --policy="$work/p.ini" --emit=mail --output="$work/mail-of-old"
like 'mail: of an old scan: not by a day of the past' "$(cat "$work/mail-of-old/uid-2041.txt")" \
	"counted on $(date -u -d '-100 days' +%Y-%m).*Please do so by ($(date -u -d '13 days 23 hours 50 minutes' +%F)|$(date -u -d '14 days' +%F))"
sql 'UPDATE scan SET started_seconds = started_seconds + 8640000'
run quota --db="$db" --policy="$work/p.ini" --emit=mail --output="$work/mail"
failed_clearly 'mail: not to a folder that has something in it' 2 'is not empty: texts of another day'
run quota --db="$db" --policy="$work/p.ini" --emit=mail --output="$work/p.ini"
failed_clearly 'mail: not to a file' 2 'cannot make the folder'
run quota --db="$db" --policy="$work/p.ini" --emit=script --top=3
is 'files are for everybody concerned: exit status' "$status" 64
run quota --db="$db" --policy="$top_srcdir/policies/cscs-store.ini" --policy="$work/p.ini" --emit=script
is 'several policies emit nothing' "$status" 64
printf '[users]\ntiny_files.hard = 5\n' >"$work/tiny.ini"
run quota --db="$db" --policy="$work/tiny.ini" --emit=script
failed_clearly 'nothing that XFS could enforce' 2 'no owner of the scan a limit that XFS could enforce'

# --- bad policies and options ---------------------------------------------------------------------
head -c 10M /dev/urandom >"$work/garbage.ini"
run quota --db="$db" --policy="$work/garbage.ini"
failed_clearly 'garbage' 2 'garbage.ini: larger than 1048576 bytes'
: >"$work/empty.ini"
run quota --db="$db" --policy="$work/empty.ini"
failed_clearly 'an empty file' 2 'empty.ini: there is no limit in it'
printf '[users]\n\nfiles.soft = 2\nfiles.hard = 1\n' >"$work/bad.ini"
run quota --db="$db" --policy="$work/bad.ini"
failed_clearly 'soft above hard' 2 'bad.ini:4: \[users\] files.soft \(line 3\) is above files.hard'
printf '[users]\nfiles.hard = 1\n' | "$XFSCENSUS" quota --db="$db" --policy=- --format=json >"$out"
is 'a policy from standard input' "$(jq -c '[.rows[0].limit, .policies[0].owners_hard]' "$out")" '[1,3]'
run quota --db="$db" --policy=no-such-preset
failed_clearly 'no such preset' 2 'no file "no-such-preset", and no preset of that name; in .* there are '
run quota --db="$db" suggest
is 'suggest without a window: exit status' "$status" 64
run quota --db="$db" suggest --window=8h --rule=age
is 'suggest of what cannot be suggested: exit status' "$status" 64
run quota --db="$db" suggest --window=8h --emit=script
is 'suggest emits nothing: exit status' "$status" 64
run quota --db="$db" nonsense
is 'an unknown operand: exit status' "$status" 64

# --- with a calibration ---------------------------------------------------------------------------
umount "$m" && dd if="$work/xfs.img" iflag=nocache count=0 status=none && mount -o loop,noatime "$work/xfs.img" "$m"
run calibrate --db="$db" --budget=5s "$m"
is 'calibrate: exit status' "$status" 0
run quota --db="$db" --policy="$work/p.ini" --format=json
ok 'the window shrinks if all come within the policy' \
	jq -e '.window_seconds_after > 0 and .window_seconds_after < .window_seconds_before' "$out"
before=$(jq .window_seconds_before "$out")
run predict --db="$db" --format=json
is 'the window is the one predicted' "$before" "$(jq .seconds "$out")"
run quota suggest --db="$db" --window=0.000001s --format=json
is 'a window out of reach is said to be' \
	"$(jq -c '[.reachable, .limit, .users_hit, .window_seconds_after > 0]' "$out")" '["no",0,2,true]'
middle=$(jq '(.window_seconds_before * 0.75 + .window_seconds_after * 0.25)' "$out")
run quota suggest --db="$db" --window="${middle}s" --rule=files --format=json
is 'a window within reach hits the fewest' "$(jq -c '[.reachable, .users_hit]' "$out")" '["yes",1]'
ok 'and is reached' jq -e '.window_seconds_after <= .target_window_seconds' "$out"
done_testing
