// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/quota_material.h"

#include "analyzer/xfs/quota.h"
#include "base/cleanup.h"
#include "cli/database.h"
#include "cli/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRESET_SUFFIX ".ini"

/* --- The scan --------------------------------------------------------------------------------- */

static void find_no_window(struct quota_material *material)
{
	const struct selection *selection = &material->selection;
	const struct scan_info *scan = &selection->scan;
	struct err *why = &material->no_window;

	if (selection->has_prediction)
		return;
	if (strcmp(scan->fs_type, "xfs") != 0)
		err_set(why, -ENODATA, "xfsdump dumps XFS only, and this is %s", scan->fs_type);
	else if (!scan->whole_filesystem)
		err_set(why, -ENODATA,
			"the scan is of a tree only, and xfsdump dumps whole filesystems");
	else if (!selection->has_calibration)
		err_set(why, -ENODATA,
			"nothing is known yet of how fast it can be read; run xfscensus calibrate "
			"%s",
			scan->mount_point ? scan->mount_point : scan->path);
	else
		err_set(why, -ENODATA, "%s", selection->no_prediction.message);
}

static int load(struct quota_material *material, struct store *store,
	const struct selection_args *args, struct err *err)
{
	int rc = selection_load(store, args, &material->selection, err);
	int64_t id;

	if (rc)
		return rc;
	id = material->selection.scan.scan_id;
	ages_init(&material->ages, 0);
	directories_init(&material->directories);
	rc = store_load_ages(store, id, &material->ages, err);
	if (!rc)
		rc = store_load_directories(store, id, &material->directories, err);
	if (rc)
		quota_material_fini(material);
	return rc;
}

/* What past dumps and all that is known of the scan make of the plain price of its contents. */
static double find_factor(const struct selection *selection)
{
	struct err err = {0};
	double plain;

	if (!selection->has_prediction ||
		prediction_seconds(&selection->cube, &selection->calibration, &plain, &err) ||
		!(plain > 0))
		return 1;
	return selection->prediction.seconds / plain;
}

int quota_material_load(struct quota_material *material, const struct common_args *common,
	const struct selection_args *args, struct err *err)
{
	const struct selection *selection = &material->selection;
	struct store *store;
	int rc = database_open(common, STORE_READ, &store, err);

	*material = (struct quota_material){0};
	if (rc)
		return rc;
	rc = load(material, store, args, err);
	store_close(store);
	if (rc)
		return rc;
	find_no_window(material);
	material->policy = (struct policy_material){
		.cube = &selection->cube,
		.ages = &material->ages,
		.tiny_bytes = selection->scan.tiny_bytes,
		.block_bytes = selection->scan.block_bytes,
		.owner_name = names_lookup,
	};
	material->basis =
		(struct policy_window_basis){&selection->calibration, find_factor(selection)};
	return 0;
}

void quota_material_fini(struct quota_material *material)
{
	directories_fini(&material->directories);
	ages_fini(&material->ages);
	selection_fini(&material->selection);
}

/* --- Policies --------------------------------------------------------------------------------- */

static int is_preset(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = strlen(PRESET_SUFFIX);

	return length > suffix && !strcmp(entry->d_name + length - suffix, PRESET_SUFFIX);
}

static int no_policy(const char *name, struct err *err)
{
	char list[512] = "none: is xfscensus installed?";
	struct dirent **presets;
	int count = scandir(POLICIES_FOLDER, &presets, is_preset, alphasort);
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		int length = (int)(strlen(presets[i]->d_name) - strlen(PRESET_SUFFIX));

		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.*s",
				i ? ", " : "", length, presets[i]->d_name);
		free(presets[i]);
	}
	if (count >= 0)
		free(presets);
	return err_set(err, -ENOENT,
		"--policy: there is no file \"%s\", and no preset of that name; in " POLICIES_FOLDER
		" there are %s",
		name, list);
}

static int load_policy(const char *name, struct policy *policy, struct err *err)
{
	autofree char *preset = NULL;

	if (!strcmp(name, "-") || strchr(name, '/') || !access(name, F_OK))
		return policy_load(policy, name, err);
	if (asprintf(&preset, "%s/%s" PRESET_SUFFIX, POLICIES_FOLDER, name) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (access(preset, F_OK))
		return no_policy(name, err);
	return policy_load(policy, preset, err);
}

int quota_policies_load(const struct option_texts *names, struct policy *policies, struct err *err)
{
	size_t count = 0;
	int rc = 0;

	if (!names->count) {
		rc = policy_init_default(&policies[0]);
		return rc ? err_set(err, rc, "out of memory") : 1;
	}
	while (!rc && count < names->count) {
		rc = load_policy(names->items[count], &policies[count], err);
		count += !rc;
	}
	if (!rc)
		return (int)count;
	while (count)
		policy_fini(&policies[--count]);
	return rc;
}

/* --- The kernel's accounting ------------------------------------------------------------------ */

static const enum xfs_quota_kind kinds[OWNER_KINDS] = {
	[OWNER_USER] = XFS_QUOTA_USERS,
	[OWNER_GROUP] = XFS_QUOTA_GROUPS,
	[OWNER_PROJECT] = XFS_QUOTA_PROJECTS,
};

static int ask_state(const struct scan_info *scan, struct policy_usages *usages, struct err *why)
{
	struct xfs_quota_state state;
	int rc;

	if (strcmp(scan->fs_type, "xfs") != 0 || !scan->mount_point || !scan->device)
		return err_set(why, -ENODEV, "the scan is not of a mounted XFS filesystem");
	rc = xfs_quota_check_mount(scan->mount_point, scan->device, scan->fs_id, why);
	if (!rc)
		rc = xfs_quota_state_get(scan->device, &state, why);
	for (int kind = 0; kind < OWNER_KINDS && !rc; kind++) {
		usages->accounted[kind] = state.accounted[kinds[kind]];
		usages->enforced[kind] = state.enforced[kinds[kind]];
	}
	return rc;
}

static void ask_usage(const char *device, const struct policy_owner *owner, bool accounted,
	struct policy_usage *usage)
{
	struct xfs_quota_usage found;
	int rc;

	*usage = (struct policy_usage){.kind = owner->kind, .id = owner->id};
	if (!accounted)
		return;
	rc = xfs_quota_usage_get(device, kinds[owner->kind], owner->id, &found);
	if (rc) {
		usage->error = rc == -ENOENT ? 0 : rc;
		return;
	}
	usage->known = true;
	usage->inodes = found.inodes;
	usage->allocated_bytes = found.bytes;
	usage->inodes_soft = found.inodes_soft;
	usage->inodes_hard = found.inodes_hard;
	usage->bytes_soft = found.bytes_soft;
	usage->bytes_hard = found.bytes_hard;
	usage->realtime_bytes_soft = found.realtime_bytes_soft;
	usage->realtime_bytes_hard = found.realtime_bytes_hard;
}

int quota_usages_ask(const struct scan_info *scan, const struct policy_evaluation *evaluation,
	struct policy_usages *usages, struct err *why, struct err *err)
{
	struct policy_usage *list;

	*usages = (struct policy_usages){0};
	if (ask_state(scan, usages, why)) {
		usages->why = why->message;
		return 0;
	}
	list = calloc(evaluation->count + 1, sizeof(*list));
	if (!list)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < evaluation->count; i++) {
		const struct policy_owner *owner = &evaluation->verdicts[i].owner;

		ask_usage(scan->device, owner, usages->accounted[owner->kind], &list[i]);
	}
	usages->present = true;
	usages->count = evaluation->count;
	usages->usages = list;
	return 0;
}

void quota_usages_fini(struct policy_usages *usages)
{
	free(usages->usages);
	*usages = (struct policy_usages){0};
}
