# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tools/quickstart and tools/check share: which packages are needed, and how to get them.

# One line a need: what it is for, a file or command that shows it is there, the Debian package, the
# Fedora package. "-" is a package that family does not need or have.
package_table='
build command:gcc                  gcc                 gcc
build command:make                 make                make
build command:autoreconf           autoconf            autoconf
build command:aclocal              automake            automake
build command:pkg-config           pkg-config          pkgconf-pkg-config
build header:stdio.h               libc6-dev           glibc-devel
build header:sqlite3.h             libsqlite3-dev      sqlite-devel
build header:libsmartcols.h        libsmartcols-dev    libsmartcols-devel
build header:libmount.h            libmount-dev        libmount-devel
build header:jansson.h             libjansson-dev      jansson-devel
build header:isa-l.h               libisal-dev         isa-l-devel
build header:liburing.h            liburing-dev        liburing-devel
build header:ini.h                 libinih-dev         inih-devel
build header:xfs/xfs.h             xfslibs-dev         xfsprogs-devel
demo  command:mkfs.xfs             xfsprogs            xfsprogs
demo  command:mount                mount               util-linux
test  header:cmocka.h              libcmocka-dev       libcmocka-devel
test  header:gsl/gsl_cdf.h         libgsl-dev          gsl-devel
test  command:xfs_io               xfsprogs            xfsprogs
test  command:xfsdump              xfsdump             xfsdump
test  command:fio          fio                 fio
test  command:pv           pv                  pv
test  command:setfattr             attr                attr
test  command:setfacl              acl                 acl
test  command:setpriv              util-linux          util-linux
test  command:script              bsdutils            util-linux
test  command:ps                   procps              procps-ng
test  command:sqlite3              sqlite3             sqlite
test  command:jq                   jq                  jq
test  command:promtool             prometheus          golang-github-prometheus
test  command:systemd-analyze      systemd             systemd
test  command:chromium             chromium            chromium
test  command:mandoc               mandoc              mandoc
test  command:col                  bsdextrautils       util-linux
test  command:shellcheck           shellcheck          ShellCheck
test  command:xz                   xz-utils            xz
test  command:clang-format         clang-format        clang-tools-extra
test  command:clang                clang               clang
test  clang-rt:fuzzer              libclang-rt-dev     compiler-rt
test  library:libasan              libgcc-12-dev       libasan
test  library:libubsan             libgcc-12-dev       libubsan
test  library:libtsan              libgcc-12-dev       libtsan
'

# The top folder; set by whoever sources this.
: "${top:?}"

say() {
	printf '%s: %s\n' "${0##*/}" "$*"
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 2
}

family() {
	local id like
	id=$(sed -n 's/^ID=//p' /etc/os-release 2>/dev/null | tr -d '"')
	like=$(sed -n 's/^ID_LIKE=//p' /etc/os-release 2>/dev/null | tr -d '"')
	case " $id $like " in
	*' debian '* | *' ubuntu '*) echo debian ;;
	*' fedora '* | *' rhel '* | *' centos '*) echo fedora ;;
	*) echo unknown ;;
	esac
}

is_there() { # KIND:WHAT
	local what=${1#*:} found
	case $1 in
	command:*) command -v "$what" >/dev/null ;;
	header:*) [ -e "/usr/include/$what" ] || compgen -G "/usr/include/*/$what" >/dev/null ;;
	library:*)
		command -v gcc >/dev/null || return 1
		found=$(gcc -print-file-name="$what.so")
		[ "$found" != "$what.so" ]
		;;
	clang-rt:*)
		command -v clang >/dev/null || return 1
		compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.$what*" >/dev/null
		;;
	esac
}

# Packages that are wanted for the purposes given and not there, once each.
missing_packages() { # FAMILY PURPOSE…
	local family=$1 purpose thing debian fedora package
	shift
	while read -r purpose thing debian fedora; do
		[[ " $* " == *" $purpose "* ]] || continue
		package=$debian
		[ "$family" = debian ] || package=$fedora
		[ "$package" = - ] || is_there "$thing" || echo "$package"
	done <<<"${package_table//$'\n\n'/$'\n'}" | sort -u
}

install_log=''

try_install() { # FAMILY PACKAGE…
	local family=$1
	shift
	if [ "$family" = debian ]; then
		export DEBIAN_FRONTEND=noninteractive
		apt-get update && apt-get install -y --no-install-recommends "$@"
	else
		# -devel packages of RHEL and its kin live in CRB, some tools in EPEL.
		if ! grep -q '^ID=fedora' /etc/os-release; then
			dnf install -y dnf-plugins-core epel-release
			dnf config-manager --set-enabled crb
		fi
		dnf install -y "$@"
	fi
}

# Installs what is missing for the purposes; says what. Ends with a clear line if it cannot.
ensure_packages() { # PURPOSE…
	local family packages=()
	PATH=$PATH:/usr/sbin:/sbin
	family=$(family)
	mapfile -t packages < <(missing_packages "$family" "$@")
	[ "${#packages[@]}" -gt 0 ] || return 0
	[ "$family" != unknown ] ||
		die "this system has neither apt nor dnf; install by hand what Fedora calls: ${packages[*]}"
	[ "$(id -u)" = 0 ] || die "run it as root, or install first: ${packages[*]}"
	say "installing ${packages[*]}"
	install_log=$(mktemp)
	if ! try_install "$family" "${packages[@]}" >"$install_log" 2>&1 </dev/null; then
		grep -E "^(E|Error):" "$install_log" | tail -n 3 >&2
		rm -f "$install_log"
		die "could not install the packages above (no network, or no such package here?)"
	fi
	rm -f "$install_log"
	mapfile -t packages < <(missing_packages "$family" "$@")
	[ "${#packages[@]}" = 0 ] || die "still missing after the installation: ${packages[*]}"
}

# Runs a step quietly. Its output is kept in LOG, and its end is shown if it fails.
quietly() { # LOG COMMAND…
	local log=$1
	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null && return
	tail -n "${QUIETLY_LINES:-30}" "$log" >&2
	printf '%s: that was the end of %s\n' "${0##*/}" "$log" >&2
	return 1
}

jobs_count() {
	nproc 2>/dev/null || echo 2
}

# Configures BUILD below the current folder with the options given, unless it was with the same.
configure_build() { # BUILD OPTION…
	local build=$1
	shift
	[ -x configure ] && [ configure -nt configure.ac ] ||
		quietly "$build/autogen.log" ./autogen.sh || return
	[ -f "$build/Makefile" ] && [ "$(cat "$build/options" 2>/dev/null)" = "$*" ] && return
	(cd "$build" 2>/dev/null || { mkdir -p "$build" && cd "$build"; } &&
		quietly configure.log "$top/configure" "$@") || return
	echo "$*" >"$build/options"
}
