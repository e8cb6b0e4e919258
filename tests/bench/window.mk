# SPDX-License-Identifier: GPL-2.0-or-later
# Benches of the backup window; predictions are held against real dumps in tests/lab/window.
EXTRA_DIST += tests/bench/array tests/bench/engines tests/bench/growth tests/bench/policy_gain
