// SPDX-License-Identifier: GPL-2.0-or-later
/* See identity.h. All of it comes from sysfs; a partition tells what its disk tells. */
#include "analyzer/window/identity.h"

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define ATTRIBUTE_BYTES 256

/* Reads an attribute of @device, or of the disk that it is a partition of; trims it. */
static bool read_attribute(dev_t device, const char *name, char text[ATTRIBUTE_BYTES])
{
	static const char *const places[] = {"", "../"};

	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		char path[ATTRIBUTE_BYTES];
		bool got = false;
		FILE *file;

		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s%s", major(device),
			minor(device), places[i], name);
		file = fopen(path, "re");
		if (!file)
			continue;
		got = fgets(text, ATTRIBUTE_BYTES, file) != NULL;
		fclose(file);
		if (!got)
			continue;
		text[strcspn(text, "\n")] = '\0';
		for (size_t end = strlen(text); end && text[end - 1] == ' '; end--)
			text[end - 1] = '\0';
		if (text[0])
			return true;
	}
	return false;
}

char *device_path(dev_t device)
{
	char path[ATTRIBUTE_BYTES], line[ATTRIBUTE_BYTES], *result = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major(device), minor(device));
	file = fopen(path, "re");
	if (!file)
		return NULL;
	while (!result && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "DEVNAME=", 8) && asprintf(&result, "/dev/%s", line + 8) < 0)
			result = NULL;
	}
	fclose(file);
	return result;
}

char *device_identity(dev_t device)
{
	static const char *const names[] = {"device/model", "device/serial", "wwid", "dm/name",
		"dm/uuid", "md/uuid", "loop/backing_file", "size"};
	char *identity = NULL;

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		char text[ATTRIBUTE_BYTES];
		char *longer;

		if (!read_attribute(device, names[i], text))
			continue;
		if (asprintf(&longer, "%s%s%s%s", identity ? identity : "", identity ? ", " : "",
			    text, strcmp(names[i], "size") ? "" : " sectors") < 0)
			break;
		free(identity);
		identity = longer;
	}
	return identity;
}

/* Length of what comes before the size, with its comma; 0 if the size is all there is. */
static size_t length_before_size(const char *identity)
{
	const char *comma = strrchr(identity, ',');

	return comma ? (size_t)(comma - identity) + 1 : 0;
}

enum identity_match identity_compare(const char *before, const char *now)
{
	size_t length;

	if (!before || !now)
		return IDENTITY_UNKNOWN;
	if (!strcmp(before, now))
		return IDENTITY_SAME;
	length = length_before_size(before);
	if (length && length == length_before_size(now) && !strncmp(before, now, length))
		return IDENTITY_RESIZED;
	return IDENTITY_OTHER;
}
