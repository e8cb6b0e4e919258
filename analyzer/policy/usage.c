// SPDX-License-Identifier: GPL-2.0-or-later
/* See usage.h. */
#include "analyzer/policy/usage.h"

#include <errno.h>

const char *policy_usage_explain(const struct policy_usage *usage, uint64_t inodes,
	uint64_t allocated_bytes, const struct policy_usage_scan *scan)
{
	if (usage->error == -EPERM || usage->error == -EACCES)
		return "only root is told what others have";
	if (usage->error)
		return "quota could not be asked";
	if (!usage->known)
		return "quota knows nothing of this owner";
	if (usage->inodes == inodes && usage->allocated_bytes == allocated_bytes)
		return "same";
	if (!scan->whole_filesystem)
		return "the scan is of a tree only, quota of the whole filesystem";
	if (usage->inodes > inodes)
		return scan->errors ? "created since the scan, or what it could not read"
				    : "created since the scan";
	if (usage->inodes < inodes)
		return "deleted since the scan, or given to others";
	return usage->allocated_bytes > allocated_bytes
		       ? "written since the scan, or allocated ahead of writing"
		       : "truncated since the scan, or given back after writing";
}
