// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * populate: fills an empty directory with a known population of files, fast.
 *
 * The same preset, number and seed make the same names, sizes and owners everywhere; where the
 * filesystem puts them is its own affair. `populate --help` lists the presets; presets.c and
 * odd.c say what is in each.
 */
#include "tests/population/preset.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_USAGE = 64 };

static void print_help(FILE *out)
{
	fputs("Usage: populate [--preset=NAME] [--inodes=N] [--seed=N] DIRECTORY\n\n"
	      "Fills DIRECTORY, which must be empty, with files. Owners need root.\n\nPresets:\n",
		out);
	for (const struct preset *preset = presets; preset->name; preset++) {
		fprintf(out, "  %-8s %s", preset->name, preset->summary);
		if (preset->default_inodes)
			fprintf(out, " (--inodes=%ju)", (uintmax_t)preset->default_inodes);
		fputc('\n', out);
	}
}

static void usage_error(const char *what)
{
	fprintf(stderr, "populate: %s; see populate --help\n", what);
	exit(EXIT_USAGE);
}

static uint64_t number_or_die(const char *text)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *end)
		usage_error("not a number");
	return number;
}

static const struct preset *preset_by_name(const char *name)
{
	for (const struct preset *preset = presets; preset->name; preset++)
		if (!strcmp(preset->name, name))
			return preset;
	usage_error("no such preset");
	return NULL;
}

/* A new filesystem holds nothing but perhaps lost+found. */
static bool is_empty(int fd)
{
	DIR *dir = fdopendir(dup(fd));
	bool empty = true;

	if (!dir)
		die_errno("directory");
	for (struct dirent *entry; empty && (entry = readdir(dir));)
		empty = entry->d_name[0] == '.' || !strcmp(entry->d_name, "lost+found");
	closedir(dir);
	return empty;
}

static void run(const struct preset *preset, struct preset_options *options, const char *path)
{
	int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		die_errno(path);
	if (!is_empty(root)) {
		fprintf(stderr, "populate: %s is not empty\n", path);
		exit(1);
	}
	if (!options->inodes)
		options->inodes = preset->default_inodes;
	umask(022);
	preset->make(root, options);
	become(0);
	if (syncfs(root) < 0)
		die_errno(path);
	close(root);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"preset", required_argument, NULL, 'p'},
		{"inodes", required_argument, NULL, 'i'},
		{"seed", required_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const struct preset *preset = presets;
	struct preset_options options = {.rng = {2011}};

	for (int option; (option = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		switch (option) {
		case 'p':
			preset = preset_by_name(optarg);
			break;
		case 'i':
			options.inodes = number_or_die(optarg);
			break;
		case 's':
			options.rng.state = number_or_die(optarg);
			break;
		case 'h':
			print_help(stdout);
			return 0;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind + 1 != argc)
		usage_error("one DIRECTORY is wanted");
	run(preset, &options, argv[optind]);
	return 0;
}
