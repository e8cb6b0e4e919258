/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bands: runs of size classes, as the user wants to see them. */
#ifndef REPORTS_BANDS_H
#define REPORTS_BANDS_H

#include "analyzer/census/size_class.h"
#include "reports/report.h"

struct bands {
	size_t count;
	unsigned first[REPORT_MAX_BANDS + 2]; /* class; band i ends before first[i + 1] */
};

/*
 * The bands that the options ask for, else the usual ones: up to 4 KiB, 64 KiB, 1 MiB, 64 MiB,
 * 1 GiB, and more. -EINVAL with a message for edges that are no powers of two, or not ascending.
 */
int bands_init(struct bands *bands, const struct report_options *options, struct err *err);

/* The smallest size in band @band, and the first above it. */
static inline uint64_t bands_low(const struct bands *bands, size_t band)
{
	return size_class_low(bands->first[band]);
}

static inline uint64_t bands_high(const struct bands *bands, size_t band)
{
	return size_class_high(bands->first[band + 1] - 1);
}

/* The regular files of a cube in band @band. */
struct cube_sums bands_sum(const struct bands *bands, size_t band, const struct cube *cube);

#endif
