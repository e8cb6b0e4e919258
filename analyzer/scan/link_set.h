/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inodes with several names that a walk has met, so that each counts once.
 *
 * Shared by all workers. Holds 64-bit keys only: at most 14 bytes of memory an inode once there
 * are some thousands.
 */
#ifndef ANALYZER_SCAN_LINK_SET_H
#define ANALYZER_SCAN_LINK_SET_H

#include <stddef.h>
#include <stdint.h>

struct link_set;

/* An empty set; NULL without memory. */
struct link_set *link_set_new(void);
void link_set_free(struct link_set *set);

/* Puts @key in. Returns 1 if it is new, 0 if it was there, -ENOMEM. Any thread may call it. */
int link_set_add(struct link_set *set, uint64_t key);

/* Bytes of memory held. */
size_t link_set_memory_bytes(struct link_set *set);

#endif
