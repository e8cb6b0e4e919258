/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <xfs/xfs.h>, and what xfsprogs headers older than 5.19 do not name in it.
 *
 * The numbers are kernel interface and never change, so they are used whatever the headers know;
 * a kernel that does not know them says so at run time.
 */
#ifndef ANALYZER_XFS_COMPAT_H
#define ANALYZER_XFS_COMPAT_H

#include <stdint.h>
#include <xfs/xfs.h>

#ifndef XFS_FSOP_GEOM_FLAGS_BIGTIME
#define XFS_FSOP_GEOM_FLAGS_BIGTIME (1 << 21)
#endif

#ifndef XFS_FSOP_GEOM_FLAGS_NREXT64
#define XFS_FSOP_GEOM_FLAGS_NREXT64 (1 << 23)
#endif

/* The 64-bit extent count, which stands where older headers have the first word of padding. */
#ifdef XFS_BULK_IREQ_NREXT64
#define XFS_COMPAT_EXTENTS64 bs_extents64
#else
#define XFS_BULK_IREQ_NREXT64 (1U << 2)
#define XFS_COMPAT_EXTENTS64  bs_pad[0]
#endif

static inline uint64_t xfs_compat_extents64(const struct xfs_bulkstat *stat)
{
	return stat->XFS_COMPAT_EXTENTS64;
}

_Static_assert(sizeof(struct xfs_bulkstat) == 192, "a bulkstat record is 192 bytes");
_Static_assert(offsetof(struct xfs_bulkstat, XFS_COMPAT_EXTENTS64) == 136,
	"the 64-bit extent count lies at 136");

#endif
