// SPDX-License-Identifier: GPL-2.0-or-later
/* See bands.h. */
#include "reports/bands.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>

static int check_edges(const struct report_options *options, struct err *err)
{
	for (size_t i = 0; i < options->band_edges; i++) {
		uint64_t edge = options->bands[i];

		if (!edge || edge & (edge - 1))
			return err_set(err, -EINVAL,
				"bands: %" PRIu64 " is no power of two, and sizes are counted "
				"between powers of two; give edges like 4K, 64K, 1M",
				edge);
		if (i && edge <= options->bands[i - 1])
			return err_set(err, -EINVAL,
				"bands: %" PRIu64 " is not above the edge before it, %" PRIu64
				"; give the edges in ascending order",
				edge, options->bands[i - 1]);
	}
	return 0;
}

/* One band for what is below each of the edges and above the one before, one for the rest. */
static void set_edges(struct bands *bands, const uint64_t *edges, size_t count)
{
	bands->count = count + 1;
	bands->first[0] = 0;
	for (size_t i = 0; i < count; i++)
		bands->first[i + 1] = size_class_below(edges[i]);
	bands->first[count + 1] = SIZE_CLASSES;
}

int bands_init(struct bands *bands, const struct report_options *options, struct err *err)
{
	static const uint64_t usual[] = {4 * KIB, 64 * KIB, MIB, 64 * MIB, GIB};
	int rc = check_edges(options, err);

	if (rc)
		return rc;
	if (options->band_edges)
		set_edges(bands, options->bands, options->band_edges);
	else
		set_edges(bands, usual, ARRAY_LENGTH(usual));
	return 0;
}

struct cube_sums bands_sum(const struct bands *bands, size_t band, const struct cube *cube)
{
	struct cube_sums all = {0};

	for (size_t i = 0; i < cube_count(cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);

		if (key.kind == KIND_REGULAR && key.size_class >= bands->first[band] &&
			key.size_class < bands->first[band + 1])
			cube_sums_add(&all, sums);
	}
	return all;
}
