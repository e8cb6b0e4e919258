// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See prediction.h; docs/dump-model.md has every term.
 *
 * Seconds are shared out by what causes them: passes over the inodes by inodes, directories by
 * directories, files by the costs of their class, so that the users' seconds add up to all.
 *
 * The interval has the sampling error of the files and, added as independent errors, allowances
 * for what no sample tells: that two dumps of the same filesystem differ, the more so if the speed
 * of the array drifted while it was sampled, classes priced by few files or by their neighbours,
 * and passes known from a part of them.
 */
#include "analyzer/window/prediction.h"

#include "analyzer/census/dump_stream.h"
#include "analyzer/census/size_class.h"
#include "analyzer/window/estimate.h"
#include "base/checked.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLICATES         1000
#define BOOTSTRAP_SEED     0x626f6f7473747261ULL
#define OWN_SECONDS        1.6e-6 /* of xfsdump's own work per inode, not part of the replay */
#define REPEAT_ERROR       0.04   /* of all: a dump against the same dump again, and the replay */
#define PARTIAL_PASS_ERROR 0.15   /* of a pass seen in part */
#define CPU_BOUND_SHARE    0.7    /* of the files' seconds spent computing */
#define FLOOR_CLASS        21     /* files from 1 MiB on show what the array can transfer */

/* What a level-0 dump takes in, and what of it costs how much. */
struct model {
	const struct calibration *calibration;
	struct cost_table costs;
	struct class_load loads[SIZE_CLASSES]; /* regular files */
	uint64_t sizes[SIZE_CLASSES];          /* their sizes */
	struct load_seconds seconds[SIZE_CLASSES];
	uint64_t inodes;
	uint64_t directories;
	uint64_t specials; /* symbolic links, fifos, sockets, devices */
	uint64_t stream_bytes;
	double map_seconds;       /* per inode */
	double pass_seconds;      /* per inode and later pass */
	double directory_seconds; /* per directory */
	double special_seconds;   /* per symbolic link or special file */
};

const char *prediction_phase_name(enum prediction_phase phase)
{
	static const char *const names[PREDICTION_PHASES] = {
		[PHASE_INODE_MAP] = "inode-map",
		[PHASE_DIRECTORIES] = "directories",
		[PHASE_FILES] = "files",
		[PHASE_SINK] = "sink",
	};

	return names[phase];
}

static void take_cell(struct model *model, const struct cube_key *key, const struct cube_sums *sums)
{
	model->inodes += sums->inodes;
	model->stream_bytes = sat_add_u64(model->stream_bytes, sums->stream_bytes);
	switch (key->kind) {
	case KIND_DIRECTORY:
		model->directories += sums->inodes;
		break;
	case KIND_REGULAR: {
		struct class_load *load = &model->loads[key->size_class];

		load->files += sums->inodes;
		load->stream_bytes = sat_add_u64(load->stream_bytes, sums->stream_bytes);
		model->sizes[key->size_class] =
			sat_add_u64(model->sizes[key->size_class], sums->size_bytes);
		break;
	}
	default:
		model->specials += sums->inodes;
	}
}

static double per_unit(const struct calibration_pass *pass)
{
	return pass->units ? pass->seconds / (double)pass->units : 0;
}

static int model_init(struct model *model, const struct cube *cube,
	const struct calibration *calibration, struct err *err)
{
	int rc;

	memset(model, 0, sizeof(*model));
	model->calibration = calibration;
	for (size_t i = 0; i < cube_count(cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);

		take_cell(model, &key, sums);
	}
	rc = cost_check(calibration, model->loads, err);
	if (rc)
		return rc;
	cost_table_make(calibration, NULL, &model->costs);
	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		model->seconds[i] = cost_of_load(&model->costs, i, &model->loads[i]);
	model->map_seconds = per_unit(&calibration->passes[PASS_INODE_MAP]);
	model->pass_seconds = per_unit(&calibration->passes[PASS_INODES]);
	model->directory_seconds = per_unit(&calibration->passes[PASS_DIRECTORIES]);
	return 0;
}

static double class_seconds(const struct model *model, unsigned size_class)
{
	return model->seconds[size_class].file_seconds + model->seconds[size_class].data_seconds;
}

/* All regular files. */
static double regular_seconds(const struct model *model)
{
	double seconds = 0;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		seconds += class_seconds(model, i);
	return seconds;
}

/*
 * A symbolic link is read by handle, a special file is a header; either may have attributes. They
 * are put at the price of opening the cheapest class of files, for want of a class of their own.
 */
static double cheapest_open(const struct cost_table *costs)
{
	double cheapest = INFINITY;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		if (costs->classes[i].files)
			cheapest = fmin(cheapest, costs->classes[i].file_seconds);
	return isfinite(cheapest) ? cheapest : 0;
}

static void predict_phases(const struct model *model, struct prediction *prediction)
{
	double inodes = (double)model->inodes;

	prediction->phases[PHASE_INODE_MAP] = inodes * model->map_seconds;
	prediction->phases[PHASE_DIRECTORIES] =
		inodes * model->pass_seconds +
		(double)model->directories * model->directory_seconds;
	prediction->phases[PHASE_FILES] = inodes * (model->pass_seconds + OWN_SECONDS) +
					  (double)model->specials * model->special_seconds +
					  regular_seconds(model);
	prediction->phases[PHASE_SINK] = 0;
	for (int i = 0; i < PREDICTION_PHASES; i++)
		prediction->seconds += prediction->phases[i];
}

static int predict_classes(const struct model *model, struct prediction *prediction)
{
	prediction->classes = calloc(SIZE_CLASSES, sizeof(*prediction->classes));
	if (!prediction->classes)
		return -ENOMEM;
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		if (!model->loads[i].files)
			continue;
		prediction->files += model->loads[i].files;
		prediction->classes[prediction->class_count++] = (struct prediction_class){
			.size_class = (uint8_t)i,
			.files = model->loads[i].files,
			.bytes = model->sizes[i],
			.seconds = class_seconds(model, i),
		};
	}
	return 0;
}

/* The part of its class that a cell's regular files cause. */
static double cell_seconds(
	const struct model *model, const struct cube_key *key, const struct cube_sums *sums)
{
	const struct class_load *load = &model->loads[key->size_class];
	const struct load_seconds *seconds = &model->seconds[key->size_class];
	double by_bytes =
		load->stream_bytes ? (double)sums->stream_bytes / (double)load->stream_bytes : 0;

	return seconds->file_seconds * (double)sums->inodes / (double)load->files +
	       seconds->data_seconds * by_bytes;
}

static void user_take_cell(const struct model *model, struct prediction_user *user,
	const struct cube_key *key, const struct cube_sums *sums, unsigned tiny_classes)
{
	double inodes = (double)sums->inodes;

	user->seconds += inodes * (model->map_seconds + 2 * model->pass_seconds + OWN_SECONDS);
	switch (key->kind) {
	case KIND_DIRECTORY:
		user->seconds += inodes * model->directory_seconds;
		break;
	case KIND_REGULAR:
		user->files += sums->inodes;
		if (key->size_class < tiny_classes)
			user->tiny_files += sums->inodes;
		if (sums->inodes)
			user->seconds += cell_seconds(model, key, sums);
		break;
	default:
		user->seconds += inodes * model->special_seconds;
	}
}

static int most_seconds_first(const void *left, const void *right)
{
	const struct prediction_user *a = left, *b = right;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? 1 : -1;
	return (a->uid > b->uid) - (a->uid < b->uid);
}

static int predict_users(const struct model *model, const struct cube *cube, uint64_t tiny_bytes,
	struct prediction *prediction)
{
	unsigned tiny_classes = size_class_below(tiny_bytes);
	struct hashmap users;
	int rc = 0;

	hashmap_init(&users, sizeof(struct prediction_user));
	for (size_t i = 0; i < cube_count(cube) && !rc; i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);
		struct prediction_user *user =
			hashmap_upsert(&users, (struct hashmap_key){.low = key.uid});

		if (user)
			user_take_cell(model, user, &key, sums, tiny_classes);
		else
			rc = -ENOMEM;
	}
	prediction->users = rc ? NULL : calloc(users.count + 1, sizeof(*prediction->users));
	if (!prediction->users) {
		hashmap_fini(&users);
		return -ENOMEM;
	}
	for (size_t i = 0; i < users.count; i++) {
		prediction->users[i] = *(struct prediction_user *)hashmap_value_at(&users, i);
		prediction->users[i].uid = (uint32_t)hashmap_key_at(&users, i)->low;
	}
	prediction->user_count = users.count;
	hashmap_fini(&users);
	qsort(prediction->users, prediction->user_count, sizeof(*prediction->users),
		most_seconds_first);
	return 0;
}

/* The error of the metadata passes: of those measured in part, a share. */
static double pass_error(const struct model *model, const struct prediction *prediction)
{
	const struct calibration_pass *passes = model->calibration->passes;
	double error = 0;

	if (passes[PASS_INODE_MAP].units < model->inodes - model->inodes / 50)
		error += PARTIAL_PASS_ERROR * prediction->phases[PHASE_INODE_MAP];
	if (passes[PASS_DIRECTORIES].units < model->directories - model->directories / 50)
		error += PARTIAL_PASS_ERROR * prediction->phases[PHASE_DIRECTORIES];
	return error;
}

static int predict_interval(const struct model *model, struct prediction *prediction)
{
	struct estimate estimate;
	double sampling, prices, passes, repeat, drift, half;
	int rc = estimate_files(
		model->calibration, model->loads, REPLICATES, BOOTSTRAP_SEED, &estimate);

	if (rc)
		return rc;
	sampling = estimate_half_width(&estimate);
	prices = estimate.error_seconds;
	passes = pass_error(model, prediction);
	repeat = 2 * REPEAT_ERROR * prediction->seconds;
	drift = 2 * estimate.drift * estimate.seconds;
	half = sqrt(sampling * sampling + prices * prices + passes * passes + repeat * repeat +
		    drift * drift);
	prediction->high_seconds = prediction->seconds + half;
	/* As many times less as the high one is more: a time is never below zero. */
	if (prediction->seconds > 0)
		prediction->low_seconds =
			prediction->seconds * prediction->seconds / prediction->high_seconds;
	return 0;
}

/* Seconds per byte of the fastest class of big files; 0 if there is none to go by. */
static double best_seconds_per_byte(const struct cost_table *costs)
{
	double best = INFINITY;

	for (unsigned i = FLOOR_CLASS; i < SIZE_CLASSES; i++)
		if (costs->classes[i].seconds_per_byte > 0)
			best = fmin(best, costs->classes[i].seconds_per_byte);
	return isfinite(best) ? best : 0;
}

/*
 * What holds the dump back. The array does to the extent that the same bytes would take time even
 * if they lay in big files; the rest is what the contents cost: many inodes, small files.
 */
static const char *find_bottleneck(const struct model *model, const struct prediction *prediction)
{
	const struct calibration *calibration = model->calibration;
	double bytes = 0, sampled = 0, transfer;

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		bytes += (double)model->loads[i].stream_bytes;
	for (size_t i = 0; i < calibration->cell_count; i++)
		sampled += calibration->cells[i].file_seconds + calibration->cells[i].data_seconds;
	if (calibration->cpu_seconds > CPU_BOUND_SHARE * sampled)
		return "cpu";
	transfer = bytes * best_seconds_per_byte(&model->costs);
	return transfer > prediction->seconds / 2 ? "array" : "contents";
}

int prediction_make(const struct cube *cube, const struct calibration *calibration,
	uint64_t inode_chunks, uint64_t tiny_bytes, struct prediction *prediction, struct err *err)
{
	struct model model;
	int rc;

	memset(prediction, 0, sizeof(*prediction));
	rc = model_init(&model, cube, calibration, err);
	if (rc)
		return rc;
	model.special_seconds = cheapest_open(&model.costs);
	predict_phases(&model, prediction);
	prediction->dump_bytes =
		sat_add_u64(model.stream_bytes, dump_stream_overhead_bytes(inode_chunks));
	snprintf(prediction->bottleneck, sizeof(prediction->bottleneck), "%s",
		find_bottleneck(&model, prediction));
	rc = predict_classes(&model, prediction);
	if (!rc)
		rc = predict_users(&model, cube, tiny_bytes, prediction);
	if (!rc)
		rc = predict_interval(&model, prediction);
	if (rc) {
		prediction_fini(prediction);
		return err_set(
			err, rc, rc == -ENOMEM ? "out of memory" : "the calibration is damaged");
	}
	return 0;
}

int prediction_seconds(const struct cube *cube, const struct calibration *calibration,
	double *seconds, struct err *err)
{
	struct prediction prediction = {0};
	struct model model;
	int rc = model_init(&model, cube, calibration, err);

	if (rc)
		return rc;
	model.special_seconds = cheapest_open(&model.costs);
	predict_phases(&model, &prediction);
	*seconds = prediction.seconds;
	return 0;
}

void prediction_fini(struct prediction *prediction)
{
	free(prediction->classes);
	free(prediction->users);
	memset(prediction, 0, sizeof(*prediction));
}
