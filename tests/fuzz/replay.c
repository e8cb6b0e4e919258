// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a fuzz target, built by any compiler, over its corpus: each file given, or those in
 * $top_srcdir/tests/fuzz/corpus/NAME for the target fuzz_NAME. A failure ends the program, as it
 * does in the fuzzer; the file that did it is the last one named.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_LIMIT (8U << 20)

static unsigned tests;

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "re");
	uint8_t *data = malloc(INPUT_LIMIT), *exact;
	size_t size;

	if (!file || !data)
		err(1, "%s", path);
	size = fread(data, 1, INPUT_LIMIT, file);
	fclose(file);
	printf("# %s\n", path);
	fflush(stdout);
	/* in memory of just its size, so that a read past it is noticed */
	exact = malloc(size ? size : 1);
	if (!exact)
		err(1, "%s", path);
	memcpy(exact, data, size);
	free(data);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	printf("ok %u - %s\n", ++tests, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
}

static void replay_folder(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	if (count < 0)
		err(1, "%s", folder);
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			replay_file(path);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	const char *name = strstr(argv[0], "fuzz_");
	char folder[PATH_MAX];

	for (int i = 1; i < argc; i++)
		replay_file(argv[i]);
	while (name && strstr(name + 1, "fuzz_"))
		name = strstr(name + 1, "fuzz_");
	if (argc == 1 && name) {
		snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", top ? top : ".",
			name + strlen("fuzz_"));
		replay_folder(folder);
	}
	printf("1..%u\n", tests);
	return tests == 0;
}
