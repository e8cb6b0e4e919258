// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See cost_table.h.
 *
 * Neighbours are those in stream bytes per file, not in class: a file of 1 TiB that is a hole but
 * for a block costs what a small file costs. Between two of them the data seconds of a file lie on
 * a straight line in logarithms of bytes and seconds, which holds where seeks dominate, where
 * transfer does, and passably in between. Below the smallest, a file costs what one of that size
 * costs, since the way to it is what takes the time; above the largest, its data costs in
 * proportion to its bytes.
 *
 * The last two hold as long as they stay on their side of COST_BIG_BYTES. A tiny file's seconds say
 * nothing of a rate, nor a big file's of the way to a tiny one: there the price lies anywhere
 * between that of a file and that of its bytes. It is put in the geometric middle, and the worst is
 * told, so that nobody goes by it where it matters. Empty files have no data and are nobody's
 * neighbours.
 *
 * Small files most of which were in the page cache are as unknown as those that nobody met: the few
 * others are of one kind, or lie alone where a dump would read a row. Such a class has no say in
 * another's price. Where it was less, the price may be off by that part.
 */
#include "analyzer/window/cost_table.h"

#include "base/units.h"

#include <errno.h>
#include <math.h>

#define FAR           8.0 /* times as many bytes: of another kind if across COST_BIG_BYTES */
#define BETWEEN_ERROR 0.5 /* of what files between two neighbours cost */
#define BEYOND_ERROR  1.0 /* of what files beyond all neighbours cost */
#define ENOUGH_FILES  10  /* from here on, resampling tells the error */
#define FEW_ERROR     1.0 /* of the price by a single file */
#define UNKNOWN_SHARE 0.2
#define LEFT_MOST     0.5 /* of a class: the rest does not speak for it */
#define LEFT_ERROR    1.0 /* of what a class costs, were all of it left out */

/* The sums of a class over a sample. */
struct class_sums {
	double files;
	double left_out;
	double stream_bytes;
	double file_seconds;
	double data_seconds;
};

static struct class_cost cost_of(const struct class_sums *sums)
{
	double seen = sums->files + sums->left_out;
	struct class_cost cost = {
		.files = (uint64_t)sums->files,
		.left_out = seen > 0 ? sums->left_out / seen : 0,
	};

	if (!cost.files)
		return cost;
	cost.file_seconds = sums->file_seconds / sums->files;
	cost.data_seconds = sums->data_seconds / sums->files;
	cost.stream_bytes = sums->stream_bytes / sums->files;
	if (sums->stream_bytes > 0)
		cost.seconds_per_byte = sums->data_seconds / sums->stream_bytes;
	return cost;
}

void cost_table_make(
	const struct calibration *calibration, const uint32_t *weights, struct cost_table *table)
{
	struct class_sums sums[SIZE_CLASSES] = {0};

	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];
		double weight = weights ? weights[cell->run] : 1;
		struct class_sums *to = &sums[cell->size_class];

		to->files += weight * (double)cell->files;
		to->left_out += weight * (double)cell->left_out;
		to->stream_bytes += weight * (double)cell->stream_bytes;
		to->file_seconds += weight * cell->file_seconds;
		to->data_seconds += weight * cell->data_seconds;
	}
	table->sampled = 0;
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		table->classes[i] = cost_of(&sums[i]);
		table->sampled += table->classes[i].files > 0;
	}
}

/* Whether the page cache held so much of a class of small files that the rest says nothing. */
static bool is_unknown(const struct cost_table *table, unsigned size_class)
{
	return cost_needs_neighbours(size_class) && table->classes[size_class].left_out > LEFT_MOST;
}

/* --- By its own sample ------------------------------------------------------------------------ */

static struct load_seconds by_itself(
	const struct class_cost *cost, const struct class_load *load, bool needs_neighbours)
{
	double bytes = (double)load->stream_bytes, files = (double)cost->files;
	double unread = bytes > 0 ? 1 - fmin(1, files * cost->stream_bytes / bytes) : 0;
	struct load_seconds seconds = {
		.file_seconds = (double)load->files * cost->file_seconds,
		.data_seconds = bytes * cost->seconds_per_byte,
	};

	if (cost->files < ENOUGH_FILES)
		seconds.error_seconds =
			FEW_ERROR * sqrt(unread / files) * load_seconds_all(&seconds);
	if (needs_neighbours)
		seconds.error_seconds += LEFT_ERROR * cost->left_out * load_seconds_all(&seconds);
	return seconds;
}

/* --- By its neighbours ------------------------------------------------------------------------ */

/* The nearest sampled classes on both sides; NULL where there is none. */
struct neighbours {
	const struct class_cost *below;
	const struct class_cost *above;
};

/* Those of a file of @bytes among the classes with at least @min_files. */
static struct neighbours find_neighbours(
	const struct cost_table *table, double bytes, uint64_t min_files)
{
	struct neighbours found = {0};

	for (unsigned i = 1; i < SIZE_CLASSES; i++) {
		const struct class_cost *cost = &table->classes[i];

		if (cost->files < min_files || cost->data_seconds <= 0 || cost->stream_bytes <= 0 ||
			is_unknown(table, i))
			continue;
		if (cost->stream_bytes <= bytes) {
			if (!found.below || cost->stream_bytes >= found.below->stream_bytes)
				found.below = cost;
		} else if (!found.above || cost->stream_bytes < found.above->stream_bytes) {
			found.above = cost;
		}
	}
	return found;
}

/* Whether what is known of @found says nothing of a file of @bytes: see above. */
static bool are_strangers(const struct neighbours *found, double bytes)
{
	if (found->below && found->above)
		return false;
	if (found->below)
		return found->below->stream_bytes < COST_BIG_BYTES &&
		       bytes > FAR * found->below->stream_bytes;
	if (found->above)
		return found->above->stream_bytes > COST_BIG_BYTES &&
		       bytes * FAR < found->above->stream_bytes;
	return true;
}

/* Data seconds of a file of @bytes, on the line through two classes. */
static double between(const struct neighbours *found, double bytes)
{
	double from = log(found->below->stream_bytes), to = log(found->above->stream_bytes);
	double at = fmin(1, fmax(0, (log(bytes) - from) / (to - from)));

	return exp(
		log(found->below->data_seconds) * (1 - at) + log(found->above->data_seconds) * at);
}

/*
 * The file seconds of the nearest class with a file; of two as near, of the lower one. Empty files
 * are not asked for others, since they need no extent map.
 */
static double nearest_file_seconds(const struct cost_table *table, int size_class)
{
	for (int step = 0; step < SIZE_CLASSES; step++) {
		int below = size_class - step, above = size_class + step;

		if (below > 0 && table->classes[below].files)
			return table->classes[below].file_seconds;
		if (above < SIZE_CLASSES && table->classes[above].files)
			return table->classes[above].file_seconds;
	}
	return 0;
}

/* The price lies between that of a file and that of its bytes, whichever is more. */
static void by_strangers(
	const struct neighbours *found, const struct class_load *load, struct load_seconds *seconds)
{
	const struct class_cost *known = found->below ? found->below : found->above;
	double by_file, by_bytes, best, worst;

	if (!known) {
		seconds->worst_seconds = INFINITY;
		return;
	}
	by_file = (double)load->files * known->data_seconds;
	by_bytes = (double)load->stream_bytes * known->seconds_per_byte;
	best = fmin(by_file, by_bytes);
	worst = fmax(by_file, by_bytes);
	seconds->data_seconds = sqrt(best) * sqrt(worst);
	seconds->error_seconds += worst - seconds->data_seconds;
	seconds->worst_seconds = seconds->file_seconds + worst;
}

static struct load_seconds borrow(
	const struct cost_table *table, unsigned size_class, const struct class_load *load)
{
	double files = (double)load->files, bytes = (double)load->stream_bytes / files;
	struct neighbours found = find_neighbours(table, bytes, COST_MIN_FILES);
	struct load_seconds seconds = {.borrowed = true};

	seconds.file_seconds = files * nearest_file_seconds(table, (int)size_class);
	seconds.error_seconds = BETWEEN_ERROR * seconds.file_seconds;
	if (!size_class) {
		seconds.worst_seconds = table->sampled ? 0 : INFINITY;
		return seconds;
	}
	if (are_strangers(&found, bytes))
		found = find_neighbours(table, bytes, 1);
	if (are_strangers(&found, bytes)) {
		by_strangers(&found, load, &seconds);
		return seconds;
	}
	if (found.below && found.above)
		seconds.data_seconds = files * between(&found, bytes);
	else if (found.below)
		seconds.data_seconds = fmax(files * found.below->data_seconds,
			(double)load->stream_bytes * found.below->seconds_per_byte);
	else
		seconds.data_seconds = files * found.above->data_seconds;
	seconds.error_seconds +=
		(found.below && found.above ? BETWEEN_ERROR : BEYOND_ERROR) * seconds.data_seconds;
	return seconds;
}

/* --- Together --------------------------------------------------------------------------------- */

/* The more files of its own, the more they have to say. */
static struct load_seconds blend(
	const struct load_seconds *own, const struct load_seconds *borrowed, uint64_t files)
{
	double share = (double)files / COST_MIN_FILES;

	return (struct load_seconds){
		.file_seconds = share * own->file_seconds + (1 - share) * borrowed->file_seconds,
		.data_seconds = share * own->data_seconds + (1 - share) * borrowed->data_seconds,
		.error_seconds = share * own->error_seconds + (1 - share) * borrowed->error_seconds,
		.borrowed = true,
	};
}

/*
 * Of a class that is unknown: by what was read of it, if anything was, and at the worst by others
 * where that is more.
 */
static struct load_seconds at_the_worst(
	const struct load_seconds *own, const struct load_seconds *borrowed, bool has_own)
{
	struct load_seconds seconds = has_own ? *own : *borrowed;
	double told = load_seconds_all(&seconds);

	seconds.worst_seconds =
		fmax(fmax(told, load_seconds_all(borrowed)), borrowed->worst_seconds);
	seconds.borrowed = true;
	if (isfinite(seconds.worst_seconds))
		seconds.error_seconds = fmax(seconds.error_seconds, seconds.worst_seconds - told);
	return seconds;
}

struct load_seconds cost_of_load(
	const struct cost_table *table, unsigned size_class, const struct class_load *load)
{
	const struct class_cost *cost = &table->classes[size_class];
	struct load_seconds own = {0}, borrowed;

	if (!load->files)
		return own;
	if (cost->files)
		own = by_itself(cost, load, cost_needs_neighbours(size_class));
	if (!is_unknown(table, size_class) &&
		(cost->files >= COST_MIN_FILES || (cost->files && cost->files >= load->files)))
		return own;
	borrowed = borrow(table, size_class, load);
	if (is_unknown(table, size_class))
		return at_the_worst(&own, &borrowed, cost->files > 0);
	if (!cost->files)
		return borrowed;
	return borrowed.worst_seconds > 0 ? own : blend(&own, &borrowed, cost->files);
}

struct load_seconds cost_of_loads(
	const struct cost_table *table, const struct class_load loads[SIZE_CLASSES])
{
	struct load_seconds all = {0};

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		struct load_seconds seconds = cost_of_load(table, i, &loads[i]);

		all.file_seconds += seconds.file_seconds;
		all.data_seconds += seconds.data_seconds;
		all.error_seconds += seconds.error_seconds;
		all.worst_seconds += seconds.worst_seconds;
		all.borrowed |= seconds.borrowed;
	}
	return all;
}

/* --- Whether it will do ----------------------------------------------------------------------- */

#define CACHED_ADVICE                                                                        \
	"calibrate after 'echo 3 > /proc/sys/vm/drop_caches', or once it was unmounted and " \
	"mounted again, or at another time"

/* The class that is worst to be wrong about. */
static unsigned worst_class(
	const struct cost_table *table, const struct class_load loads[SIZE_CLASSES])
{
	double most = 0;
	unsigned worst = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		struct load_seconds seconds = cost_of_load(table, i, &loads[i]);

		if (seconds.worst_seconds > most) {
			most = seconds.worst_seconds;
			worst = i;
		}
	}
	return worst;
}

/* Widens @first to @last, both of which the page cache held most of, to all such classes. */
static void widen_left_out(const struct cost_table *table,
	const struct class_load loads[SIZE_CLASSES], unsigned *first, unsigned *last)
{
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		if (!loads[i].files || !is_unknown(table, i))
			continue;
		if (i < *first)
			*first = i;
		if (i > *last)
			*last = i;
	}
}

static int complain_of_cache(
	unsigned long long cached, unsigned first, unsigned last, struct err *err)
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	return err_set(err, -ENODATA,
		"most of the files of %s to %s are in the page cache (%llu of those looked at), "
		"and "
		"what a dump takes for them cannot be told by the others: " CACHED_ADVICE,
		unit_format_bytes(size_class_low(first), from),
		unit_format_bytes(size_class_high(last), to), cached);
}

static int complain_of_sizes(unsigned long long cached, unsigned size_class,
	const struct class_load *load, struct err *err)
{
	char low[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];

	unit_format_bytes(size_class_low(size_class), low);
	unit_format_bytes(load->stream_bytes, bytes);
	return err_set(err, -ENODATA,
		cached ? "no file of about %s was sampled, and such files make %s of the dump; "
			 "those in the page cache were left out (%llu): " CACHED_ADVICE
		       : "no file of about %s was sampled, and such files make %s of the dump "
			 "(%llu in the page cache): calibrate with a larger --budget",
		low, bytes, cached);
}

int cost_check(const struct calibration *calibration, const struct class_load loads[SIZE_CLASSES],
	struct err *err)
{
	unsigned long long cached = calibration->cached_files;
	struct cost_table table;
	struct load_seconds all;
	unsigned worst, first, last;

	cost_table_make(calibration, NULL, &table);
	all = cost_of_loads(&table, loads);
	if (all.worst_seconds <= UNKNOWN_SHARE * load_seconds_all(&all))
		return 0;
	if (!table.sampled)
		return err_set(err, -ENODATA,
			cached ? "no file was sampled: the %llu looked at were in the page "
				 "cache; " CACHED_ADVICE
			       : "no file was sampled (%llu in the page cache): calibrate with a "
				 "larger --budget",
			cached);
	worst = worst_class(&table, loads);
	if (is_unknown(&table, worst)) {
		first = last = worst;
		widen_left_out(&table, loads, &first, &last);
		return complain_of_cache(cached, first, last, err);
	}
	return complain_of_sizes(cached, worst, &loads[worst], err);
}
