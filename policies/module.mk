# SPDX-License-Identifier: GPL-2.0-or-later
# Policies of large sites as they published them; `quota --policy=NAME` finds them by name.
policiesdir = $(pkgdatadir)/policies
dist_policies_DATA = \
	policies/alliance.ini \
	policies/cscs-home.ini \
	policies/cscs-store.ini \
	policies/michigan-data-den.ini \
	policies/msu-home.ini \
	policies/ncsa-jade.ini \
	policies/nersc-home.ini \
	policies/stanford-oak.ini \
	policies/zib-work.ini
