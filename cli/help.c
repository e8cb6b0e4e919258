// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/help.h"

#include "config.h"

#include <errno.h>
#include <string.h>

#define SCREEN_WIDTH 80
#define OPTION_WIDTH 26

static int flushed(FILE *out)
{
	return fflush(out) || ferror(out) ? -EIO : 0;
}

int help_version(FILE *out)
{
	fprintf(out, "xfscensus %s\n", VERSION);
	fprintf(out, "Licence GPL-2.0-or-later. There is no warranty, to the extent permitted by "
		     "law.\n");
	return flushed(out);
}

int help_overview(FILE *out)
{
	fprintf(out,
		"xfscensus: who owns the millions of tiny files, where they are, and what they\n"
		"do to the backup of an XFS filesystem.\n\n"
		"Usage: xfscensus COMMAND [OPTION…] [OPERAND…]\n\nCommands:\n");
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-11s%s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "\nxfscensus COMMAND --help shows the options of a command. A first session:\n"
		     "  xfscensus scan /srv/home\n"
		     "  xfscensus calibrate /srv/home\n"
		     "  xfscensus report\n\n"
		     "xfscensus --version shows the version and the licence.\n\n"
		     "Exit status: 0 clean, 1 done but something could not be read, 2 failed,\n"
		     "64 wrong usage.\n");
	return flushed(out);
}

/* The text in lines that fit beside the options. */
static void print_wrapped(const char *text, FILE *out)
{
	size_t width = SCREEN_WIDTH - OPTION_WIDTH - 2;

	while (strlen(text) > width) {
		size_t cut = width;

		while (cut && text[cut] != ' ')
			cut--;
		fprintf(out, "%.*s\n%*s", (int)cut, text, OPTION_WIDTH + 2, "");
		text += cut + 1;
	}
	fprintf(out, "%s\n", text);
}

/* All of @spec, but what @replacing has as well. */
static void print_options(
	const struct option_spec *spec, const struct option_spec *replacing, FILE *out)
{
	for (; spec && spec->name; spec++) {
		char left[80];

		if (spec->hidden || option_is_replaced(replacing, spec->name))
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", spec->name, spec->value ? "=" : "",
			spec->value ? spec->value : "");
		if (strlen(left) >= OPTION_WIDTH)
			fprintf(out, "  %s\n%*s", left, OPTION_WIDTH + 2, "");
		else
			fprintf(out, "  %-*s", OPTION_WIDTH, left);
		print_wrapped(spec->help, out);
	}
}

int help_command(const struct command *command, FILE *out)
{
	fprintf(out, "xfscensus %s: %s\n\n", command->name, command->summary);
	fprintf(out, "Usage: xfscensus %s [OPTION…]%s%s\n", command->name,
		*command->operands ? " " : "", command->operands);
	if (command->options && command->options->name && !command->bare) {
		fprintf(out, "\nOptions:\n");
		print_options(command->options, NULL, out);
	}
	if (!command->bare) {
		fprintf(out, "\nOptions of every command:\n");
		print_options(common_options, command->options, out);
	}
	return flushed(out);
}

/* Text with what mdoc would take for markup made harmless. */
static void print_mdoc(const char *text, FILE *out)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
	fputc('\n', out);
}

static void print_mdoc_flag(const char *macro, const struct option_spec *spec, FILE *out)
{
	fprintf(out, ".%s Fl \\-%s", macro, spec->name);
	if (spec->value)
		fprintf(out, " Ns = Ns Ar %s", spec->value);
	fputc('\n', out);
}

static void print_mdoc_options(
	const struct option_spec *spec, const struct option_spec *replacing, FILE *out)
{
	for (; spec && spec->name; spec++) {
		if (spec->hidden || option_is_replaced(replacing, spec->name))
			continue;
		print_mdoc_flag("It", spec, out);
		print_mdoc(spec->help, out);
	}
}

/* Many words to choose from are longer than a line, which may end after each of them. */
static void print_mdoc_operands(const char *operands, FILE *out)
{
	bool optional = *operands == '[';

	if (!*operands)
		return;
	fputs(optional ? ".Op Ar " : ".Ar ", out);
	for (const char *at = operands + optional; *at && *at != ']'; at++) {
		fputc(*at, out);
		if (*at == '|')
			fputs("\\:", out);
	}
	fputc('\n', out);
}

int help_mdoc_synopsis(const struct command *command, FILE *out)
{
	fprintf(out, ".Nm xfscensus %s\n", command->name);
	for (const struct option_spec *spec = command->options; spec && spec->name; spec++) {
		if (!spec->hidden)
			print_mdoc_flag("Op", spec, out);
	}
	if (!command->bare)
		fprintf(out, ".Op Ar common option ...\n");
	print_mdoc_operands(command->operands, out);
	return flushed(out);
}

int help_mdoc_options(const struct command *command, FILE *out)
{
	fprintf(out, ".Bl -tag -width indent\n");
	print_mdoc_options(command->options, NULL, out);
	print_mdoc_options(common_options, command->options, out);
	fprintf(out, ".El\n");
	return flushed(out);
}
