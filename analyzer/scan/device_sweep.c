// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_sweep.h. A read's two numbers are the first range and how many there are; for a part
 * of a long range the second has its top bit set and says which part.
 */
#include "analyzer/scan/device_sweep.h"

#include "base/checked.h"

#define CUT_FLAG (1U << 31)

/* Bytes of a read from @start to @end, both widened to what the source can do. */
static uint64_t wide_bytes(const struct device_sweep *sweep, uint64_t start, uint64_t end)
{
	uint32_t align = sweep->scan->source->align_bytes;

	return round_up_u64(end, align) - start / align * align;
}

static struct device_read make_read(
	const struct device_sweep *sweep, uint64_t start, uint64_t end, uint32_t second)
{
	uint32_t align = sweep->scan->source->align_bytes;

	return (struct device_read){
		.offset = start / align * align,
		.bytes = (uint32_t)wide_bytes(sweep, start, end),
		.first = sweep->next,
		.count = second,
	};
}

static bool is_long(const struct device_range *range)
{
	return range->bytes > DEVICE_CUT_BYTES;
}

static void cut(struct device_sweep *sweep, struct device_read *read, struct device_range range)
{
	uint64_t from = (uint64_t)sweep->cut * DEVICE_CUT_BYTES;
	uint64_t to = min_u64(from + DEVICE_CUT_BYTES, range.bytes);

	*read = make_read(sweep, range.start + from, range.start + to, CUT_FLAG | sweep->cut);
	sweep->cut++;
	if (to < range.bytes)
		return;
	sweep->cut = 0;
	sweep->next++;
}

/* From the next range on as many as are near enough and fit. */
static void join(struct device_sweep *sweep, struct device_read *read, struct device_range range)
{
	uint64_t end = range.start + range.bytes;
	uint32_t count = 1;

	for (; count < sweep->count - sweep->next; count++) {
		struct device_range more = sweep->range(sweep->next + count, sweep->context);
		uint64_t new_end = max_u64(end, more.start + more.bytes);

		if (is_long(&more) || more.start > sat_add_u64(end, sweep->gap_bytes) ||
			wide_bytes(sweep, range.start, new_end) > DEVICE_BUFFER_BYTES)
			break;
		end = new_end;
	}
	*read = make_read(sweep, range.start, end, count);
	sweep->next += count;
}

bool device_sweep_next(struct device_sweep *sweep, struct device_read *read)
{
	struct device_range range;

	if (sweep->next == sweep->count || progress_cancelled(sweep->scan->progress))
		return false;
	range = sweep->range(sweep->next, sweep->context);
	if (is_long(&range))
		cut(sweep, read, range);
	else
		join(sweep, read, range);
	return true;
}

struct device_share device_sweep_share(const struct device_read *read)
{
	uint64_t part = read->count & ~CUT_FLAG;

	if (!(read->count & CUT_FLAG))
		return (struct device_share){
			.first = read->first, .count = read->count, .to = UINT64_MAX};
	return (struct device_share){
		.first = read->first,
		.count = 1,
		.from = part * DEVICE_CUT_BYTES,
		.to = (part + 1) * DEVICE_CUT_BYTES,
	};
}
