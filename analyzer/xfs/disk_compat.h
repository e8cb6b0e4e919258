/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <xfs/xfs_format.h>, and what the headers of older xfsprogs do not name in it.
 *
 * Numbers on a disk never change their meaning, so they are used whatever the headers know.
 */
#ifndef ANALYZER_XFS_DISK_COMPAT_H
#define ANALYZER_XFS_DISK_COMPAT_H

// clang-format off
#include <xfs/xfs.h>
#include <xfs/xfs_arch.h>
#include <xfs/xfs_types.h>
#include <xfs/xfs_format.h>
#include <xfs/xfs_da_format.h>
// clang-format on

/* sb_features_incompat */
#ifndef XFS_SB_FEAT_INCOMPAT_NREXT64
#define XFS_SB_FEAT_INCOMPAT_NREXT64 (1 << 5)
#endif
#ifndef XFS_SB_FEAT_INCOMPAT_EXCHRANGE
#define XFS_SB_FEAT_INCOMPAT_EXCHRANGE (1 << 6)
#endif
#ifndef XFS_SB_FEAT_INCOMPAT_PARENT
#define XFS_SB_FEAT_INCOMPAT_PARENT (1 << 7)
#endif
#ifndef XFS_SB_FEAT_INCOMPAT_METADIR
#define XFS_SB_FEAT_INCOMPAT_METADIR (1 << 8)
#endif
#ifndef XFS_SB_FEAT_INCOMPAT_ZONED
#define XFS_SB_FEAT_INCOMPAT_ZONED (1 << 9)
#endif
#ifndef XFS_SB_FEAT_INCOMPAT_ZONE_GAPS
#define XFS_SB_FEAT_INCOMPAT_ZONE_GAPS (1 << 10)
#endif

/* di_flags2 */
#ifndef XFS_DIFLAG2_NREXT64
#define XFS_DIFLAG2_NREXT64 (1 << 4)
#endif
#ifndef XFS_DIFLAG2_METADATA
#define XFS_DIFLAG2_METADATA (1 << 5)
#endif

/* Where the superblock of a filesystem with a metadata directory keeps that directory's inode. */
#define DISK_SUPER_METADIRINO_AT 264

/* Where an inode with XFS_DIFLAG2_NREXT64 keeps the extent count of its data fork, 64 bits. */
#define DISK_INODE_BIG_NEXTENTS_AT 24

/* Offsets hold for every generation of the headers. */
_Static_assert(offsetof(struct xfs_dinode, di_projid_hi) == 22, "xfs_dinode differs");
_Static_assert(offsetof(struct xfs_dinode, di_nextents) == 76, "xfs_dinode differs");
_Static_assert(offsetof(struct xfs_dinode, di_anextents) == 80, "xfs_dinode differs");
_Static_assert(offsetof(struct xfs_dinode, di_crc) == 100, "xfs_dinode differs");
_Static_assert(offsetof(struct xfs_dinode, di_uuid) == 160, "xfs_dinode differs");
_Static_assert(offsetof(struct xfs_dsb, sb_features_incompat) == 216, "xfs_dsb differs");
_Static_assert(sizeof(struct xfs_dir2_data_hdr) == 16, "xfs_dir2_data_hdr differs");
_Static_assert(sizeof(struct xfs_dir3_data_hdr) == 64, "xfs_dir3_data_hdr differs");
_Static_assert(offsetof(struct xfs_agi, agi_crc) == 312, "xfs_agi differs");

#endif
