# SPDX-License-Identifier: GPL-2.0-or-later
# Rules that hold for the sources themselves. Each proves that it catches a planted violation.
lint_tests = \
	tests/lint/format.sh \
	tests/lint/layers.sh \
	tests/lint/man.sh \
	tests/lint/shellcheck.sh \
	tests/lint/size.sh \
	tests/lint/spdx.sh \
	tests/lint/words.sh
check_SCRIPTS += $(lint_tests)
EXTRA_DIST += $(lint_tests) tests/lint/lib.sh tests/tap.sh
