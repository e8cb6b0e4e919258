# SPDX-License-Identifier: GPL-2.0-or-later
# Quota policies: reading them, who keeps them, and what keeping them would bring.
libxfscensus_a_SOURCES += \
	analyzer/policy/enforce.c analyzer/policy/enforce.h \
	analyzer/policy/evaluation.c analyzer/policy/evaluation.h \
	analyzer/policy/owners.c analyzer/policy/owners.h \
	analyzer/policy/policy.c analyzer/policy/policy.h \
	analyzer/policy/policy_keys.c \
	analyzer/policy/policy_read.c analyzer/policy/policy_read.h \
	analyzer/policy/suggest.c analyzer/policy/suggest.h \
	analyzer/policy/usage.c analyzer/policy/usage.h \
	analyzer/policy/within.c analyzer/policy/within.h
