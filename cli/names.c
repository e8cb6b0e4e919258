// SPDX-License-Identifier: GPL-2.0-or-later
/* See names.h. Buffers grow on ERANGE: directory services keep groups with very many members. */
#include "cli/names.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUFFER_BYTES 4096
#define MAX_BUFFER_BYTES   (64 << 20)

/* One of the two look-ups with a buffer of its own. Returns 0, -ERANGE, or -ENOENT. */
static int look_up(enum owner_kind kind, uint32_t id, char *buffer, size_t bytes, char **name)
{
	struct passwd user, *found_user = NULL;
	struct group group, *found_group = NULL;
	int rc;

	if (kind == OWNER_USER)
		rc = getpwuid_r(id, &user, buffer, bytes, &found_user);
	else
		rc = getgrgid_r(id, &group, buffer, bytes, &found_group);
	if (rc == ERANGE)
		return -ERANGE;
	if (!found_user && !found_group)
		return -ENOENT;
	*name = strdup(found_user ? found_user->pw_name : found_group->gr_name);
	return 0;
}

/* The name of a project in /etc/projid, whose lines are "name:number". */
static char *project_name(uint32_t id)
{
	FILE *file = fopen("/etc/projid", "re");
	autofree char *line = NULL;
	char *name = NULL;
	size_t bytes = 0;

	while (file && !name && getline(&line, &bytes, file) > 0) {
		char *colon = strchr(line, ':');
		uint64_t number;

		if (!colon || *line == '#')
			continue;
		*colon = '\0';
		colon[1 + strcspn(colon + 1, " \t\n")] = '\0';
		if (!unit_parse_u64(colon + 1, &number) && number == id)
			name = strdup(line);
	}
	if (file)
		fclose(file);
	return name;
}

char *names_lookup(enum owner_kind kind, uint32_t id, void *context)
{
	char *name = NULL;
	int rc = -ERANGE;

	(void)context;
	if (kind == OWNER_PROJECT)
		return project_name(id);
	for (size_t bytes = FIRST_BUFFER_BYTES; rc == -ERANGE && bytes <= MAX_BUFFER_BYTES;
		bytes *= 4) {
		autofree char *buffer = malloc(bytes);

		rc = buffer ? look_up(kind, id, buffer, bytes, &name) : -ENOMEM;
	}
	return name;
}

int names_parse_user(const char *text, uint32_t *uid, struct err *err)
{
	const struct passwd *user = getpwnam(text);
	uint64_t number;

	if (user) {
		*uid = user->pw_uid;
		return 0;
	}
	if (unit_parse_u64(text, &number) || number > UINT32_MAX)
		return err_set(err, -EINVAL, "--user: there is no user \"%s\"", text);
	*uid = (uint32_t)number;
	return 0;
}
