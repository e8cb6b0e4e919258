#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What others read or run: metrics by promtool, alert rules and the dashboard against them, check as
# a plugin, histories of many scans, systemd units. The history is made, so that its truth is known.
. "${top_srcdir:?}/tests/integration/lib.sh"
need_commands jq promtool script systemd-analyze setpriv sqlite3
work_begin
night=86400
now=$(date +%s)
contrib=$top_srcdir/contrib

make_history() { # DATABASE SCANS USERS [NOW]
	"$top_builddir/tests/bench/make_history" "$@"
}

# The names of all metrics that standard input mentions.
metrics_in() {
	grep -oE 'xfscensus_[a-z_]+' | sort -u
}

metrics() {
	run report --db="$db" --format=openmetrics --output="$work/x.prom"
	is 'metrics: exit status' "$status" 0
	ok 'metrics: promtool takes them without a complaint' promtool check metrics <"$work/x.prom"
	none 'metrics: promtool says nothing' promtool check metrics <"$work/x.prom"
	is 'metrics: they end as OpenMetrics wants' "$(tail -n 1 "$work/x.prom")" '# EOF'
	is 'metrics: 20 users and the rest' "$(grep -c '^xfscensus_user_files{' "$work/x.prom")" 21
	is 'metrics: no file is left beside' "$(find "$work" -name '*prom*' | wc -l)" 1
	run report metrics --db="$db" --format=openmetrics --top=0
	is 'metrics: all users if asked for' "$(grep -c '^xfscensus_user_files{' "$out")" 30
	is 'metrics: the users add up' \
		"$(sed -n 's/^xfscensus_user_files{.*} //p' "$work/x.prom" | jq -s add)" \
		"$(sed -n 's/^xfscensus_files{.*} //p' "$work/x.prom")"
	run report users --db="$db" --format=openmetrics
	failed_clearly 'metrics of another report' 64 'openmetrics is for the report "metrics"'
}

rules() {
	local rules=$contrib/prometheus/xfscensus.rules.yml
	ok 'the alert rules are valid' promtool check rules "$rules"
	metrics_in <"$work/x.prom" >"$work/metrics"
	none 'the alert rules ask for metrics that are there' \
		comm -23 <(sed 's/#.*//' "$rules" | metrics_in) "$work/metrics"
	none 'the dashboard asks for metrics that are there' \
		comm -23 <(metrics_in <"$contrib/grafana/xfscensus.json") "$work/metrics"
	{
		echo 'groups: [{name: x, rules: ['
		jq -r '.panels[].targets[].expr' "$contrib/grafana/xfscensus.json" | while IFS= read -r expr; do
			echo "{record: \"x:x\", expr: '$expr', labels: {n: \"$((n += 1))\"}},"
		done
		echo ']}]'
	} >"$work/dashboard.yml"
	ok 'the queries of the dashboard are valid' promtool check rules "$work/dashboard.yml"
	cat >"$work/alerts.yml" <<-END
		rule_files: [$(realpath "$rules")]
		tests:
		  - interval: 1m
		    input_series:
		      - {series: 'xfscensus_window_seconds{filesystem="/a"}', values: '30000x300'}
		      - {series: 'xfscensus_window_forecast_seconds{filesystem="/a"}', values: '40000x300'}
		      - {series: 'xfscensus_window_seconds{filesystem="/b"}', values: '3000x300'}
		      - {series: 'xfscensus_window_forecast_seconds{filesystem="/b"}', values: '40000x300'}
		      - {series: 'xfscensus_user_tiny_files{user="other"}', values: '9000000x300'}
		      - {series: 'xfscensus_user_tiny_files{user="other",uid="7",filesystem="/a"}', values: '2000000x300'}
		      - {series: 'xfscensus_scan_timestamp_seconds{filesystem="/a"}', values: '100800x300'}
		      - {series: 'xfscensus_scan_timestamp_seconds{filesystem="/b"}', values: '14000x300'}
		    alert_rule_test:
		      - eval_time: 4h
		        alertname: XfscensusScanAhead
		        exp_alerts:
		          - exp_labels: {severity: warning, filesystem: /a}
		            exp_annotations:
		              summary: 'The newest scan of /a is dated 1d 0h 0m 0s ahead'
		              description: 'A clock is or was wrong: xfscensus scans; scans --prune=ID deletes it'
		      - eval_time: 4h
		        alertname: XfscensusUserTinyFiles
		        exp_alerts:
		          - exp_labels: {severity: warning, filesystem: /a, user: other, uid: 7}
		            exp_annotations:
		              summary: 'other has 2M tiny files in /a'
		              description: 'Where: xfscensus report tree --user=7 --fs=/a'
		      - eval_time: 4h
		        alertname: XfscensusWindowTooLong
		        exp_alerts:
		          - exp_labels: {severity: critical, filesystem: /a}
		            exp_annotations:
		              summary: 'A dump of /a takes 8h 20m 0s'
		              description: 'Who causes it: xfscensus report --fs=/a'
		      - eval_time: 4h
		        alertname: XfscensusWindowWillBeTooLong
		        exp_alerts:
		          - exp_labels: {severity: warning, filesystem: /b}
		            exp_annotations:
		              summary: 'In 30 days a dump of /b will take 11h 6m 40s'
		              description: 'When, and who drives it: xfscensus report trend --limit=8h --fs=/b'
	END
	ok 'the alerts fire when they should' promtool test rules "$work/alerts.yml"
}

# One line, of a status, with performance data that is what plugins give.
checked() { # NAME STATUS REGEX
	is "check, $1: exit status" "$status" "$2"
	is "check, $1: one line" "$(wc -l <"$out")" 1
	is "check, $1: nothing on standard error" "$err" ''
	like "check, $1: it says so" "$(cat "$out")" "$3"
}

plugin() {
	local number='-?[0-9.e+]+' data
	run check --db="$db"
	checked 'no threshold' 0 '^XFSCENSUS OK - /srv/history: backup window .*; uid 2000 has .* tiny files'
	data=$(sed 's/.*| //' "$out")
	like 'check: performance data' "$data" "^([a-z_]+=${number}s?;($number)?;($number)?;0 ?)+\$"
	is 'check: one line on a narrow terminal too' "$(script -qec "stty cols 40; '$XFSCENSUS' check --db='$db'" \
		/dev/null </dev/null | wc -l)" 1
	run check --db="$db" --window=1s:8h --user-tiny=100M
	checked 'a warning' 1 'WARNING - .*backup window .*, above 1.0 s [|] window=.*s;1;28800;0'
	run check --db="$db" --window=1s:8h --user-tiny=1M
	checked 'the worst counts' 2 'CRITICAL - .*above 1.0 s; uid 2000 has .* above 1.0 M'
	run check --db="$db" --growth=9k:11k
	checked 'growth' 1 'uid 2000 gained 10.0 k tiny files a day, above 9'
	run check --db="$db" --max-age=36h
	checked 'a fresh scan' 0 'OK'
	run check --db="$db" --fs=/no/such/place
	checked 'no such filesystem' 3 'UNKNOWN - .*/no/such/place'
	run check --db="$work/none.db"
	checked 'no database' 3 'UNKNOWN - .*none.db'
	run check --db="$db" --window=soon
	checked 'a threshold that is none' 3 'UNKNOWN - --window: "soon" is not a duration'
	run check --db="$db" --window=8h:6h
	checked 'a warning above' 3 'UNKNOWN - --window: .*warning comes first'
	run check --frobnicate
	checked 'an unknown option' 3 'UNKNOWN - there is no option "--frobnicate"'
	run check --db="$db" --format=json --user-tiny=1M
	is 'check in JSON' "$(jq -r '.schema, .state' "$out" | paste -sd' ')" 'xfscensus/check/1 CRITICAL'
	make_history "$work/old.db" 3 5 "$((now - 40 * 3600))"
	run check --db="$work/old.db" --max-age=36h
	checked 'an old scan' 2 'scan 40 h 0. old, above 36 h 00'
	sql_old 'DELETE FROM calibration'
	run check --db="$work/old.db" --window=8h
	checked 'no calibration' 3 'UNKNOWN - .*no backup window is known: calibrate first'
}

sql_old() {
	sqlite3 -batch "$work/old.db" "PRAGMA foreign_keys = ON; $1"
}

history() {
	run report trend --db="$db" --format=json --limit=2h
	is 'trend: a row a scan, the newest first' "$(jq '[.rows[].scan_id] == [range(60; 0; -1)]' "$out")" true
	like 'trend: the window grows by about 10 s a day' \
		"$(jq -r '.forecasts[] | select(.measure == "window_seconds").per_day' "$out")" '^1[01]\.'
	is 'trend: who drives it' "$(jq .driver "$out")" 2000
	is 'trend: until there it does not reach' "$(jq -r .crosses_state "$out")" beyond
	is 'trend: bands add up' "$(jq '[.bands[] | select(.scan_id == 60).files] | add' "$out")" \
		"$(jq '.rows[0].files' "$out")"
	is 'trend: windows as predict has them' "$(jq '.rows[0].window_seconds | round' "$out")" \
		"$("$XFSCENSUS" predict --db="$db" --format=json | jq '.seconds | round')"
	run report trend --db="$db" --scan=30 --user=2000 --format=json
	is 'trend: up to a scan, of one user' "$(jq '.rows | length' "$out")" 30
	is 'trend: what that user had' "$(jq '.rows[0].files' "$out")" \
		"$(sql 'SELECT files FROM v_user WHERE scan_id = 30 AND uid = 2000')"
	run report growth --db="$db" --format=json
	is 'growth: against 30 days before' "$(jq '.scan_id, .from_scan_id' "$out" | paste -sd' ')" '60 30'
	is 'growth: who gained most' "$(jq '.rows[0] | .id, (.tiny_files_change / 10000 | round)' "$out" | paste -sd' ')" '2000 30'
	is 'growth: users add up' "$(jq '[.rows[].files_change] | add' "$out")" "$(jq .files_change "$out")"
	run report growth --db="$db" --from=10 --to=20 --format=json
	is 'growth: between two scans' "$(jq '.rows[0].tiny_files_change / 10000 | round' "$out")" 10
	run report growth --db="$db" --since="$(date -u -d "@$((now - 5 * night + 60))" +%Y-%m-%dT%H:%M:%SZ)" --format=json
	is 'growth: since a time' "$(jq .from_scan_id "$out")" 55
	run report growth --db="$db" --since=yesterday
	failed_clearly 'a time that is none' 64 '--since: "yesterday"'
	run report growth --db="$db" --from=60
	failed_clearly 'growth since itself' 64 '--from: scan 60'
	run report growth --db="$db" --scan=1
	failed_clearly 'growth of a first scan' 2 'first of /srv/history'
	run report users --db="$db" --limit=8h
	failed_clearly 'a limit for another report' 64 '--limit is for the report "trend"'
	run report trend --db="$db" --scan=3
	like 'trend: too little history is said' "$(head -n 1 "$out")" 'Too little history for a forecast: 3 scans'
}

# The commands of the unit in about the sandbox that it asks for: the capabilities, and all
# filesystems read-only but the state directory.
in_sandbox() { # COMMAND
	# shellcheck disable=SC2016 # for the inner shell
	in_namespace bash -c '
		mount --bind "$2" "$2" && mount -o remount,bind,ro "$1" && cd "$2" &&
		exec setpriv --bounding-set -all,+sys_admin,+dac_read_search --inh-caps -all --no-new-privs bash -c "$3"
	' sh "$work/xfs" "$work/state" "$1"
}

units() {
	local instance service=$work/xfscensus@.service line code command
	sed "s|@bindir@|$(dirname "$XFSCENSUS")|" "$contrib/systemd/xfscensus@.service.in" >"$service"
	cp "$contrib/systemd/xfscensus@.timer" "$work/"
	for instance in srv-home -; do
		none "the units of $instance verify" systemd-analyze verify --man=no \
			"$work/xfscensus@$instance.service" "$work/xfscensus@$instance.timer"
	done
	line=$(systemd-analyze security --offline=true "$service" 2>/dev/null | grep 'exposure level')
	diag "$line"
	none 'nothing hides a filesystem mounted below /tmp or /home' \
		grep -E '^(PrivateTmp|ProtectHome|TemporaryFileSystem|InaccessiblePaths)=' "$service"
	like 'the service is well sandboxed' "$line" ': [01]\.[0-9] OK|: 2\.[0-4] OK'
	if [ "$(id -u)" != 0 ] || ! make_xfs xfs 300M; then
		skip 'the commands of the service run in its sandbox' 'needs root and a loop mount'
		return
	fi
	mkdir -p "$work/xfs/a" "$work/state/xfscensus/metrics"
	seq 100 >"$work/xfs/a/file"
	chmod 000 "$work/xfs/a"
	while IFS= read -r command; do
		command=${command//%f/$work/xfs}
		command=${command//%S/$work/state}
		command=${command//%i/x}
		code=0
		XFSCENSUS_DB=$work/state/xfscensus/xfscensus.db SCAN_OPTIONS='' REPORT_OPTIONS='' METRICS_OPTIONS='' \
			in_sandbox "$command" >"$work/out" 2>"$work/err" || code=$?
		is "in the sandbox: ${command:0:60}…" "$code" 0
		[ "$code" = 0 ] || diag "$(cat "$work/err")"
	done < <(sed -n 's/^ExecStart=//p' "$service")
	ok 'in the sandbox: metrics came out' promtool check metrics <"$work/state/xfscensus/metrics/x.prom"
	is 'in the sandbox: others may read metrics, not the report' \
		"$(stat -c %A "$work/state/xfscensus/metrics/x.prom" "$work/state/xfscensus/reports" | paste -sd' ')" \
		'-rw-r--r-- drwxr-x---'
	is 'in the sandbox: a file not yet on the disk was seen through a mount that is read-only' \
		"$(sqlite3 "$work/state/xfscensus/xfscensus.db" 'SELECT engine, regular_files, errors FROM v_scan')" 'device|1|0'
}

make_history "$db" 60 30 "$now"
metrics
rules
plugin
history
units
done_testing
