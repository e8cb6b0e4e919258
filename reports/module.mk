# SPDX-License-Identifier: GPL-2.0-or-later
# Values in, bytes out: reports fill a document, renderers write it.
#
# A new report is a report_NAME.c and its function in report.h. A new format is a render_NAME.c,
# its function in renderer.h and its line in render.c.
libxfscensus_a_SOURCES += \
	reports/bands.c reports/bands.h \
	reports/check.h \
	reports/common.c reports/common.h \
	reports/directory_view.c reports/directory_view.h \
	reports/document.c reports/document.h \
	reports/learned.c reports/learned.h \
	reports/owner_sums.c reports/owner_sums.h \
	reports/page/page_ages.c \
	reports/page/page_heat_map.c \
	reports/page/page_history.c \
	reports/page/page_html.c reports/page/page_html.h \
	reports/page/page.c reports/page/page.h \
	reports/page/page_table.c \
	reports/page/page_treemap.c \
	reports/page/page_window.c \
	reports/prediction_text.c reports/prediction_text.h \
	reports/quota.h \
	reports/quota_mail.c \
	reports/quota_restore.c \
	reports/quota_script.c \
	reports/quota_text.c reports/quota_text.h \
	reports/quota_usage.c \
	reports/render.c reports/render.h reports/renderer.h \
	reports/render_csv.c \
	reports/render_json.c \
	reports/render_openmetrics.c \
	reports/render_text.c \
	reports/report.h \
	reports/report_ages.c \
	reports/report_calibration.c \
	reports/report_check.c \
	reports/report_classes.c \
	reports/report_dirs.c \
	reports/report_growth.c \
	reports/report_metrics.c \
	reports/report_owner_bands.c \
	reports/report_learn.c \
	reports/report_owners.c \
	reports/report_page.c \
	reports/report_prediction.c \
	reports/report_quota.c \
	reports/report_quota_suggest.c \
	reports/report_scan.c \
	reports/report_scans.c \
	reports/report_calibrations.c \
	reports/report_summary.c \
	reports/report_tree.c \
	reports/report_trend.c \
	reports/sparkline.c reports/sparkline.h \
	reports/summary_trees.c reports/summary_trees.h \
	reports/table.c \
	reports/tree_shape.c reports/tree_shape.h \
	reports/trend_words.c reports/trend_words.h \
	reports/value_text.c

# The stylesheet and the script of the page, as lines of C.
nodist_libxfscensus_a_SOURCES = reports/page/page_assets.c
EXTRA_DIST += reports/page/page.css reports/page/page.js
CLEANFILES += reports/page/page_assets.c
reports/page/page_assets.c: $(srcdir)/reports/page/page.css $(srcdir)/reports/page/page.js
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
		echo '#include "reports/page/page.h"'; \
		echo 'const char *const page_style[] = {'; \
		sed 's/["\\]/\\&/g; s/.*/"&\\n",/' $(srcdir)/reports/page/page.css; \
		echo '0}; const char *const page_script[] = {'; \
		sed 's/["\\]/\\&/g; s/.*/"&\\n",/' $(srcdir)/reports/page/page.js; \
		echo '0};'; } >$@.new && mv $@.new $@
