# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/unit/test_policy
check_PROGRAMS += tests/unit/test_policy_evaluation
check_PROGRAMS += tests/unit/test_policy_within
