/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka and what it wants included before it. */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#endif
