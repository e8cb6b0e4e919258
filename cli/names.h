/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users, groups and projects by name, through the system's name services. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "base/err.h"
#include "reports/report.h"

/* An owner_name_fn (see reports/report.h): getpwuid_r(), getgrgid_r(), /etc/projid. */
char *names_lookup(enum owner_kind kind, uint32_t id, void *context);

/*
 * The id behind the name of a user or group, or behind a number; of a project its number or its
 * name in /etc/projid. Returns 0 or -ENOENT.
 */
int names_find(enum owner_kind kind, const char *text, uint32_t *id);

/* The uid behind a user name or a number. Returns 0, or -EINVAL with a message. */
int names_parse_user(const char *text, uint32_t *uid, struct err *err);

#endif
