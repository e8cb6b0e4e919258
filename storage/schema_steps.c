// SPDX-License-Identifier: GPL-2.0-or-later
/* The schema of this program's files: all steps in their order. */
#include "storage/schema_steps.h"

static const char *const *const steps[] = {schema_to_1, schema_to_2, schema_to_3, schema_to_4,
	schema_to_5, schema_to_6, schema_to_7, schema_to_8, schema_to_9, schema_to_10,
	schema_to_11};

const struct schema store_schema = {
	.application_id = 0x78666373, /* "xfcs" */
	.version = sizeof(steps) / sizeof(steps[0]),
	.steps = steps,
};
