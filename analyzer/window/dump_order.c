// SPDX-License-Identifier: GPL-2.0-or-later
/* See dump_order.h. */
#include "analyzer/window/dump_order.h"

void dump_kept_find(
	const struct dump_model *model, const struct dump_ranges *ranges, struct dump_kept *kept)
{
	struct dump_kept all = {0};

	for (size_t i = 0; i < dump_ranges_count(ranges); i++) {
		uint64_t index;
		const struct dump_range *range = dump_ranges_at(ranges, i, &index);

		for (unsigned part = 0; part < DUMP_ORDER_PARTS; part++) {
			all.inodes[part] += (double)range->parts[part].inodes;
			all.stream_bytes[part] += (double)range->parts[part].stream_bytes;
		}
	}
	for (unsigned i = 0; i < DUMP_ORDER_PARTS; i++) {
		const struct model_part *part = &model->parts[i];

		kept->inodes[i] = dump_order_share(part->inodes, all.inodes[i]);
		kept->stream_bytes[i] = dump_order_share(part->stream_bytes, all.stream_bytes[i]);
	}
}

void dump_load_find(const struct dump_model *model, const struct dump_kept *kept,
	const struct dump_range *range, struct dump_load *load)
{
	for (unsigned i = 0; i < DUMP_ORDER_PARTS; i++) {
		const struct model_part *whole = &model->parts[i];
		double inodes = (double)range->parts[i].inodes * kept->inodes[i];
		double share = dump_order_share(
			(double)range->parts[i].stream_bytes * kept->stream_bytes[i],
			whole->stream_bytes);

		load->present[i] = (double)range->parts[i].inodes;
		load->inodes[i] = inodes;
		load->media_bytes[i] = whole->media_bytes * share;
		load->seconds[i] = whole->seconds * dump_order_share(inodes, whole->inodes) +
				   whole->data_seconds * share;
		load->wait_share[i] = share;
	}
}
