// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See within.h. For each owner over a limit there is a share of each of its size classes that is
 * packed and one that is removed. A cell of the cube belongs to a user, a group and a project, and
 * gives up the largest of their shares: what one has to go for serves the others too.
 */
#include "analyzer/policy/within.h"

#include "analyzer/census/dump_stream.h"
#include "analyzer/census/size_class.h"
#include "analyzer/window/prediction.h"
#include "base/checked.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ARCHIVE_BYTES     GIB
#define MIN_ARCHIVE_CLASS 21  /* 1 MiB and more */
#define TAR_HEADER_BYTES  512 /* a file in an archive, and its data are rounded up to that */

/* The files of an owner by class, and which share of each goes. */
struct shares {
	uint64_t files[SIZE_CLASSES];
	double packed[SIZE_CLASSES];
	double removed[SIZE_CLASSES];
	double old; /* of what is old, which share goes */
};

struct going {
	struct hashmap shares; /* (kind, id) of those over a limit → struct shares */
	struct hashmap packed; /* (uid, gid, project) → struct cube_sums of what was packed */
};

static struct hashmap_key owner_key(enum owner_kind kind, uint32_t id)
{
	return (struct hashmap_key){.high = kind, .low = id};
}

/* --- Who is over ------------------------------------------------------------------------------ */

static int find_owners(struct going *going, const struct policy_evaluation *evaluation)
{
	for (size_t i = 0; i < evaluation->count; i++) {
		const struct policy_verdict *verdict = &evaluation->verdicts[i];

		if (verdict->state == STATE_OK)
			continue;
		if (!hashmap_upsert(
			    &going->shares, owner_key(verdict->owner.kind, verdict->owner.id)))
			return -ENOMEM;
	}
	return 0;
}

static void count_files(struct going *going, const struct cube *cube)
{
	for (size_t i = 0; i < cube_count(cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);

		for (int kind = 0; kind < OWNER_KINDS && key.kind == KIND_REGULAR; kind++) {
			struct shares *shares =
				hashmap_find(&going->shares, owner_key(kind, owner_of(&key, kind)));

			if (shares)
				shares->files[key.size_class] =
					sat_add_u64(shares->files[key.size_class], sums->inodes);
		}
	}
}

/* --- What goes of it -------------------------------------------------------------------------- */

static uint64_t excess_of(const struct policy_verdict *verdict, enum policy_rule rule)
{
	struct policy_finding finding;

	return policy_finding_of(verdict, rule, &finding) ? policy_excess(&finding) : 0;
}

/* Files above what the files per TB allow. */
static uint64_t excess_per_tb(const struct policy_verdict *verdict)
{
	struct policy_finding finding;
	uint64_t allowed;

	if (!policy_finding_of(verdict, RULE_FILES_PER_TB, &finding))
		return 0;
	allowed = policy_per_tb_files(
		&verdict->owner, &verdict->limits, min_u64(finding.soft, finding.hard));
	return verdict->owner.files > allowed ? verdict->owner.files - allowed : 0;
}

/* Tiny files to pack so that their share falls to the limit: packing takes from both sides. */
static uint64_t excess_percent(const struct policy_verdict *verdict)
{
	const struct policy_owner *owner = &verdict->owner;
	struct policy_finding finding;
	double limit, files;

	if (!policy_finding_of(verdict, RULE_TINY_PERCENT, &finding) || !policy_excess(&finding))
		return 0;
	limit = (double)min_u64(finding.soft, finding.hard) / 100;
	files = ((double)owner->tiny_files - limit * (double)owner->files) / (1 - limit);
	return min_u64((uint64_t)ceil(fmax(files, 0)), owner->tiny_files);
}

/* Packs @wanted files of the classes from @first to below @end, in proportion; returns the rest. */
static uint64_t pack_classes(struct shares *shares, unsigned first, unsigned end, uint64_t wanted)
{
	uint64_t there = 0;
	double share;

	for (unsigned i = first; i < end; i++)
		there = sat_add_u64(there, shares->files[i]);
	if (!there)
		return wanted;
	share = fmin(1, (double)wanted / (double)there);
	for (unsigned i = first; i < end; i++)
		shares->packed[i] = share;
	return wanted > there ? wanted - there : 0;
}

static void pack_files(
	const struct policy_verdict *verdict, struct shares *shares, unsigned tiny_classes)
{
	uint64_t files = max_u64(excess_of(verdict, RULE_FILES), excess_of(verdict, RULE_INODES));
	uint64_t tiny = max_u64(excess_of(verdict, RULE_TINY_FILES), excess_percent(verdict));
	uint64_t left;

	files = max_u64(files, excess_per_tb(verdict));
	left = pack_classes(shares, 0, tiny_classes, max_u64(files, tiny));
	if (files < tiny)
		return;
	for (unsigned i = tiny_classes; i < SIZE_CLASSES && left; i++)
		left = pack_classes(shares, i, i + 1, left);
}

static double excess_share(const struct policy_verdict *verdict, enum policy_rule rule)
{
	uint64_t excess = excess_of(verdict, rule);

	return excess ? (double)excess / (double)verdict->values[rule] : 0;
}

static void remove_bytes(const struct policy_verdict *verdict, struct shares *shares)
{
	double share = fmax(
		excess_share(verdict, RULE_BYTES), excess_share(verdict, RULE_ALLOCATED_BYTES));

	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		shares->removed[i] = share;
}

static double old_share(const struct policy_verdict *verdict)
{
	return fmax(excess_share(verdict, RULE_OLD_FILES), excess_share(verdict, RULE_OLD_BYTES));
}

/* Of each class of the users over a limit on age the share that is old, as far as it has to go. */
static void remove_old(struct going *going, const struct ages *ages, uint64_t old_after_days)
{
	for (size_t i = 0; i < ages_count(ages); i++) {
		struct ages_key key;
		const struct ages_sums *sums = ages_at(ages, i, &key);
		struct shares *shares;
		double share;

		if (key.kind != KIND_REGULAR || !policy_is_old(ages, &key, old_after_days))
			continue;
		shares = hashmap_find(&going->shares, owner_key(OWNER_USER, key.uid));
		if (!shares || !shares->files[key.size_class])
			continue;
		share = shares->old * (double)sums->inodes / (double)shares->files[key.size_class];
		shares->removed[key.size_class] = fmin(1, shares->removed[key.size_class] + share);
	}
}

static void find_shares(struct going *going, const struct policy_material *material,
	const struct policy_evaluation *evaluation)
{
	unsigned tiny_classes = size_class_below(material->tiny_bytes);
	bool any_old = false;

	for (size_t i = 0; i < evaluation->count; i++) {
		const struct policy_verdict *verdict = &evaluation->verdicts[i];
		struct shares *shares = hashmap_find(
			&going->shares, owner_key(verdict->owner.kind, verdict->owner.id));

		if (!shares)
			continue;
		pack_files(verdict, shares, tiny_classes);
		remove_bytes(verdict, shares);
		shares->old = old_share(verdict);
		any_old |= shares->old > 0;
	}
	if (any_old && material->ages)
		remove_old(going, material->ages, evaluation->policy->old_after_days);
}

/* --- The cube without it ---------------------------------------------------------------------- */

static uint64_t part_of(uint64_t whole, uint64_t part, uint64_t of)
{
	return (uint64_t)((unsigned __int128)whole * part / of);
}

/* Takes @inodes of those in @sums out of them, all else in proportion. */
static struct cube_sums split(struct cube_sums *sums, double share)
{
	double wanted = share * (double)sums->inodes + 0.5;
	uint64_t inodes = wanted >= (double)sums->inodes ? sums->inodes : (uint64_t)wanted;
	struct cube_sums out = {.inodes = inodes};

	if (!inodes)
		return out;
	out.size_bytes = part_of(sums->size_bytes, inodes, sums->inodes);
	out.allocated_bytes = part_of(sums->allocated_bytes, inodes, sums->inodes);
	out.extents = part_of(sums->extents, inodes, sums->inodes);
	out.stream_bytes = part_of(sums->stream_bytes, inodes, sums->inodes);
	sums->inodes -= inodes;
	sums->size_bytes -= out.size_bytes;
	sums->allocated_bytes -= out.allocated_bytes;
	sums->extents -= out.extents;
	sums->stream_bytes -= out.stream_bytes;
	return out;
}

/* What is a hole in a file is none in an archive, but takes no room there once it is compressed. */
static int remember_packed(
	struct going *going, const struct cube_key *key, const struct cube_sums *packed)
{
	struct cube_sums dense = *packed;
	const struct hashmap_key owner = {
		.high = (uint64_t)key->uid << 32 | key->gid, .low = key->projid};
	struct cube_sums *sums = hashmap_upsert(&going->packed, owner);

	if (!sums)
		return -ENOMEM;
	dense.size_bytes = min_u64(packed->size_bytes, packed->allocated_bytes);
	cube_sums_add(sums, &dense);
	return 0;
}

static int take_cell(struct going *going, const struct cube_key *key, const struct cube_sums *cell,
	struct cube *after)
{
	struct cube_sums left = *cell, packed;
	double pack = 0, remove = 0;
	int rc = 0;

	for (int kind = 0; kind < OWNER_KINDS && key->kind == KIND_REGULAR; kind++) {
		const struct shares *shares =
			hashmap_find(&going->shares, owner_key(kind, owner_of(key, kind)));

		if (!shares)
			continue;
		pack = fmax(pack, shares->packed[key->size_class]);
		remove = fmax(remove, shares->removed[key->size_class]);
	}
	split(&left, remove);
	packed = split(&left, pack);
	if (packed.inodes)
		rc = remember_packed(going, key, &packed);
	return rc || !left.inodes ? rc : cube_add(after, key, &left);
}

/* The archives that an owner's packed files make. */
static int add_archives(const struct hashmap_key *owner, const struct cube_sums *packed,
	uint64_t archive_bytes, uint32_t block_bytes, struct cube *after)
{
	uint64_t bytes = sat_add_u64(
		packed->size_bytes, sat_mul_u64(packed->inodes, TAR_HEADER_BYTES * 3 / 2));
	uint64_t count = max_u64(bytes / archive_bytes, 1), each = bytes / count;
	const struct inode_record archive = {
		.mode = S_IFREG,
		.nlink = 1,
		.size_bytes = each,
		.allocated_bytes = round_up_u64(each, block_bytes),
		.extents = 1,
	};
	const struct cube_key key = {
		.uid = (uint32_t)(owner->high >> 32),
		.gid = (uint32_t)owner->high,
		.projid = (uint32_t)owner->low,
		.kind = KIND_REGULAR,
		.size_class = (uint8_t)size_class_of(each),
	};
	const struct cube_sums sums = {
		.inodes = count,
		.size_bytes = bytes,
		.allocated_bytes = sat_mul_u64(count, archive.allocated_bytes),
		.extents = count,
		.stream_bytes = sat_mul_u64(count, dump_stream_inode_bytes(&archive, block_bytes)),
	};

	return cube_add(after, &key, &sums);
}

static int fill(struct going *going, const struct policy_material *material, uint64_t archive_bytes,
	struct cube *after)
{
	int rc = 0;

	for (size_t i = 0; i < cube_count(material->cube) && !rc; i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(material->cube, i, &key);

		rc = take_cell(going, &key, sums, after);
	}
	for (size_t i = 0; i < going->packed.count && !rc && archive_bytes; i++)
		rc = add_archives(hashmap_key_at(&going->packed, i),
			hashmap_value_at(&going->packed, i), archive_bytes, material->block_bytes,
			after);
	if (!rc)
		cube_sort(after);
	return rc;
}

int policy_within(const struct policy_material *material,
	const struct policy_evaluation *evaluation, uint64_t archive_bytes, struct cube *after)
{
	struct going going;
	int rc;

	hashmap_init(&going.shares, sizeof(struct shares));
	hashmap_init(&going.packed, sizeof(struct cube_sums));
	rc = find_owners(&going, evaluation);
	if (!rc) {
		count_files(&going, material->cube);
		find_shares(&going, material, evaluation);
		rc = fill(&going, material, archive_bytes, after);
	}
	hashmap_fini(&going.shares);
	hashmap_fini(&going.packed);
	return rc;
}

/* --- The window ------------------------------------------------------------------------------- */

uint64_t policy_archive_bytes(const struct calibration *calibration)
{
	unsigned best = 0;

	for (size_t i = 0; i < calibration->cell_count; i++) {
		const struct calibration_cell *cell = &calibration->cells[i];

		if (cell->files && cell->size_class > best && cell->size_class < SIZE_CLASSES)
			best = cell->size_class;
	}
	if (best < MIN_ARCHIVE_CLASS)
		return 0;
	return min_u64(size_class_low(best), ARCHIVE_BYTES);
}

static int predict(const struct policy_material *material,
	const struct policy_evaluation *evaluation, const struct policy_window_basis *basis,
	uint64_t archive_bytes, double *seconds, struct err *err)
{
	struct cube after;
	int rc;

	cube_init(&after);
	rc = policy_within(material, evaluation, archive_bytes, &after);
	if (rc)
		err_set(err, rc, "out of memory");
	else
		rc = prediction_seconds(&after, basis->calibration, seconds, err);
	cube_fini(&after);
	if (!rc)
		*seconds *= basis->factor;
	return rc;
}

int policy_window_after(const struct policy_material *material,
	const struct policy_evaluation *evaluation, const struct policy_window_basis *basis,
	double *seconds, struct err *err)
{
	uint64_t archive_bytes = policy_archive_bytes(basis->calibration);
	struct err own = {0};
	int rc = predict(material, evaluation, basis, archive_bytes, seconds, &own);

	/* Small archives may be of a size that was not sampled; they matter least. */
	if (rc == -ENODATA && archive_bytes) {
		err_clear(&own);
		rc = predict(material, evaluation, basis, 0, seconds, &own);
	}
	return rc ? err_set(err, rc, "%s", own.message) : 0;
}
