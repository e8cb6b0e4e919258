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

/*
 * Looks a project up in /etc/projid, whose lines are "name:number": the name of @id, or the id of
 * @name where that is not NULL. Returns the name, to be freed, or NULL.
 */
static char *find_project(const char *name, uint32_t *id)
{
	FILE *file = fopen("/etc/projid", "re");
	autofree char *line = NULL;
	char *found = NULL;
	size_t bytes = 0;

	while (file && !found && getline(&line, &bytes, file) > 0) {
		char *colon = strchr(line, ':');
		uint64_t number;

		if (!colon || *line == '#')
			continue;
		*colon = '\0';
		colon[1 + strcspn(colon + 1, " \t\n")] = '\0';
		if (unit_parse_u64(colon + 1, &number) || number > UINT32_MAX)
			continue;
		if (name ? strcmp(line, name) : number != *id)
			continue;
		*id = (uint32_t)number;
		found = strdup(line);
	}
	if (file)
		fclose(file);
	return found;
}

char *names_lookup(enum owner_kind kind, uint32_t id, void *context)
{
	char *name = NULL;
	int rc = -ERANGE;

	(void)context;
	if (kind == OWNER_PROJECT)
		return find_project(NULL, &id);
	for (size_t bytes = FIRST_BUFFER_BYTES; rc == -ERANGE && bytes <= MAX_BUFFER_BYTES;
		bytes *= 4) {
		autofree char *buffer = malloc(bytes);

		rc = buffer ? look_up(kind, id, buffer, bytes, &name) : -ENOMEM;
	}
	return name;
}

int names_find(enum owner_kind kind, const char *text, uint32_t *id)
{
	const struct passwd *user = kind == OWNER_USER ? getpwnam(text) : NULL;
	const struct group *group = kind == OWNER_GROUP ? getgrnam(text) : NULL;
	autofree char *project = kind == OWNER_PROJECT ? find_project(text, id) : NULL;
	uint64_t number;

	if (user)
		*id = user->pw_uid;
	else if (group)
		*id = group->gr_gid;
	else if (project)
		return 0;
	else if (unit_parse_u64(text, &number) || number > UINT32_MAX)
		return -ENOENT;
	else
		*id = (uint32_t)number;
	return 0;
}

int names_parse_user(const char *text, uint32_t *uid, struct err *err)
{
	if (names_find(OWNER_USER, text, uid))
		return err_set(err, -EINVAL, "--user: there is no user \"%s\"", text);
	return 0;
}
