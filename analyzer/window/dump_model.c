// SPDX-License-Identifier: GPL-2.0-or-later
/* See dump_model.h. */
#include "analyzer/window/dump_model.h"

#include "analyzer/census/dump_stream.h"
#include "analyzer/window/dump_wait.h"

#include <math.h>
#include <string.h>

unsigned dump_model_part_of(const struct cube_key *key)
{
	switch (key->kind) {
	case KIND_REGULAR:
		return key->size_class;
	case KIND_DIRECTORY:
		return PART_DIRECTORIES;
	default:
		return PART_SPECIALS;
	}
}

/* --- Archives --------------------------------------------------------------------------------- */

/* Written in one go, in few extents. */
double plan_pack_stream_bytes(const struct plan_pack *pack)
{
	const struct inode_record archive = {
		.size_bytes = (uint64_t)pack->size_bytes,
		.allocated_bytes = (uint64_t)pack->size_bytes,
		.extents = 1,
		.nlink = 1,
		.mode = S_IFREG,
	};

	return (double)dump_stream_inode_bytes(&archive, 4096);
}

unsigned plan_pack_class(const struct plan_pack *pack)
{
	return size_class_of((uint64_t)pack->size_bytes);
}

/* At the array's sequential rate, but never faster than a file of that size by the sample. */
double plan_pack_data_seconds(const struct dump_costs *costs, const struct plan_pack *pack)
{
	double bytes = plan_pack_stream_bytes(pack);
	const struct class_load load = {1, (uint64_t)bytes};
	struct load_seconds sampled = cost_of_load(&costs->table, plan_pack_class(pack), &load);

	if (!sampled.borrowed || !(costs->sequential_seconds > 0))
		return sampled.data_seconds;
	return bytes * costs->sequential_seconds;
}

/* --- The model -------------------------------------------------------------------------------- */

static void take_cell(struct dump_model *model, const struct plan_cell *cell)
{
	struct model_part *part = &model->parts[dump_model_part_of(&cell->key)];

	model->present += cell->present;
	if (cell->key.kind == KIND_DIRECTORY)
		model->present_directories += cell->present;
	part->inodes += cell->dumped.inodes;
	part->size_bytes += cell->dumped.size_bytes;
	part->stream_bytes += cell->dumped.stream_bytes;
	part->media_bytes += cell->dumped.media_bytes;
	part->attr_forks += cell->dumped.attr_forks;
}

/* Without attributes, nobody asks for them: at the least, half of the time is left. */
static void save_attributes(struct dump_model *model)
{
	for (unsigned i = 0; i < MODEL_PARTS && model->plan->no_attributes; i++) {
		struct model_part *part = &model->parts[i];

		part->seconds = fmax(part->seconds / 2,
			part->seconds - part->attr_forks * model->costs->attributes_seconds);
	}
}

static void price_classes(struct dump_model *model)
{
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		struct model_part *part = &model->parts[i];
		struct load_seconds seconds;

		model->loads[i] = (struct class_load){
			(uint64_t)llround(part->inodes), (uint64_t)llround(part->stream_bytes)};
		seconds = cost_of_load(&model->costs->table, i, &model->loads[i]);
		part->seconds = seconds.file_seconds;
		part->data_seconds = seconds.data_seconds;
	}
}

static void take_packs(struct dump_model *model)
{
	for (size_t i = 0; i < model->plan->pack_count; i++) {
		const struct plan_pack *pack = &model->plan->packs[i];
		struct model_part *part = &model->parts[plan_pack_class(pack)];

		model->present++;
		part->inodes++;
		part->size_bytes += pack->size_bytes;
		part->stream_bytes += plan_pack_stream_bytes(pack);
		part->media_bytes += plan_pack_stream_bytes(pack);
		part->seconds += model->costs->special_seconds;
		part->data_seconds += plan_pack_data_seconds(model->costs, pack);
	}
}

void dump_model_make(
	const struct dump_plan *plan, const struct dump_costs *costs, struct dump_model *model)
{
	*model = (struct dump_model){
		.costs = costs,
		.plan = plan,
		.per_inode = costs->pass_seconds + costs->own_seconds,
	};
	for (size_t i = 0; i < plan->count; i++)
		take_cell(model, &plan->cells[i]);
	price_classes(model);
	take_packs(model);
	model->parts[PART_SPECIALS].seconds =
		model->parts[PART_SPECIALS].inodes * costs->special_seconds;
	model->parts[PART_DIRECTORIES].seconds =
		model->parts[PART_DIRECTORIES].inodes *
		(plan->incremental ? costs->again_seconds : costs->directory_seconds);
	save_attributes(model);
}

/* What a level above 0 does besides: all directories listed, each inode looked up by its name. */
static double prune_seconds(const struct dump_model *model)
{
	const struct dump_costs *costs = model->costs;

	if (!model->plan->incremental)
		return 0;
	return model->present_directories * costs->directory_seconds +
	       model->present * costs->prune_seconds;
}

void dump_model_times(const struct dump_model *model, double scale, const struct sink *sink,
	struct dump_times *times)
{
	const struct dump_costs *costs = model->costs;
	const struct model_part *directories = &model->parts[PART_DIRECTORIES];
	double files = model->present * model->per_inode;

	*times = (struct dump_times){0};
	dump_wait_find(model, scale, sink, times->wait);
	for (unsigned i = 0; i < MODEL_PARTS; i++) {
		const struct model_part *part = &model->parts[i];

		if (i != PART_DIRECTORIES)
			files += part->seconds + part->data_seconds;
		times->phases[PHASE_SINK] += times->wait[i];
	}
	times->phases[PHASE_INODE_MAP] =
		scale * (model->present * costs->map_seconds + prune_seconds(model));
	times->phases[PHASE_DIRECTORIES] =
		scale * (model->present * costs->pass_seconds + directories->seconds);
	times->phases[PHASE_FILES] = scale * files;
	for (unsigned i = 0; i < PREDICTION_PHASES; i++)
		times->seconds += times->phases[i];
}

double dump_model_media_bytes(const struct dump_model *model)
{
	double bytes = 0;

	for (unsigned i = 0; i < MODEL_PARTS; i++)
		bytes += model->parts[i].media_bytes;
	return bytes;
}

/* --- Shared out ------------------------------------------------------------------------------- */

/* What of a part @inodes with @stream_bytes cause. */
static double part_seconds(const struct dump_model *model, const struct dump_times *times,
	unsigned index, double inodes, double stream_bytes)
{
	const struct model_part *part = &model->parts[index];
	double seconds = 0;

	if (part->inodes > 0)
		seconds += part->seconds * inodes / part->inodes;
	if (part->stream_bytes > 0)
		seconds += (part->data_seconds + times->wait[index]) * stream_bytes /
			   part->stream_bytes;
	return seconds;
}

/* Passes over an inode, and what a level above 0 does with it. */
static double present_seconds(const struct dump_model *model, bool is_directory)
{
	const struct dump_costs *costs = model->costs;
	double seconds = costs->map_seconds + costs->pass_seconds + model->per_inode;

	if (model->plan->incremental)
		seconds += costs->prune_seconds + is_directory * costs->directory_seconds;
	return seconds;
}

double dump_model_cell_seconds(const struct dump_model *model, const struct dump_times *times,
	const struct plan_cell *cell)
{
	return cell->present * present_seconds(model, cell->key.kind == KIND_DIRECTORY) +
	       part_seconds(model, times, dump_model_part_of(&cell->key), cell->dumped.inodes,
		       cell->dumped.stream_bytes);
}

double dump_model_pack_seconds(const struct dump_model *model, const struct dump_times *times,
	const struct plan_pack *pack)
{
	return present_seconds(model, false) +
	       part_seconds(model, times, plan_pack_class(pack), 1, plan_pack_stream_bytes(pack));
}
