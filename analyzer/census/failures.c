// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/census/failures.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *text;
} kinds[FAILURE_KINDS] = {
	[FAILURE_OPEN_DIRECTORY] = {"open-directory", "directories that could not be opened"},
	[FAILURE_READ_DIRECTORY] = {"read-directory",
		"directories that could be read in part only"},
	[FAILURE_STAT] = {"stat", "entries whose inode could not be read"},
	[FAILURE_ATTRIBUTES] = {"attributes",
		"inodes whose extents, project id or attributes are unknown"},
	[FAILURE_HIDDEN] = {"hidden", "places that another mount covers, or a subvolume"},
	[FAILURE_INODE_CHUNK] = {"inode-chunk", "inode chunks that could not be read"},
	[FAILURE_INODE] = {"inode", "inodes that make no sense"},
	[FAILURE_AG] = {"ag", "allocation groups with damaged headers or inode B+tree"},
	[FAILURE_LOG] = {"log", "reasons why recent changes may be missing"},
	[FAILURE_DIRECTORY] = {"directory", "directories whose place in the tree makes no sense"},
	[FAILURE_ENTRY] = {"entry", "directory entries that make no sense"},
};

void failures_init(struct failures *failures)
{
	memset(failures, 0, sizeof(*failures));
}

void failures_fini(struct failures *failures)
{
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		for (int i = 0; i < FAILURE_EXAMPLES; i++)
			free(failures->examples[kind][i].what);
	}
	failures_init(failures);
}

/* Puts @what among the smallest examples of its kind, in order. */
static void keep_example(struct failure_example *examples, int code, const char *what)
{
	struct failure_example *last = &examples[FAILURE_EXAMPLES - 1];
	char *copy;
	int place = 0;

	while (place < FAILURE_EXAMPLES && examples[place].what &&
		strcmp(examples[place].what, what) <= 0)
		place++;
	if (place == FAILURE_EXAMPLES)
		return;
	copy = strdup(what);
	if (!copy)
		return;
	free(last->what);
	memmove(&examples[place + 1], &examples[place],
		(size_t)(FAILURE_EXAMPLES - 1 - place) * sizeof(*examples));
	examples[place] = (struct failure_example){.code = code, .what = copy};
}

void failures_add(struct failures *failures, enum failure_kind kind, uint64_t inodes, int code,
	const char *what)
{
	failures->count[kind]++;
	failures->inodes[kind] = sat_add_u64(failures->inodes[kind], inodes);
	keep_example(failures->examples[kind], code, what);
}

void failures_merge(struct failures *failures, const struct failures *from)
{
	for (int kind = 0; kind < FAILURE_KINDS; kind++) {
		failures->count[kind] += from->count[kind];
		failures->inodes[kind] = sat_add_u64(failures->inodes[kind], from->inodes[kind]);
		for (int i = 0; i < FAILURE_EXAMPLES && from->examples[kind][i].what; i++)
			keep_example(failures->examples[kind], from->examples[kind][i].code,
				from->examples[kind][i].what);
	}
}

uint64_t failures_total(const struct failures *failures)
{
	uint64_t total = 0;

	for (int kind = 0; kind < FAILURE_KINDS; kind++)
		total += failures->count[kind];
	return total;
}

const char *failure_kind_name(enum failure_kind kind)
{
	return kinds[kind].name;
}

const char *failure_kind_text(enum failure_kind kind)
{
	return kinds[kind].text;
}
