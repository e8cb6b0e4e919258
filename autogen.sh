#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ./configure in a checkout. A release tarball has it already.
set -e
cd "$(dirname "$0")"
for tool in autoreconf aclocal automake; do
	command -v "$tool" >/dev/null && continue
	echo "autogen.sh: $tool is missing: apt (or dnf) install autoconf automake" >&2
	exit 1
done
mkdir -p build-aux
autoreconf --install --warnings=all
