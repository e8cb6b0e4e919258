// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dump_phrase.h.
 *
 * A pattern is literal text with holes: %n takes digits, %f takes text up to the first place where
 * the literal after it stands, %s up to the last, so that a mount point may hold whatever a
 * sentence is made of. No hole is ever tried twice, so a line takes time in proportion to its
 * length. A pattern that could be taken for another's stands before it.
 *
 * The summary's streams and statuses are not translated, and some sentences are so in one language
 * and not in the other, since the catalogues are older than the program: all are looked for in all
 * lines.
 */
#include "analyzer/window/dump_phrase.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <errno.h>
#include <string.h>
#include <time.h>

struct pattern {
	enum dump_phrase phrase;
	const char *text;
};

// clang-format off
static const struct pattern patterns[] = {
	{PHRASE_VERSION, "version %f (dump format %s"},
	{PHRASE_VERSION, "Version %f (Ausgabeformat %s"},
	{PHRASE_VERSION, "wersja %f (format zrzutu %s"},
	{PHRASE_UUID, "fs %s uuid [%s]"},

	{PHRASE_INCREMENTAL, "level %n incremental dump of %f:%s based on level %n dump begun %s"},
	{PHRASE_INCREMENTAL, "Stufe %n der inkrementellen Ausgabe von %f: %s basiert auf Stufe %n "
		"der Ausgabe begonnen %s"},
	{PHRASE_INCREMENTAL, "zrzut przyrostowy poziomu %n z %f:%s oparty na zrzucie poziomu %n "
		"rozpoczęty %s"},
	{PHRASE_RESUMED_INCR, "resuming level %n incremental dump of %f:%s begun %s (incremental "
		"base level %n begun %s)"},
	{PHRASE_RESUMED, "resuming level %n dump of %f:%s begun %s"},
	{PHRASE_RESUMED_INCR, "Stufe %n der inkrementellen Ausgabe von %f wird wieder aufgenommen: "
		"%s begann %s (inkrementelle Basisstufe %n begann %s)"},
	{PHRASE_RESUMED, "Stufe-%n-Ausgabe von %f wird wieder aufgenommen: %s begann %s"},
	{PHRASE_RESUMED_INCR, "wznawianie zrzutu przyrostowego poziomu %n z %f:%s rozpoczęte %s "
		"(podstawowy poziom przyrostu %n rozpoczęty %s)"},
	{PHRASE_RESUMED, "wznawianie zrzutu poziomu %n z %f:%s rozpoczęte %s"},
	{PHRASE_LEVEL, "level %n dump of %f:%s"},
	{PHRASE_LEVEL, "Stufe-%n-Ausgabe von %f: %s"},
	{PHRASE_LEVEL, "zrzut poziomu %n z %f:%s"},

	{PHRASE_DATE, "dump date: %s"},
	{PHRASE_DATE, "Ausgabedatum: %s"},
	{PHRASE_DATE, "data zrzutu: %s"},
	{PHRASE_SESSION, "session id: %s"},
	{PHRASE_SESSION, "Sitzungs-ID: %s"},
	{PHRASE_SESSION, "id sesji: %s"},

	{PHRASE_ESTIMATE, "estimated dump size: %n bytes"},
	{PHRASE_ESTIMATE, "geschätzte Ausgabegröße: %n Byte"},
	{PHRASE_ESTIMATE, "szacowany rozmiar zrzutu (w bajtach): %n"},
	{PHRASE_MEDIA_FILE, "media file size %n bytes"},
	{PHRASE_MEDIA_FILE, "Mediendateigröße %n Byte"},
	{PHRASE_MEDIA_FILE, "rozmiar pliku nośnika w bajtach: %n"},
	{PHRASE_FILES, "dump size (non-dir files) : %n bytes"},
	{PHRASE_FILES, "Ausgabegröße (Nicht-Verzeichnisdateien): %n Byte"},
	{PHRASE_FILES, "rozmiar zrzutu (plików nie-katalogów) w bajtach: %n"},

	{PHRASE_COMPLETE, "dump complete: %n seconds elapsed"},
	{PHRASE_COMPLETE, "Ausgabe vollständig: %n Sekunden verstrichen"},
	{PHRASE_COMPLETE, "zrzut zakończony: upłynęło %n s"},
	{PHRASE_INTERRUPTED, "dump interrupted: %n seconds elapsed%s"},
	{PHRASE_INTERRUPTED, "Ausgabe unterbrochen: %n Sekunden verstrichen%s"},
	{PHRASE_INTERRUPTED, "zrzut przerwany: upłynęło %n s%s"},

	{PHRASE_STREAM, "  stream %n %s (%s)"},
	{PHRASE_STREAM, "  strumień %n %s (%s)"},
	{PHRASE_STATUS, "Dump Status: %s"},
};
// clang-format on

static const char *const drives[] = {"drive %n: %s", "Laufwerk %n: %s", "napęd %n: %s"};

/* --- Patterns --------------------------------------------------------------------------------- */

/* Where @literal stands in @text, first or last; the end of @text for an empty one; or NULL. */
static const char *find_literal(
	const char *text, const char *literal, size_t literal_length, bool last)
{
	size_t length = strlen(text);
	const char *found;

	if (!literal_length)
		return text + length;
	if (!last)
		return memmem(text, length, literal, literal_length);
	if (length < literal_length)
		return NULL;
	for (found = text + length - literal_length; found > text; found--)
		if (*found == *literal && !memcmp(found, literal, literal_length))
			return found;
	return memcmp(text, literal, literal_length) ? NULL : text;
}

/* Takes what the hole %@kind before the pattern's @rest holds of @text; NULL if nothing fits. */
static const char *take_hole(char kind, const char *text, const char *rest, struct dump_part *part)
{
	const char *end = kind == 'n' ? text + strspn(text, "0123456789")
				      : find_literal(text, rest, strcspn(rest, "%"), kind == 's');

	if (!end || (kind == 'n' && end == text))
		return NULL;
	*part = (struct dump_part){text, (size_t)(end - text)};
	return end;
}

static bool fits(const char *pattern, const char *text, struct dump_part *parts)
{
	for (size_t hole = 0; *pattern;) {
		if (*pattern != '%') {
			if (*pattern++ != *text++)
				return false;
			continue;
		}
		text = take_hole(pattern[1], text, pattern + 2, &parts[hole++]);
		if (!text)
			return false;
		pattern += 2;
	}
	return !*text;
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* What follows "xfsdump:hh.mm.ss:subsystem:level: " at @text, or NULL if that is not there. */
static const char *after_name(const char *text)
{
	text += strlen("xfsdump");
	while (*text == ':' && text[1] != ' ')
		text += 1 + strcspn(text + 1, ": ");
	return text[0] == ':' ? text + 2 : NULL;
}

/* What xfsdump said, behind its name; of several names behind each other the last. */
static const char *find_message(const char *line)
{
	const char *message = NULL, *name = line;

	while ((name = strstr(name, "xfsdump"))) {
		const char *next = after_name(name);

		if (next && (!message || name == message))
			message = next;
		name = next ? next : name + 1;
	}
	return message;
}

static const char *skip_drive(const char *message, struct dump_words *words)
{
	for (size_t i = 0; i < ARRAY_LENGTH(drives); i++) {
		struct dump_part parts[DUMP_PHRASE_PARTS];

		if (fits(drives[i], message, parts)) {
			words->has_drive = true;
			words->drive = parts[0];
			return parts[1].text;
		}
	}
	return message;
}

void dump_phrase_read(const char *line, struct dump_words *words)
{
	const char *message = find_message(line);

	*words = (struct dump_words){.phrase = PHRASE_NONE};
	if (!message)
		return;
	message = skip_drive(message, words);
	if (!strncmp(message, "NOTE: ", 6))
		message += 6;
	for (size_t i = 0; i < ARRAY_LENGTH(patterns); i++) {
		if (fits(patterns[i].text, message, words->parts)) {
			words->phrase = patterns[i].phrase;
			return;
		}
	}
}

/* --- Parts ------------------------------------------------------------------------------------ */

int dump_part_number(const struct dump_part *part, uint64_t *number)
{
	uint64_t sum = 0;

	if (!part->length)
		return -EINVAL;
	for (size_t i = 0; i < part->length; i++) {
		unsigned digit = (unsigned char)part->text[i] - '0';

		if (digit > 9)
			return -EINVAL;
		if (!checked_mul_u64(sum, 10, &sum) || !checked_add_u64(sum, digit, &sum))
			return -ERANGE;
	}
	*number = sum;
	return 0;
}

/* Takes @width digits, of which leading ones may be blanks, and the character @then after them. */
static bool take_digits(const char **text, int width, char then, int *number)
{
	*number = 0;
	while (width > 1 && **text == ' ') {
		width--;
		++*text;
	}
	for (; width > 0; width--, ++*text) {
		if (**text < '0' || **text > '9')
			return false;
		*number = *number * 10 + (**text - '0');
	}
	return *(*text)++ == then;
}

/* Takes one of the names of three letters that @names is made of, and the blank after it. */
static bool take_name(const char **text, const char *names, int *which)
{
	for (*which = 0; names[3 * *which]; ++*which) {
		if (strncmp(*text, names + 3 * *which, 3) != 0)
			continue;
		*text += 3;
		return *(*text)++ == ' ';
	}
	return false;
}

int dump_part_date(const struct dump_part *part, int64_t *seconds)
{
	char buffer[32] = "";
	const char *text = buffer;
	struct tm tm = {.tm_isdst = -1}, found;
	int weekday, year;
	time_t time;

	if (part->length >= sizeof(buffer))
		return -EINVAL;
	memcpy(buffer, part->text, part->length);
	if (!take_name(&text, "SunMonTueWedThuFriSat", &weekday) ||
		!take_name(&text, "JanFebMarAprMayJunJulAugSepOctNovDec", &tm.tm_mon) ||
		!take_digits(&text, 2, ' ', &tm.tm_mday) ||
		!take_digits(&text, 2, ':', &tm.tm_hour) ||
		!take_digits(&text, 2, ':', &tm.tm_min) ||
		!take_digits(&text, 2, ' ', &tm.tm_sec) || !take_digits(&text, 4, '\0', &year))
		return -EINVAL;
	tm.tm_year = year - 1900;
	if (tm.tm_mday < 1 || tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return -EINVAL;
	found = tm;
	time = mktime(&found);
	/* A day that the month has not would have become one of the next month. */
	if (found.tm_mon != tm.tm_mon || found.tm_wday != weekday)
		return -EINVAL;
	*seconds = time;
	return 0;
}
