// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_wait.h. The dump is played through the buffer before its sink (sink_queue.h): first
 * directories, then range after range of inode numbers. Within a range, files of all classes come
 * in random order with the average size and time of their class there.
 *
 * The number of steps is limited. Files that are small against a record and the buffer, and in what
 * the sink takes while they are read, go several at a time. Where that is still too much, a sample
 * of each class is played twice: once as it is, so that the buffer comes to what it is in this
 * range, and once for all that was not in the first.
 */
#include "analyzer/window/dump_wait.h"

#include "analyzer/window/dump_order.h"
#include "analyzer/window/random.h"
#include "analyzer/window/sink_queue.h"

#include <math.h>

#define ORDER_SEED      0x6f72646572ULL
#define STEPS_OF_RECORD 4         /* files up to that part of a record go together, */
#define STEPS_OF_BUFFER 32        /* if the sink takes no more than that of the buffer meanwhile */
#define ALL_STEPS       (1 << 17) /* of all ranges, about */

_Static_assert(MODEL_PARTS <= SINK_QUEUE_PARTS, "the queue knows all parts");

/* A class of files in a range. */
struct deck {
	double bytes; /* of a step */
	double seconds;
	uint64_t steps; /* to play each time */
	uint64_t left;
	double others; /* as many times what is played is not in the first time */
};

struct play {
	const struct dump_model *model;
	double scale;
	double range_steps; /* at most, about */
	struct sink_queue queue;
	struct random random;
	double *wait;
	struct deck decks[DUMP_ORDER_PARTS];
};

/* Seconds in which the files of a part are read, passes over all its inodes included. */
static double reading_seconds(const struct play *play, const struct dump_load *load, unsigned part)
{
	return load->seconds[part] + load->present[part] * play->model->per_inode;
}

static double steps_of(const struct play *play, const struct dump_load *load, unsigned part)
{
	const struct sink_queue *queue = &play->queue;
	double small = queue->record_bytes / STEPS_OF_RECORD;
	double soon = fmax(queue->buffer_bytes, small) / STEPS_OF_BUFFER;
	double passed_on = queue->bytes_per_second * reading_seconds(play, load, part);

	if (!(load->media_bytes[part] > 0))
		return 0;
	return fmax(1, fmin(ceil(load->inodes[part]),
			       ceil(fmax(load->media_bytes[part] / small, passed_on / soon))));
}

/* Makes the decks of a range. */
static void deal(struct play *play, const struct dump_load *load)
{
	double steps[DUMP_ORDER_PARTS], all = 0;

	for (unsigned i = 0; i < DUMP_ORDER_PARTS; i++)
		all += steps[i] = steps_of(play, load, i);
	for (unsigned i = 0; i < DUMP_ORDER_PARTS; i++) {
		struct deck *deck = &play->decks[i];

		*deck = (struct deck){0};
		if (!(steps[i] > 0))
			continue;
		deck->steps = (uint64_t)fmax(1, floor(steps[i] * fmin(1, play->range_steps / all)));
		deck->bytes = load->media_bytes[i] / steps[i];
		deck->seconds = play->scale * reading_seconds(play, load, i) / steps[i];
		deck->others = steps[i] / (double)deck->steps - 1;
	}
}

/* The next class, each step as likely as any other. */
static struct deck *draw(struct play *play, uint64_t left)
{
	uint64_t at = random_below(&play->random, left);
	struct deck *deck = play->decks;

	for (; at >= deck->left; deck++)
		at -= deck->left;
	return deck;
}

/* Plays all @left steps of the decks. */
static void play_decks(struct play *play, uint64_t left)
{
	for (; left; left--) {
		struct deck *deck = draw(play, left);

		deck->left--;
		sink_queue_put(
			&play->queue, (unsigned)(deck - play->decks), deck->bytes, deck->seconds);
	}
}

/* Counts what was waited since the last time, @others: for what stands for others. */
static void settle(struct play *play, bool others)
{
	for (unsigned i = 0; i < MODEL_PARTS; i++) {
		double times = i < DUMP_ORDER_PARTS && others ? play->decks[i].others : 1;

		play->wait[i] += play->queue.wait[i] * times;
		play->queue.wait[i] = 0;
	}
}

static void play_load(struct play *play, const struct dump_load *load)
{
	deal(play, load);
	for (unsigned others = 0; others < 2; others++) {
		uint64_t left = 0;

		for (unsigned i = 0; i < DUMP_ORDER_PARTS; i++) {
			struct deck *deck = &play->decks[i];

			deck->left = !others || deck->others > 0 ? deck->steps : 0;
			left += deck->left;
		}
		play_decks(play, left);
		settle(play, others);
	}
}

/* All inodes are passed over for the directories among them. */
static void play_directories(struct play *play)
{
	const struct dump_model *model = play->model;
	const struct model_part *part = &model->parts[PART_DIRECTORIES];
	double passes = model->present * model->costs->pass_seconds +
			model->present_directories * model->per_inode;

	sink_queue_put(&play->queue, PART_DIRECTORIES, part->media_bytes,
		play->scale * (part->seconds + passes));
}

/* What no range tells of: all of it where there are none, and classes that only archives are in. */
static void find_rest(
	const struct dump_model *model, const struct dump_load *met, struct dump_load *rest)
{
	for (unsigned i = 0; i < DUMP_ORDER_PARTS; i++) {
		const struct model_part *part = &model->parts[i];
		bool is_met = met->media_bytes[i] > 0;

		rest->present[i] = rest->inodes[i] = is_met ? 0 : part->inodes;
		rest->media_bytes[i] = is_met ? 0 : part->media_bytes;
		rest->seconds[i] = is_met ? 0 : part->seconds + part->data_seconds;
	}
}

static void play_ranges(struct play *play)
{
	const struct dump_ranges *ranges = play->model->plan->ranges;
	size_t count = ranges ? dump_ranges_count(ranges) : 0;
	struct dump_load load, met = {0};
	struct dump_kept kept;

	play->range_steps = (double)ALL_STEPS / (double)(count + 1);
	if (count)
		dump_kept_find(play->model, ranges, &kept);
	for (size_t i = 0; i < count; i++) {
		uint64_t index;

		dump_load_find(play->model, &kept, dump_ranges_at(ranges, i, &index), &load);
		play_load(play, &load);
		for (unsigned part = 0; part < DUMP_ORDER_PARTS; part++)
			met.media_bytes[part] += load.media_bytes[part];
	}
	find_rest(play->model, &met, &load);
	play_load(play, &load);
}

/* A sink that takes nothing, or everything at once: no order matters. */
static double wait_of_extreme(const struct sink *sink, double bytes)
{
	if (!(bytes > 0))
		return 0;
	return sink->bytes_per_second > 0 ? bytes / SINK_RECORD_BYTES * sink->record_seconds
					  : INFINITY;
}

void dump_wait_find(const struct dump_model *model, double scale, const struct sink *sink,
	double wait[MODEL_PARTS])
{
	struct play play = {.model = model, .scale = scale, .wait = wait, .random = {ORDER_SEED}};

	for (unsigned i = 0; i < MODEL_PARTS; i++)
		wait[i] = 0;
	if (!sink || sink->kind == SINK_NULL)
		return;
	if (!(sink->bytes_per_second > 0) || isinf(sink->bytes_per_second)) {
		for (unsigned i = 0; i < MODEL_PARTS; i++)
			wait[i] = wait_of_extreme(sink, model->parts[i].media_bytes);
		return;
	}
	sink_queue_init(&play.queue, sink);
	play_directories(&play);
	play_ranges(&play);
	sink_queue_end(&play.queue);
	settle(&play, false);
}
