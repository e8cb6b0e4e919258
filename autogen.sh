#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ./configure in a checkout. A release tarball has it already.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux
autoreconf --install --warnings=all
