/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fuzz target offers: to libFuzzer, or to replay.c where there is none. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Stops the fuzzer where a promise of the code under test does not hold. */
#define FUZZ_ASSERT(condition)    \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
