// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/census/census.h"

#include "analyzer/census/dump_stream.h"
#include "analyzer/census/size_class.h"
#include "base/checked.h"
#include "base/clock.h"

#include <errno.h>
#include <string.h>

void census_init(struct census *census, uint32_t block_bytes, int64_t today)
{
	memset(census, 0, sizeof(*census));
	census->block_bytes = block_bytes;
	cube_init(&census->cube);
	ages_init(&census->ages, today);
	dump_facts_init(&census->dump, today);
	census->dump.present = true;
	failures_init(&census->failures);
	directories_init(&census->directories);
}

void census_fini(struct census *census)
{
	cube_fini(&census->cube);
	ages_fini(&census->ages);
	dump_facts_fini(&census->dump);
	failures_fini(&census->failures);
	directories_fini(&census->directories);
}

int census_add(struct census *census, const struct inode_record *inode)
{
	static const struct dump_measure nothing = {
		.stream_bytes = DUMP_NOT_MEASURED,
		.attrs = DUMP_ATTRS_INLINE,
	};

	return census_add_measured(census, inode, &nothing);
}

int census_add_measured(
	struct census *census, const struct inode_record *inode, const struct dump_measure *measure)
{
	const struct cube_key cube_key = {
		.uid = inode->uid,
		.gid = inode->gid,
		.projid = inode->projid,
		.kind = (uint8_t)inode_kind_of(inode->mode),
		.size_class = (uint8_t)size_class_of(inode->size_bytes),
	};
	const struct cube_sums sums = {
		.inodes = 1,
		.size_bytes = inode->size_bytes,
		.allocated_bytes = inode->allocated_bytes,
		.extents = inode->extents,
		.stream_bytes = dump_stream_inode_bytes(inode, census->block_bytes),
	};
	const struct ages_key ages_key = {
		.uid = inode->uid,
		.kind = cube_key.kind,
		.size_class = cube_key.size_class,
	};
	const struct ages_sums ages_sums = {
		.inodes = 1,
		.size_bytes = inode->size_bytes,
		.allocated_bytes = inode->allocated_bytes,
		.stream_bytes = sums.stream_bytes,
	};

	census->inodes++;
	census->unlinked += inode->nlink == 0;
	census->unknown_inodes += inode->unknown != 0;
	if (cube_add(&census->cube, &cube_key, &sums))
		return -ENOMEM;
	if (ages_add(&census->ages, &ages_key, clock_day_of(inode_change_seconds(inode)),
		    &ages_sums))
		return -ENOMEM;
	return dump_facts_add(&census->dump, inode, &cube_key, &sums, measure);
}

int census_merge(struct census *census, const struct census *from)
{
	int rc = cube_merge(&census->cube, &from->cube);

	if (!rc)
		rc = ages_merge(&census->ages, &from->ages);
	if (!rc)
		rc = dump_facts_merge(&census->dump, &from->dump);
	failures_merge(&census->failures, &from->failures);
	census->inodes += from->inodes;
	census->unlinked += from->unlinked;
	census->unknown_inodes += from->unknown_inodes;
	return rc;
}

void census_sort(struct census *census)
{
	cube_sort(&census->cube);
	ages_sort(&census->ages);
	dump_facts_sort(&census->dump);
}

static void total_add(struct census_totals *totals, const struct cube_key *key,
	const struct cube_sums *sums, unsigned tiny_classes)
{
	uint64_t *const by_kind[INODE_KINDS] = {
		[KIND_REGULAR] = &totals->regular_files,
		[KIND_DIRECTORY] = &totals->directories,
		[KIND_SYMLINK] = &totals->symlinks,
		[KIND_OTHER] = &totals->others,
	};

	totals->inodes += sums->inodes;
	*by_kind[key->kind] += sums->inodes;
	totals->allocated_bytes = sat_add_u64(totals->allocated_bytes, sums->allocated_bytes);
	totals->stream_bytes = sat_add_u64(totals->stream_bytes, sums->stream_bytes);
	if (key->kind != KIND_REGULAR)
		return;
	totals->bytes = sat_add_u64(totals->bytes, sums->size_bytes);
	if (key->size_class < tiny_classes) {
		totals->tiny_files += sums->inodes;
		totals->tiny_bytes = sat_add_u64(totals->tiny_bytes, sums->size_bytes);
	}
}

void census_total(const struct cube *cube, uint64_t tiny_bytes, struct census_totals *totals)
{
	unsigned tiny_classes = size_class_below(tiny_bytes);

	memset(totals, 0, sizeof(*totals));
	for (size_t i = 0; i < cube_count(cube); i++) {
		struct cube_key key;
		const struct cube_sums *sums = cube_at(cube, i, &key);

		total_add(totals, &key, sums, tiny_classes);
	}
}
