# SPDX-License-Identifier: GPL-2.0-or-later
# What runs and watches xfscensus. Units go where systemd looks for those of the prefix.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = contrib/systemd/xfscensus@.service
dist_systemdunit_DATA = contrib/systemd/xfscensus@.timer
EXTRA_DIST += contrib/systemd/xfscensus@.service.in
CLEANFILES += contrib/systemd/xfscensus@.service

contrib/systemd/xfscensus@.service: contrib/systemd/xfscensus@.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		sed 's|[@]bindir@|$(bindir)|' '$(srcdir)/contrib/systemd/xfscensus@.service.in' >'$@.tmp' && \
		mv '$@.tmp' '$@'

monitoringdir = $(pkgdatadir)
dist_monitoring_DATA = \
	contrib/grafana/xfscensus.json \
	contrib/prometheus/xfscensus.rules.yml \
	contrib/systemd/default.conf
