#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The HTML page in a real browser: nothing in its console, no request to anywhere, sections and
# sorting work, and names from the filesystem stay text.
#
# What the browser does to the page is asked by a script that the test adds to a copy of it; the copy
# is read back as the browser has it then (--dump-dom).
# shellcheck source=tests/integration/lib.sh
. "${top_srcdir:?}/tests/integration/lib.sh"
need_xfs
need_commands chromium

make_xfs xfs 1G || skip_all 'no filesystem'
populate "$work/xfs" demo
hostile='"><img src=x onerror="document.title=1">'
mkdir "$work/xfs/$hostile" "$work/xfs/<script>document.title=2<"
(cd "$work/xfs/$hostile" && seq 2000 | xargs touch)
(cd "$work/xfs/<script>document.title=2<" && seq 2000 | xargs touch)
run scan --quiet --db="$db" "$work/xfs"
is 'scan: exit status' "$status" 0
# mounted anew: calibration goes by what is not in memory
umount "$work/xfs" && mount -o loop,noatime "$work/xfs.img" "$work/xfs"
run calibrate --quiet --budget=2s --db="$db" "$work/xfs"
is 'calibrate: exit status' "$status" 0
touch "$work/xfs/one-more"
run scan --quiet --db="$db" "$work/xfs"
is 'another scan: exit status' "$status" 0
run report --db="$db" --format=html --limit=1000d --output="$work/page.html"
is 'report: exit status' "$status" 0
is 'report: nothing on standard error' "$err" ''

# What the added scripts find out, a line each, in an element of their own.
cat >"$work/before" <<'END'
<script>window.faults = []; addEventListener("error", (event) => faults.push(event.message), true);
addEventListener("securitypolicyviolation", (event) => faults.push(event.violatedDirective));</script>
END
cat >"$work/after" <<'END'
<script>
const found = [];
const say = (name, value) => found.push(name + "=" + value);
say("title", document.title);
say("sections", Array.from(document.querySelectorAll("section")).map((section) => section.id).join(","));
say("images", document.images.length);
say("scripts", document.scripts.length);
say("links", Array.from(document.links).every((link) => document.getElementById(link.hash.slice(1))));
say("captions", Array.from(document.querySelectorAll("table")).every((table) => table.caption));
say("scopes", Array.from(document.querySelectorAll("thead th")).every((cell) => cell.scope === "col"));
say("pictures", document.querySelectorAll("svg[role=img][aria-label]").length);
const table = document.querySelector("#users table");
const column = (index) => Array.from(table.tBodies[0].rows).filter((row) => row.className !== "rest")
	.map((row) => Number(row.cells[index].dataset.v));
const sorted = (numbers, sign) => numbers.every((number, i) => !i || sign * (number - numbers[i - 1]) >= 0);
const buttons = table.tHead.querySelectorAll("button");
say("buttons", buttons.length === table.tHead.rows[0].cells.length);
buttons[2].click();
say("descending", sorted(column(2), -1) && buttons[2].parentElement.getAttribute("aria-sort"));
buttons[2].click();
say("ascending", sorted(column(2), 1) && buttons[2].parentElement.getAttribute("aria-sort"));
const last = () => Array.from(table.tBodies[0].rows).filter((row) => row.className !== "rest").pop();
const unknown = table.tBodies[0].rows[0];
const known = unknown.cells[2].dataset.v;
unknown.cells[2].dataset.v = "";
buttons[2].click();
const down = last() === unknown;
buttons[2].click();
say("unknown", down && last() === unknown);
unknown.cells[2].dataset.v = known;
const luminance = (color) => {
	const parts = color.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
		.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
	return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const contrast = (a, b) => {
	const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
	return (light + 0.05) / (dark + 0.05);
};
const sample = document.createElement("p");
document.querySelector(".strip").append(sample);
say("contrast", [0, 1, 2, 3, 4, 5, 6, 7].filter((index) => {
	sample.innerHTML = "<span>x</span>";
	sample.firstChild.className = "f" + index;
	const style = getComputedStyle(sample.firstChild);
	return contrast(style.color, style.backgroundColor) < 4.5;
}).join());
sample.remove();
const rows = column(2).length;
const filter = document.querySelector("#users input");
filter.value = "2041";
filter.dispatchEvent(new Event("input"));
say("filtered", rows > 20 && Array.from(table.tBodies[0].rows).filter((row) => !row.hidden).length);
say("wide", document.documentElement.scrollWidth <= innerWidth);
say("paper", getComputedStyle(document.body).backgroundColor);
say("faults", faults.join(";"));
const element = document.createElement("pre");
element.id = "found";
element.textContent = "\n" + found.join("\n") + "\n";
document.body.append(element);
</script>
END
sed -e "/<head>/r $work/before" "$work/page.html" | sed -e "/<\/script>/{
x
s/^/x/
/^xx/{
x
r $work/after
b
}
x
}" >"$work/asked.html"

# Lines NAME=VALUE of what a browser of so many columns found; its console is in $work/console.
browse() { # WIDTH [OPTION…]
	local width=$1
	shift
	timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr \
		--user-data-dir="$work/browser" --log-net-log="$work/net.json" --window-size="$width,1000" \
		"$@" --dump-dom "file://$work/asked.html" 2>"$work/console" |
		sed -n '/<pre id="found">/,/<\/pre>/p' >"$work/found"
}

found() { # NAME
	sed -n "s/^$1=//p" "$work/found"
}

browse 1200
is 'the page has its sections' "$(found sections)" \
	'summary,owner-bands,predict,tree,trend,growth,ages,classes,users,calibrate'
is 'nothing goes wrong in it' "$(found faults)" ''
is 'nothing is in the console' "$(grep -c CONSOLE "$work/console")" 0
like 'its title is the mount point' "$(found title)" "^$work/xfs · xfscensus\$"
is 'a name like markup makes no image' "$(found images)" 0
is 'a name like a script makes none: the page has its own and the two of this test' "$(found scripts)" 3
is 'links lead to where something is' "$(found links)" true
is 'every table has a caption' "$(found captions)" true
is 'every heading says what it heads' "$(found scopes)" true
is 'the pictures have names' "$(found pictures)" 6
is 'every heading can be clicked' "$(found buttons)" true
is 'a click sorts, the biggest first' "$(found descending)" descending
is 'another click turns the order' "$(found ascending)" ascending
is 'what is not known comes last either way' "$(found unknown)" true
is 'labels can be read on their colours' "$(found contrast)" ''
is 'the filter leaves what matches' "$(found filtered)" 1
is 'it fits a wide window' "$(found wide)" true
light=$(found paper)
is 'it asks nobody for anything' \
	"$(jq -r '.events[].params.url? // empty' "$work/net.json" | grep -c "$work" | sed 's/[1-9].*/0/')$(
		jq -r '.events[].params.url? // empty' "$work/net.json" | grep -vE '^(file|data|chrome|devtools)' |
			grep -vcE '(google|gvt1|googleapis|gstatic)\.')" 00
browse 400
is 'it fits a narrow window' "$(found wide)" true
browse 1200 --blink-settings=preferredColorScheme=0
ok 'it is dark where that is preferred' test "$(found paper)" != "$light" -a -n "$(found paper)"
is 'labels can be read there too' "$(found contrast)" ''
ok 'it is below 1 MB' test "$(wc -c <"$work/page.html")" -lt 1000000
done_testing
