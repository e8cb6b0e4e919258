// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a level above 0 takes; see dump_plan.h.
 *
 * Ages are by day: of the day, week or month in which the base lies, a part changed since. Of the
 * last two weeks that part is known by class, to the second or a little more, if not by user;
 * before that it is taken as if changes were spread evenly, and the rest is doubt.
 *
 * What these inodes take beyond what is told of any, attributes above all, the scan knows by the
 * time of the change, to a 256th of its age, if not whose it is.
 *
 * Directories on the way: a scan that looked at names knows how many there are and what they take,
 * by when the latest change below them was. Whose they are, or all of it where names are not known,
 * is told from users' changes. With p of a user's files changed and k files in a directory, at
 * least p of the directories hold a change if whole directories change, 1 - (1 - p)^k if changes
 * are spread evenly. The geometric middle is taken and the rest is doubt. Those that changed
 * themselves, as all do that got or lost a name, are among them. Those of all users are then
 * brought to the number that is known.
 */
#include "analyzer/window/dump_plan_private.h"

#include "base/clock.h"

#include <errno.h>

/* The period in which the base of a level lies, and what of its inodes changed since. */
struct boundary {
	int64_t first_day;
	double from; /* its first second, and the first after it */
	double to;
	double part[DUMP_RANGE_PARTS];       /* 0 to 1, by part as in dump_ranges.h */
	double bytes_part[DUMP_RANGE_PARTS]; /* the same of their bytes */
	double off[DUMP_RANGE_PARTS];        /* how much it may be off */
};

/* As if changes were spread evenly over the period, up to the time of the scan. */
static void spread_evenly(const struct prediction_request *request, struct boundary *boundary)
{
	double now = (double)request->scan->started_seconds, to = boundary->to;
	double base = (double)request->dump.since_seconds, part;

	if (boundary->from <= now && now < to)
		to = now + 1;
	part = plan_ratio(to - base, to - boundary->from);
	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++) {
		boundary->part[i] = boundary->bytes_part[i] = part;
		boundary->off[i] = part > 0 && part < 1 ? fmax(part, 1 - part) : 0;
	}
}

/* What changed in a period by parts: all of it, since the base, and in the range of the base. */
struct recent_sums {
	double all[DUMP_RANGE_PARTS];
	double since[DUMP_RANGE_PARTS];
	double all_bytes[DUMP_RANGE_PARTS];
	double since_bytes[DUMP_RANGE_PARTS];
	double doubt[DUMP_RANGE_PARTS];
};

static void take_recent(const struct dump_range *range, double part, struct recent_sums *sums)
{
	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++) {
		double inodes = (double)range->parts[i].inodes;
		double bytes = (double)range->parts[i].stream_bytes;

		sums->all[i] += inodes;
		sums->since[i] += part * inodes;
		sums->all_bytes[i] += bytes;
		sums->since_bytes[i] += part * bytes;
		if (part > 0 && part < 1)
			sums->doubt[i] += fmax(part, 1 - part) * inodes;
	}
}

/* By the seconds of recent changes, where they are known. */
static void look_closer(const struct prediction_request *request, struct boundary *boundary)
{
	const struct dump_facts *facts = request->facts;
	double base = (double)request->dump.since_seconds;
	struct recent_sums sums = {0};

	if (!facts || !facts->present || boundary->from < (double)facts->recent_from)
		return;
	for (size_t i = 0; i < dump_ranges_count(&facts->recent); i++) {
		uint64_t index;
		const struct dump_range *range = dump_ranges_at(&facts->recent, i, &index);
		double length = ldexp(1, (int)facts->recent.shift), from = (double)index * length;

		if (from >= boundary->from && from < boundary->to)
			take_recent(range, plan_ratio(from + length - base, length), &sums);
	}
	for (unsigned i = 0; i < DUMP_RANGE_PARTS; i++) {
		if (sums.all[i] <= 0)
			continue;
		boundary->part[i] = sums.since[i] / sums.all[i];
		boundary->bytes_part[i] = boundary->part[i];
		if (sums.all_bytes[i] > 0)
			boundary->bytes_part[i] = sums.since_bytes[i] / sums.all_bytes[i];
		boundary->off[i] = sums.doubt[i] / sums.all[i];
	}
}

static void find_boundary(const struct prediction_request *request, struct boundary *boundary)
{
	const struct ages *ages = request->ages;
	int64_t day = clock_day_of(request->dump.since_seconds);
	int64_t days = ages_period_days(day, ages->today, ages->resolution);

	boundary->first_day = ages_period_start(day, ages->today, ages->resolution);
	boundary->from = (double)boundary->first_day * SECONDS_PER_DAY;
	boundary->to = boundary->from + (double)days * SECONDS_PER_DAY;
	spread_evenly(request, boundary);
	look_closer(request, boundary);
}

static void add_doubt(struct dump_plan *plan, const struct ages_key *key,
	const struct cube_sums *sums, double off)
{
	if (key->kind == KIND_REGULAR)
		plan_sums_add(&plan->doubt[key->size_class], sums, off);
	else if (key->kind == KIND_DIRECTORY)
		plan->doubt_directories += off * (double)sums->inodes;
}

/* Adds what of the period of the base changed since. */
static void add_bounded(struct plan_sums *to, const struct cube_sums *sums,
	const struct boundary *boundary, unsigned part)
{
	const struct cube_sums inodes = {.inodes = sums->inodes};
	struct cube_sums bytes = *sums;

	bytes.inodes = 0;
	plan_sums_add(to, &inodes, boundary->part[part]);
	plan_sums_add(to, &bytes, boundary->bytes_part[part]);
}

/* Takes in what of @age changed since the base. */
static void take_age(struct shares *shares, const struct boundary *boundary,
	const struct ages_key *key, const struct ages_sums *age)
{
	const struct cube_sums sums = {
		.inodes = age->inodes,
		.size_bytes = age->size_bytes,
		.allocated_bytes = age->allocated_bytes,
		.stream_bytes = age->stream_bytes,
	};
	unsigned part = dump_range_part(key->kind, key->size_class);
	struct share *share =
		hashmap_find(&shares->map, share_key(key->uid, key->kind, key->size_class));

	if (!share || key->day < boundary->first_day)
		return;
	if (key->day > boundary->first_day) {
		plan_sums_add(&share->kept, &sums, 1);
		return;
	}
	add_bounded(&share->kept, &sums, boundary, part);
	add_doubt(shares->plan, key, &sums, boundary->off[part]);
}

/* Keeps @part of a share of directories. */
static void keep_part(struct share *share, double part)
{
	share->kept.inodes = share->all.inodes * part;
	share->kept.size_bytes = share->all.size_bytes * part;
	share->kept.allocated_bytes = share->all.allocated_bytes * part;
	share->kept.stream_bytes = share->all.stream_bytes * part;
	share->kept.media_bytes = share->all.media_bytes * part;
	share->kept.attr_bytes = share->all.attr_bytes * part;
	share->kept.attr_forks = share->all.attr_forks * part;
}

static void keep_by_age(struct shares *shares)
{
	const struct ages *ages = shares->request->ages;
	struct boundary boundary;

	find_boundary(shares->request, &boundary);
	for (size_t i = 0; i < ages_count(ages); i++) {
		struct ages_key key;
		const struct ages_sums *age = ages_at(ages, i, &key);

		take_age(shares, &boundary, &key, age);
	}
	for (size_t i = 0; i < shares->map.count; i++) {
		struct share *share = hashmap_value_at(&shares->map, i);
		double part = plan_ratio(share->kept.inodes, share->all.inodes);

		share->kept.attr_forks = share->all.attr_forks * part;
		share->kept.attr_bytes = share->all.attr_bytes * part;
		share->kept.media_bytes =
			share->kept.attr_bytes +
			(share->all.media_bytes - share->all.attr_bytes) *
				plan_ratio(share->kept.stream_bytes, share->all.stream_bytes);
		/* of directories, stream bytes were corrected, those of ages were not */
		if (share_kind(hashmap_key_at(&shares->map, i)) == KIND_DIRECTORY)
			keep_part(share, part);
	}
}

/* Sums over all directories, or over all else: of all there is, or of what is kept. */
static struct plan_sums sum_shares(const struct shares *shares, bool directories, bool kept)
{
	struct plan_sums sums = {0};

	for (size_t i = 0; i < shares->map.count; i++) {
		const struct share *share = hashmap_value_at(&shares->map, i);
		const struct plan_sums *from = kept ? &share->kept : &share->all;

		if ((share_kind(hashmap_key_at(&shares->map, i)) == KIND_DIRECTORY) != directories)
			continue;
		sums.inodes += from->inodes;
		sums.stream_bytes += from->stream_bytes;
		sums.media_bytes += from->media_bytes;
		sums.attr_bytes += from->attr_bytes;
		sums.attr_forks += from->attr_forks;
	}
	return sums;
}

/* What is known by the time of the change, as struct dump_change. */
struct changed {
	double attr_forks;
	double unseen_forks;
	double unseen_bytes;
	struct plan_surplus surplus;
};

static void changed_add(struct changed *to, const struct dump_change *from, double part)
{
	to->attr_forks += part * (double)from->attr_forks;
	to->unseen_forks += part * (double)from->unseen_forks;
	to->unseen_bytes += part * (double)from->unseen_bytes;
	to->surplus.data_bytes += part * (double)from->surplus.data_bytes;
	to->surplus.attr_bytes += part * (double)from->surplus.attr_bytes;
}

/* Of all there is, and of what changed since the base. */
static void sum_changes(
	const struct prediction_request *request, struct changed *all, struct changed *since)
{
	const struct hashmap *changes = &request->facts->changes;
	double base = (double)request->dump.since_seconds;

	for (size_t i = 0; i < changes->count; i++) {
		const struct dump_change *change = hashmap_value_at(changes, i);
		unsigned recency = (unsigned)hashmap_key_at(changes, i)->low;
		int64_t now = request->scan->started_seconds;
		double from = (double)recency_first_second(recency, now);
		double to = (double)recency_last_second(recency, now);

		changed_add(all, change, 1);
		changed_add(since, change, plan_ratio(to - base + 1, to - from + 1));
	}
}

/* How often @is is in @should_be; 1 where there is nothing to change. */
static double times(double should_be, double is)
{
	return is > 0 ? fmax(0, should_be) / is : 1;
}

static void scale_media(struct share *share, double data_times, double attr_times)
{
	double data = share->kept.media_bytes - share->kept.attr_bytes;

	share->kept.attr_bytes *= attr_times;
	share->kept.media_bytes = data * data_times + share->kept.attr_bytes;
}

/* What @sums were told to take, attributes of @known apart. */
static double told_data(const struct plan_sums *sums, const struct changed *known)
{
	return sums->stream_bytes - known->attr_forks * DUMP_STREAM_EMPTY_ATTRS_BYTES;
}

/* All but attributes of what changed, in the media file; of what is known of all only, its part. */
static double changed_data(const struct shares *shares, const struct plan_sums *all,
	const struct plan_sums *kept, const struct changed *whole, const struct changed *since)
{
	double part = plan_ratio(kept->stream_bytes, all->stream_bytes), unseen = part;
	double rest = all->media_bytes - all->attr_bytes - told_data(all, whole) -
		      whole->surplus.data_bytes - shares->unseen.data_bytes;

	if (whole->unseen_bytes > 0)
		unseen = since->unseen_bytes / whole->unseen_bytes;
	return told_data(kept, since) + since->surplus.data_bytes +
	       unseen * shares->unseen.data_bytes + part * rest;
}

static double changed_attrs(
	const struct shares *shares, const struct changed *whole, const struct changed *since)
{
	return since->attr_forks * DUMP_STREAM_EMPTY_ATTRS_BYTES + since->surplus.attr_bytes +
	       shares->unseen.attr_bytes * plan_ratio(since->unseen_forks, whole->unseen_forks);
}

/* What the scan knows by time, it does not know by user: each gets or loses in proportion. */
static void correct_changed(struct shares *shares)
{
	const struct dump_facts *facts = shares->request->facts;
	struct plan_sums all = sum_shares(shares, false, false);
	struct plan_sums kept = sum_shares(shares, false, true);
	struct changed whole = {0}, since = {0};
	double data_times, attr_times;

	if (!facts || !facts->changes.count)
		return;
	sum_changes(shares->request, &whole, &since);
	data_times = times(changed_data(shares, &all, &kept, &whole, &since),
		kept.media_bytes - kept.attr_bytes);
	attr_times = times(changed_attrs(shares, &whole, &since), kept.attr_bytes);
	for (size_t i = 0; i < shares->map.count; i++) {
		struct share *share = hashmap_value_at(&shares->map, i);

		if (share_kind(hashmap_key_at(&shares->map, i)) == KIND_DIRECTORY)
			continue;
		share->kept.attr_forks *= times(since.attr_forks, kept.attr_forks);
		scale_media(share, data_times, attr_times);
	}
}

/* What a user has in all, and what of it changed. */
struct user_share {
	double files; /* all but directories */
	double changed_files;
	double directories;
	double changed_directories;
};

static int sum_users(const struct shares *shares, struct hashmap *users)
{
	for (size_t i = 0; i < shares->map.count; i++) {
		const struct hashmap_key *key = hashmap_key_at(&shares->map, i);
		const struct share *share = hashmap_value_at(&shares->map, i);
		struct user_share *user =
			hashmap_upsert(users, (struct hashmap_key){.low = key->high});

		if (!user)
			return -ENOMEM;
		if (share_kind(key) == KIND_DIRECTORY) {
			user->directories += share->all.inodes;
			user->changed_directories += share->kept.inodes;
		} else {
			user->files += share->all.inodes;
			user->changed_files += share->kept.inodes;
		}
	}
	return 0;
}

/* The share of a user's unchanged directories on the way to a change, and how far off it may be. */
static double way_share(const struct user_share *user, double *off)
{
	double part = plan_ratio(user->changed_files, user->files);
	double each = user->directories > 0 ? fmax(1, user->files / user->directories) : 1;
	double spread = 1 - pow(1 - part, each);
	double changed = plan_ratio(user->changed_directories, user->directories);
	double most, middle;

	*off = 0;
	if (user->files <= 0 || user->changed_files <= 0 || changed >= 1)
		return 0;
	most = fmax(0, spread - changed) / (1 - changed);
	middle = fmax(0, sqrt(part * spread) - changed) / (1 - changed);
	*off = fmax(middle, most - middle);
	return middle;
}

static int keep_estimated_ways(struct shares *shares)
{
	struct hashmap users;
	int rc;

	hashmap_init(&users, sizeof(struct user_share));
	rc = sum_users(shares, &users);
	for (size_t i = 0; i < shares->map.count && !rc; i++) {
		const struct hashmap_key *key = hashmap_key_at(&shares->map, i);
		struct share *share = hashmap_value_at(&shares->map, i);
		double off, part, kept, inodes = share->all.inodes - share->kept.inodes;

		if (share_kind(key) != KIND_DIRECTORY)
			continue;
		part = way_share(
			hashmap_find(&users, (struct hashmap_key){.low = key->high}), &off);
		shares->plan->doubt_directories += off * inodes;
		kept = plan_ratio(share->kept.inodes, share->all.inodes);
		keep_part(share, kept + part * (1 - kept));
	}
	hashmap_fini(&users);
	return rc;
}

/* Directories that changed, or lie on the way to a change, since the base. */
struct ways {
	double directories;
	double entry_bytes;
	double attr_bytes; /* of attributes, if has_attrs */
	bool has_attrs;    /* the scan knows them */
	double doubt;      /* of them, since the base is within what is known as one time */
};

static void count_ways(const struct prediction_request *request, struct ways *ways)
{
	const struct dump_facts *facts = request->facts;
	double base = (double)request->dump.since_seconds;

	for (size_t i = 0; i < facts->way_count; i++) {
		const struct directory_way *way = &facts->ways[i];
		double from = (double)way->from_seconds, to = (double)way->to_seconds;
		double part = plan_ratio(to - base + 1, to - from + 1);

		ways->directories += part * (double)way->directories;
		ways->entry_bytes += part * (double)way->entry_stream_bytes;
		ways->attr_bytes += part * (double)way->attr_stream_bytes;
		ways->has_attrs = ways->has_attrs || way->attr_stream_bytes;
		if (part > 0 && part < 1)
			ways->doubt += fmax(part, 1 - part) * (double)way->directories;
	}
}

/*
 * Brings the directories that are kept to as many as there are: where that is fewer, of each user
 * in proportion; where it is more, in proportion to the directories that are left.
 */
static void keep_as_many(struct shares *shares, double directories)
{
	double all = sum_shares(shares, true, false).inodes;
	double kept = sum_shares(shares, true, true).inodes;
	double fewer = plan_ratio(directories, kept);
	double more = kept < all ? plan_ratio(directories - kept, all - kept) : 0;

	for (size_t i = 0; i < shares->map.count; i++) {
		struct share *share = hashmap_value_at(&shares->map, i);
		double part = plan_ratio(share->kept.inodes, share->all.inodes);

		if (share_kind(hashmap_key_at(&shares->map, i)) == KIND_DIRECTORY)
			keep_part(share,
				directories < kept ? part * fewer : part + more * (1 - part));
	}
}

/* The directories kept take what is known, not what as many others would. */
static void correct_ways(struct shares *shares, const struct ways *ways)
{
	struct plan_sums kept = sum_shares(shares, true, true);
	double data = kept.media_bytes - kept.attr_bytes, attrs = kept.attr_bytes;
	double known = ways->entry_bytes + DUMP_STREAM_DIRECTORY_BYTES * kept.inodes;

	if (ways->has_attrs)
		attrs = ways->attr_bytes +
			shares->unseen_directories; /* they are in the log: new */
	for (size_t i = 0; i < shares->map.count; i++) {
		struct share *share = hashmap_value_at(&shares->map, i);

		if (share_kind(hashmap_key_at(&shares->map, i)) != KIND_DIRECTORY)
			continue;
		scale_media(share, times(known, data), times(attrs, kept.attr_bytes));
		share->kept.stream_bytes = share->kept.media_bytes;
	}
}

static int keep_directories_on_the_way(struct shares *shares)
{
	const struct dump_facts *facts = shares->request->facts;
	struct ways ways = {0};
	int rc = keep_estimated_ways(shares);

	if (rc || !facts || !facts->way_count)
		return rc;
	count_ways(shares->request, &ways);
	keep_as_many(shares, ways.directories);
	correct_ways(shares, &ways);
	shares->plan->doubt_directories = ways.doubt;
	return 0;
}

int dump_plan_keep_changed(struct shares *shares)
{
	keep_by_age(shares);
	correct_changed(shares);
	return keep_directories_on_the_way(shares);
}
