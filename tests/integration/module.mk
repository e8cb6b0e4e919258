# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program on real filesystems. Needs root; see lib.sh.
integration_tests = \
	tests/integration/cancel.sh \
	tests/integration/end_to_end.sh \
	tests/integration/full_disk.sh \
	tests/integration/kill.sh \
	tests/integration/usage.sh
check_SCRIPTS += $(integration_tests)
EXTRA_DIST += $(integration_tests) tests/integration/lib.sh
