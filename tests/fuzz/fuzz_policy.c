// SPDX-License-Identifier: GPL-2.0-or-later
/* Any policy file: either one line says what is wrong, or what holds for anybody makes sense. */
#include "tests/fuzz/fuzz.h"

#include "analyzer/policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_ASSERT(condition)    \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void check_owner(
	const struct policy *policy, enum owner_kind kind, uint32_t id, const char *name)
{
	struct policy_limits limits;

	policy_limits_of(policy, kind, id, name, &limits);
	FUZZ_ASSERT(id || policy_exempts(policy, kind, id, name));
	for (int rule = 0; rule < POLICY_RULES; rule++) {
		uint64_t soft = limits.soft[rule], hard = limits.hard[rule];

		FUZZ_ASSERT(soft <= POLICY_MAX_LIMIT || soft == POLICY_NONE);
		FUZZ_ASSERT(hard <= POLICY_MAX_LIMIT || hard == POLICY_NONE);
		FUZZ_ASSERT(soft <= hard || soft == POLICY_NONE || hard == POLICY_NONE);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy policy;
	struct err err = {0};
	int rc = policy_parse(&policy, (const char *)data, size, "policy.ini", &err);

	if (rc) {
		FUZZ_ASSERT(rc == -EINVAL || rc == -ENOMEM);
		FUZZ_ASSERT(err.message[0] && !strchr(err.message, '\n'));
		return 0;
	}
	FUZZ_ASSERT(policy.name[0]);
	for (int kind = 0; kind < OWNER_KINDS; kind++) {
		check_owner(&policy, kind, 0, "root");
		check_owner(&policy, kind, 1000, NULL);
		check_owner(&policy, kind, 2041, "alice");
		check_owner(&policy, kind, UINT32_MAX, "svc-web");
	}
	policy_fini(&policy);
	return 0;
}
