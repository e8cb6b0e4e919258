// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of rates: what is taken can be calculated with, what is not says why. */
#include "tests/fuzz/fuzz.h"

#include "analyzer/window/cost_table.h"
#include "analyzer/window/rates.h"

#include <math.h>

static void check_rates(const struct rates *rates)
{
	struct calibration calibration;
	struct cost_table table;

	FUZZ_ASSERT(rates->sink_bytes_per_second > 0);
	FUZZ_ASSERT(!rates_calibration(rates, "fuzz", &calibration));
	cost_table_make(&calibration, NULL, &table);
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct class_load load = {7, 7000};
		struct load_seconds seconds = cost_of_load(&table, i, &load);

		FUZZ_ASSERT(rates->classes[i].line);
		FUZZ_ASSERT(load_seconds_all(&seconds) >= 0 && !seconds.borrowed);
		FUZZ_ASSERT(isfinite(load_seconds_all(&seconds)));
	}
	calibration_fini(&calibration);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rates rates;
	struct err err = {0};

	if (rates_parse("fuzz", (const char *)data, size, &rates, &err))
		FUZZ_ASSERT(err.code && err.message[0]);
	else
		check_rates(&rates);
	return 0;
}
