#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What quota writes for others, put to use by the real xfs_quota: scripts set limits, in the right units,
# and take them back; restore files restore; what quota accounts for is shown beside the census. The
# kernel's part is played by a file (quotactl_file.c), as not every kernel has quota.
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"

need_xfs
need_commands xfs_quota xfs_io setpriv shellcheck
kept=$work/kept
${CC:-cc} -shared -fPIC -o "$work/quotactl.so" "$top_srcdir/tests/integration/quotactl_file.c" 2>"$work/err" ||
	skip_all "no compiler: $(cat "$work/err")"

# The program, and any other, on a kernel that keeps quota in that file.
cat >"$work/with_quota" <<END
#!/bin/sh
exec env QUOTA_FILE='$kept' LD_PRELOAD='$work/quotactl.so' \
	ASAN_OPTIONS="\${ASAN_OPTIONS:+\$ASAN_OPTIONS:}verify_asan_link_order=0" "\$@"
END
cat >"$work/census_with_quota" <<END
#!/bin/sh
exec '$work/with_quota' '$XFSCENSUS' "\$@"
END
chmod 755 "$work/with_quota" "$work/census_with_quota"
XFSCENSUS=$work/census_with_quota

# What is mounted there first is of no interest; and its name tries to say that accounting is on.
m=$work/$'it\'s $(touch pwned)\n  Accounting: ON'
make_xfs xfs 300M || skip_all 'no filesystem'
umount "$work/xfs"
mkdir "$m"
mount -t tmpfs tmpfs "$m"
mount -o loop,noatime "$work/xfs.img" "$m"
mkdir "$m/many" "$m/project"
(cd "$m/many" && seq 30 | split -l 1 -a 3)
chown -R 2041:3000 "$m/many"
touch "$m/project/"{1..5}
chown -R 2177:3001 "$m/project"
xfs_io -c 'chproj -R 7' "$m/project"
sync -f "$m"

cat >"$work/p.ini" <<'END'
[policy]
grace = 14d
[users]
files.soft = 10
files.hard = 20
allocated_bytes.hard = 1M
[groups]
inodes.soft = 8
[projects]
bytes.hard = 1000
END
run scan --db="$db" --format=json "$m"
is 'scan: exit status' "$status" 0
device=$(jq -r .device "$out")
has() { # KIND-COLUMN ID: blocks and inodes
	sql "SELECT sum(allocated_bytes) / 512, sum(inodes) FROM v_cell WHERE $1 = $2" | tr '|' ' '
}

# Limits of before: of 2041, with realtime ones; of somebody who is not in the scan; and defaults.
cat >"$kept" <<END
state 3f
timer 0 604800 5400
timer 1 604800 604800
timer 2 604800 604800
quota 0 2041 $(has uid 2041) 8 16 900 1000 0 64
quota 0 5000 8 1 1 2 3 4 0 0
quota 0 0 8 4 0 0 70 90 0 0
quota 1 3000 $(has gid 3000 | awk '{ print $1, $2 + 1 }') 0 0 0 0 0 0
END
cp "$kept" "$work/at_first"
limits() { # of all that have some, and timers
	awk '$1 == "timer" || $6 + $7 + $8 + $9 + $10 + $11 > 0 { $4 = $1 == "timer" ? $4 : ""; $5 = ""; print }' "$kept" | sort
}
limits >"$work/before"

# --- beside the census ----------------------------------------------------------------------------
run quota --db="$db" --policy="$work/p.ini" --format=json
is 'what is on' "$(jq -c '[.quota_accounting, .quota_enforcement]' "$out")" \
	'["user and group and project","user and group and project"]'
is 'usage and why it differs' "$(jq -c '.usage[] | [.kind, .id, .quota_inodes, .difference]' "$out")" \
	'["user",2041,31,"same"]
["user",2177,null,"quota knows nothing of this owner"]
["group",3000,32,"created since the scan"]
["group",3001,null,"quota knows nothing of this owner"]
["project",7,null,"quota knows nothing of this owner"]'
export QUOTA_DENIED=1
run quota --db="$db" --policy="$work/p.ini" --format=json
is 'not told: it says so' "$(jq -r '.usage[0].difference' "$out")" 'only root is told what others have'
mkdir "$work/restore"
run quota --db="$db" --policy="$work/p.ini" --emit=restore --output="$work/restore"
failed_clearly 'not told: no restore file' 2 'those of user 2041 cannot be asked for'
is 'not told: nothing is left' "$(ls -A "$work/restore")" ''
unset QUOTA_DENIED
echo 'state 0' >"$kept"
run quota --db="$db" --policy="$work/p.ini"
like 'off: it says so' "$(cat "$out")" 'Quota accounting is off here'
run quota --db="$db" --policy="$work/p.ini" --emit=restore --output="$work/restore"
like 'off: it says what a restore file would do' "$err" 'user quota accounting is off.*are written as none'

# --- the script -----------------------------------------------------------------------------------
cd "$work" || exit 99
run quota --db="$db" --policy="$work/p.ini" --emit=script --output="$work/script"
is 'script: exit status' "$status" 0
script() { # OPTION…
	status=0
	"$work/with_quota" sh "$work/script" "$@" >"$work/said" 2>&1 || status=$?
}
script --apply
is 'off: exit status' "$status" 2
is 'off: nothing was changed' "$(tail -n 1 "$work/said") $(cat "$kept")" 'nothing was changed state 0'
sed 's/^state.*/state 3c/' "$work/at_first" >"$kept"
script --apply
is 'off for users only: exit status' "$status" 2
like 'off for users only: it says so' "$(cat "$work/said")" '^quota accounting is OFF \(state -u\)'
cp "$work/at_first" "$kept"
script
is 'dry: exit status' "$status" 0
is 'dry: what is to be run can be pasted' "$(grep -c "^would run: .* '.*it'" "$work/said")" 7
limits >"$work/now"
same 'off or dry: nothing was set' "$work/now" "$work/before"
status=0
setpriv --reuid=65534 --regid=65534 --clear-groups "$work/with_quota" sh "$work/script" --apply >"$work/said" 2>&1 ||
	status=$?
is 'not root: exit status' "$status" 2
is 'not root: it says so' "$(tail -n 1 "$work/said")" 'only root can set limits: nothing was changed'
script --apply
is 'applied: exit status' "$status" 0
is 'applied: blocks of 512 bytes, inodes, and what the policy says nothing of' "$(grep '^quota 0 2041' "$kept" | cut -d' ' -f6-)" \
	'8 2048 10 20 0 64'
is 'applied: a group' "$(grep '^quota 1 3000' "$kept" | cut -d' ' -f6-)" '0 0 8 0 0 0'
is 'applied: a project' "$(grep '^quota 2 7' "$kept" | cut -d' ' -f6-)" '0 2 0 0 0 0'
is 'applied: others and defaults as they were' "$(grep -c '^quota 0 5000 8 1 1 2 3 4 0 0$\|^quota 0 0 8 4 0 0 70 90 0 0$' "$kept")" 2
is 'applied: timers' "$(grep ^timer "$kept" | tr '\n' ' ')" 'timer 0 604800 1209600 timer 1 604800 1209600 timer 2 604800 604800 '
like 'applied: it says how to undo' "$(tail -n 1 "$work/said")" 'To undo: sh .*/script --undo \./quota-before'
script --undo
is 'undo of nothing: exit status' "$status" 64
script --undo "$work/restore"
is 'undo of something else: exit status' "$status" 2
script --undo ./quota-before.*
is 'undone: exit status' "$status" 0
limits >"$work/now"
same 'undone: all is as it was, to the second' "$work/now" "$work/before"
script --nonsense
is 'an unknown option: exit status' "$status" 64
is 'no command in a mount point was run' "$(find "$work" -name pwned)" ''

# --- of a tree alone -------------------------------------------------------------------------------
run scan --db="$work/tree.db" --engine=walk "$m/many"
run quota --db="$work/tree.db" --fs="$m/many" --policy="$work/p.ini" --emit=script
is 'of a tree: exit status' "$status" 0
like 'of a tree: the script says so' "$(cat "$out")" \
	$'# The scan was of the tree [^\n]*many alone:\n# what owners have elsewhere was not counted'
ok 'of a tree: it is a script all the same' sh -n "$out"
ok 'of a tree: shellcheck has nothing to say' shellcheck "$out"

# --- restore files --------------------------------------------------------------------------------
run quota --db="$db" --policy="$work/p.ini" --emit=restore --output="$work/restore"
is 'restore: exit status' "$status" 0
is 'restore: nothing to say' "$err" ''
is 'restore: a file for each kind' "$(ls "$work/restore")" $'group.restore\nproject.restore\nuser.restore'
is 'restore: the device' "$(head -qn 1 "$work/restore/"* | sort -u)" "fs = $device"
for kind in user group project; do
	"$work/with_quota" xfs_quota -x -c "restore -${kind:0:1} -f $work/restore/$kind.restore" "$m"
done
is 'restored: a user' "$(grep '^quota 0 2041' "$kept" | cut -d' ' -f6-)" '8 2048 10 20 0 64'
is 'restored: who had no limits' "$(grep '^quota 0 2177' "$kept" | cut -d' ' -f6-)" '0 2048 10 20 0 0'
is 'restored: a group and a project' "$(grep '^quota [12]' "$kept" | cut -d' ' -f2,3,6-)" \
	$'1 3000 0 0 8 0 0 0\n1 3001 0 0 8 0 0 0\n2 7 0 2 0 0 0 0'
done_testing
