// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The limits that `quota --emit=restore` writes, in the form in which xfs_quota's dump has them:
 * the device, then a line an owner, blocks of 512 bytes. Restoring sets all limits in a line, so
 * what the policy says nothing of must be there as it is.
 */
#include "reports/quota_text.h"

#include "analyzer/policy/enforce.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void quota_restore_kinds(const struct policy_evaluation *evaluation, bool kinds[OWNER_KINDS])
{
	memset(kinds, 0, OWNER_KINDS * sizeof(*kinds));
	for (size_t i = 0; i < evaluation->count; i++) {
		const struct policy_verdict *verdict = &evaluation->verdicts[i];
		struct quota_limits limits;

		if (policy_enforceable(verdict, &limits))
			kinds[verdict->owner.kind] = true;
	}
}

/* xfs_quota reads lines into 512 bytes. */
#define MAX_DEVICE_BYTES 500

#define BASIC_BLOCK_BYTES 512

static int check_device(const struct scan_info *scan, struct err *err)
{
	if (scan->device && scan->device[0] == '/' && !strchr(scan->device, '\n') &&
		strlen(scan->device) <= MAX_DEVICE_BYTES)
		return 0;
	return err_set(err, -ENODATA,
		"a restore file names the device, and that of scan %" PRId64
		" is unknown, or has a name that such a file cannot hold",
		scan->scan_id);
}

/* The policy's limits over those of now, which must not leave a soft one above a hard one. */
static void merge(uint64_t *soft, uint64_t *hard, uint64_t soft_now, uint64_t hard_now)
{
	if (!*hard && (!hard_now || *soft <= hard_now))
		*hard = hard_now;
	if (!*soft)
		*soft = *hard ? min_u64(soft_now, *hard) : soft_now;
}

static void write_line(const struct policy_verdict *verdict, const struct quota_limits *wanted,
	const struct policy_usage *now, FILE *out)
{
	struct quota_limits limits = *wanted;

	merge(&limits.bytes_soft, &limits.bytes_hard, now->bytes_soft, now->bytes_hard);
	merge(&limits.inodes_soft, &limits.inodes_hard, now->inodes_soft, now->inodes_hard);
	fprintf(out,
		"%" PRIu32 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64
		" %7" PRIu64 "\n",
		verdict->owner.id, limits.bytes_soft / BASIC_BLOCK_BYTES,
		limits.bytes_hard / BASIC_BLOCK_BYTES, limits.inodes_soft, limits.inodes_hard,
		now->realtime_bytes_soft / BASIC_BLOCK_BYTES,
		now->realtime_bytes_hard / BASIC_BLOCK_BYTES);
}

/* The limits of now must be known where they can be: a line replaces all of them. */
static int limits_now(
	const struct policy_usages *usages, size_t at, struct policy_usage *now, struct err *err)
{
	*now = (struct policy_usage){0};
	if (!usages || at >= usages->count)
		return 0;
	*now = usages->usages[at];
	if (!now->error)
		return 0;
	return err_set_errno(err, now->error,
		"a restore file sets all limits of an owner, and those of %s %" PRIu32
		" cannot be asked for, which may take root",
		policy_kind_name(now->kind), now->id);
}

int quota_write_restore(const struct report_input *input,
	const struct policy_evaluation *evaluation, const struct policy_usages *usages,
	enum owner_kind kind, FILE *out, struct err *err)
{
	bool any = false;
	int rc = quota_check_xfs(input->scan, err);

	if (!rc)
		rc = check_device(input->scan, err);
	if (rc)
		return rc;
	fprintf(out, "fs = %s\n", input->scan->device);
	for (size_t i = 0; i < evaluation->count; i++) {
		const struct policy_verdict *verdict = &evaluation->verdicts[i];
		struct policy_usage now;
		struct quota_limits limits;

		if (verdict->owner.kind != kind || !policy_enforceable(verdict, &limits))
			continue;
		rc = limits_now(usages, i, &now, err);
		if (rc)
			return rc;
		write_line(verdict, &limits, &now, out);
		any = true;
	}
	return any ? 0 : quota_nothing_to_enforce(evaluation, err);
}
