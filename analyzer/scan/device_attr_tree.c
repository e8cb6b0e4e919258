// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See device_attr_tree.h. First all extents of the fork are listed, then its tree is read level by
 * level, the blocks of each in the order of the disk and those near each other in one read: the
 * leaves of a tree lie in another order than that of the attributes in them.
 *
 * It ends since levels count down, and a fork gets no more blocks than it has. Nor do all together
 * get more than there are: on a forged disk many forks may claim the same ones.
 */
#include "analyzer/scan/device_attr_tree.h"

#include "analyzer/scan/device_again.h"
#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>

#define LEVEL_ANY (DISK_ATTR_MAX_LEVELS + 1) /* of the root */

/* A block of the tree. */
struct tree_block {
	uint64_t place; /* byte on the device */
	uint32_t block; /* of the fork */
};

struct tree {
	const struct device_attr_fork *from;
	struct disk_extent *extents; /* of the fork, ascending */
	size_t extent_count;
	uint64_t blocks_left;      /* that the fork can have */
	struct tree_block *blocks; /* of the level at hand */
	size_t count;
	struct tree_block *below; /* of the next one */
	size_t below_count;
	unsigned level; /* of `blocks` */
	uint64_t bytes;
};

/* Makes room for @more items behind @count. Returns 0 or -ENOMEM with a message. */
static int grow(void *items, size_t count, size_t more, size_t item_bytes, struct err *err)
{
	void **at = items, *grown = reallocarray(*at, max_u64(count + more, 1), item_bytes);

	if (!grown)
		return err_set(err, -ENOMEM, "out of memory");
	*at = grown;
	return 0;
}

static int take_budget(const struct device_attr_fork *from, struct err *err)
{
	if (atomic_fetch_sub(from->blocks_left, 1) >= 1)
		return 0;
	return err_set(
		err, -EUCLEAN, "all attributes together have more blocks than the filesystem");
}

/* --- Extents ---------------------------------------------------------------------------------- */

static void add_extent(struct tree *tree, const struct disk_extent *extent)
{
	tree->extents[tree->extent_count++] = *extent;
	tree->blocks_left += extent->count;
}

static int list_extents(struct tree *tree, struct err *err)
{
	const struct disk_fork *fork = tree->from->fork;
	struct disk_extent extent;
	uint64_t least = 0;
	int rc = grow(&tree->extents, 0, fork->extents, sizeof(extent), err);

	for (uint64_t i = 0; i < fork->extents && !rc; i++) {
		rc = disk_fork_extent(&extent, tree->from->scan->super, fork, i, least, err);
		if (rc)
			return rc;
		add_extent(tree, &extent);
		least = extent.offset + extent.count;
	}
	return rc;
}

/* A level of the extent tree, from left to right. */
struct mapping {
	struct tree *tree;
	const struct disk_bmbt_node *node; /* to be read */
	struct disk_bmbt_node *below;
	size_t below_count;
};

/* Takes the children of a part of the extent tree, or its extents. */
static int take_mapping(struct mapping *mapping, const struct disk_bmbt *part, struct err *err)
{
	const struct disk_super *super = mapping->tree->from->scan->super;
	struct tree *tree = mapping->tree;
	int rc = part->level ? grow(&mapping->below, mapping->below_count, part->count,
				       sizeof(*mapping->below), err)
			     : grow(&tree->extents, tree->extent_count, part->count,
				       sizeof(*tree->extents), err);

	for (unsigned i = 0; i < part->count && !rc; i++) {
		struct disk_extent extent;

		if (part->level) {
			rc = disk_bmbt_child(
				&mapping->below[mapping->below_count++], super, part, i, err);
			continue;
		}
		rc = disk_bmbt_extent(&extent, super, part, i, err);
		if (!rc)
			add_extent(tree, &extent);
	}
	return rc;
}

static int check_mapping(const void *data, void *context, struct err *err)
{
	struct mapping *mapping = context;
	struct tree *tree = mapping->tree;
	size_t below = mapping->below_count, extents = tree->extent_count;
	uint64_t blocks_left = tree->blocks_left;
	struct disk_bmbt part;
	int rc = disk_bmbt_open(&part, tree->from->scan->super, mapping->node, data, err);

	if (!rc)
		rc = take_mapping(mapping, &part, err);
	if (rc) { /* it may be checked again */
		mapping->below_count = below;
		tree->extent_count = extents;
		tree->blocks_left = blocks_left;
	}
	return rc;
}

/* Reads a block of the extent tree. */
static int read_mapping(struct mapping *mapping, struct err *err)
{
	const struct device_scan *scan = mapping->tree->from->scan;
	struct device_piece piece = {
		.offset = disk_super_block_offset(
			scan->super, mapping->node->agno, mapping->node->agbno),
		.bytes = scan->super->block_bytes,
		.check = check_mapping,
		.context = mapping,
	};
	int rc = take_budget(mapping->tree->from, err);

	return rc ? rc : device_check(scan, &piece, NULL, err);
}

static int list_mapped(struct tree *tree, struct err *err)
{
	struct mapping mapping = {.tree = tree};
	struct disk_bmbt_node *nodes = NULL;
	struct disk_bmbt root;
	int rc = disk_bmbt_open_root(&root, tree->from->fork, err);

	if (!rc)
		rc = take_mapping(&mapping, &root, err);
	while (!rc && mapping.below_count) {
		size_t count = mapping.below_count;

		free(nodes);
		nodes = mapping.below;
		mapping.below = NULL;
		mapping.below_count = 0;
		for (size_t i = 0; i < count && !rc; i++) {
			mapping.node = &nodes[i];
			rc = read_mapping(&mapping, err);
		}
	}
	free(nodes);
	free(mapping.below);
	return rc;
}

static int compare_offset(const void *left, const void *right)
{
	const uint64_t block = *(const uint32_t *)left;
	const struct disk_extent *extent = right;

	if (block < extent->offset)
		return -1;
	return block >= extent->offset + extent->count;
}

/* Adds @block of the fork to those of the next level. */
static int add_below(struct tree *tree, uint32_t block, struct err *err)
{
	const struct disk_extent *extent = bsearch(
		&block, tree->extents, tree->extent_count, sizeof(*tree->extents), compare_offset);

	if (!extent)
		return err_set(err, -EUCLEAN, "block %u lies nowhere", block);
	tree->below[tree->below_count++] = (struct tree_block){
		.place = disk_super_block_offset(tree->from->scan->super, extent->agno,
			extent->agbno + (uint32_t)(block - extent->offset)),
		.block = block,
	};
	return 0;
}

/* --- The tree --------------------------------------------------------------------------------- */

int device_attr_leaf_sum(struct disk_attr_leaf *leaf, uint64_t *bytes, struct err *err)
{
	struct disk_attr_value value;
	uint64_t sum = 0;
	int rc;

	while ((rc = disk_attr_leaf_next(leaf, &value, err)) > 0)
		if (!value.attr.is_hidden)
			sum += dump_stream_attr_bytes(
				value.attr.name_bytes, value.attr.value_bytes);
	if (!rc)
		*bytes += sum;
	return rc;
}

static int take_node(struct tree *tree, const struct disk_attr_node *node, struct err *err)
{
	int rc = 0;

	if (tree->level != LEVEL_ANY && node->level != tree->level)
		return err_set(err, -EUCLEAN, "it is a node of level %u, not %u", node->level,
			tree->level);
	tree->level = node->level;
	rc = grow(&tree->below, tree->below_count, node->count, sizeof(*tree->below), err);
	for (unsigned i = 0; i < node->count && !rc; i++)
		rc = add_below(tree, disk_attr_node_child(node, i), err);
	return rc;
}

/* A block on its way. */
struct visit {
	struct tree *tree;
	const struct tree_block *block;
};

static int take_data(const struct visit *visit, const void *data, struct err *err)
{
	struct tree *tree = visit->tree;
	const struct disk_super *super = tree->from->scan->super;
	const struct disk_attr_block where = {tree->from->fork->ino, visit->block->place};
	struct disk_attr_leaf leaf;
	struct disk_attr_node node;
	int rc = disk_attr_node_open(&node, super, &where, data, err);

	if (rc)
		return rc < 0 ? rc : take_node(tree, &node, err);
	if (tree->level && tree->level != LEVEL_ANY)
		return err_set(err, -EUCLEAN, "it is no node of attributes");
	rc = disk_attr_leaf_open(&leaf, super, &where, data, err);
	if (rc <= 0)
		return rc ? rc : err_set(err, -EUCLEAN, "it is no leaf of attributes");
	return device_attr_leaf_sum(&leaf, &tree->bytes, err);
}

static int check_block(const void *data, void *context, struct err *err)
{
	const struct visit *visit = context;
	size_t below = visit->tree->below_count;
	unsigned level = visit->tree->level;
	int rc = take_data(visit, data, err);

	if (rc) { /* it may be checked again */
		visit->tree->below_count = below;
		visit->tree->level = level;
	}
	return rc;
}

static int take_block(
	struct tree *tree, const struct tree_block *block, const void *data, struct err *err)
{
	struct visit visit = {.tree = tree, .block = block};
	const struct device_piece piece = {
		.offset = block->place,
		.bytes = tree->from->scan->super->block_bytes,
		.check = check_block,
		.context = &visit,
	};
	int rc = take_budget(tree->from, err);

	if (!rc && !tree->blocks_left--)
		rc = err_set(err, -EUCLEAN, "there are more blocks than the fork has");
	if (!rc)
		rc = device_check(tree->from->scan, &piece, data, err);
	if (rc)
		err_prefix(err, "block %u", block->block);
	return rc;
}

/* How many blocks from @first on are near enough to be read at once, and how long that is. */
static size_t group_of(const struct tree *tree, size_t first, uint32_t *bytes)
{
	uint32_t block_bytes = tree->from->scan->super->block_bytes;
	const struct tree_block *blocks = &tree->blocks[first];
	size_t count = 1;

	while (first + count < tree->count &&
		blocks[count].place <=
			blocks[count - 1].place + block_bytes + tree->from->gap_bytes &&
		blocks[count].place + block_bytes <= blocks[0].place + DEVICE_BUFFER_BYTES)
		count++;
	*bytes = (uint32_t)(blocks[count - 1].place - blocks[0].place) + block_bytes;
	return count;
}

/* What cannot be read together is read again one by one. */
static int read_group(
	struct tree *tree, size_t first, size_t count, uint32_t bytes, struct err *err)
{
	const struct tree_block *blocks = &tree->blocks[first];
	autofree char *buffer = malloc(bytes);
	bool has_data;
	int rc = 0;

	if (!buffer)
		return err_set(err, -ENOMEM, "out of memory");
	has_data = !device_source_read(tree->from->scan->source, blocks[0].place, bytes, buffer);
	for (size_t i = 0; i < count && !rc; i++)
		rc = take_block(tree, &blocks[i],
			has_data ? buffer + (blocks[i].place - blocks[0].place) : NULL, err);
	return rc;
}

static int compare_places(const void *left, const void *right)
{
	const struct tree_block *a = left, *b = right;

	return (a->place > b->place) - (a->place < b->place);
}

static int read_level(struct tree *tree, struct err *err)
{
	size_t count;
	int rc = 0;

	qsort(tree->blocks, tree->count, sizeof(*tree->blocks), compare_places);
	for (size_t i = 0; i < tree->count && !rc; i += count) {
		uint32_t bytes;

		count = group_of(tree, i, &bytes);
		rc = read_group(tree, i, count, bytes, err);
	}
	return rc;
}

static void go_below(struct tree *tree)
{
	free(tree->blocks);
	tree->blocks = tree->below;
	tree->count = tree->below_count;
	tree->below = NULL;
	tree->below_count = 0;
}

static int read_tree(struct tree *tree, struct err *err)
{
	int rc = grow(&tree->below, 0, 1, sizeof(*tree->below), err);

	if (!rc)
		rc = add_below(tree, 0, err);
	for (tree->level = LEVEL_ANY; !rc && tree->below_count; tree->level--) {
		go_below(tree);
		rc = read_level(tree, err);
	}
	return rc;
}

int device_attr_tree_sum(const struct device_attr_fork *from, uint64_t *bytes, struct err *err)
{
	struct tree tree = {.from = from};
	int rc = from->fork->form == DISK_FORK_EXTENTS ? list_extents(&tree, err)
						       : list_mapped(&tree, err);

	if (!rc)
		rc = read_tree(&tree, err);
	*bytes = tree.bytes;
	free(tree.extents);
	free(tree.blocks);
	free(tree.below);
	return rc;
}
