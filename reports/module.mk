# SPDX-License-Identifier: GPL-2.0-or-later
# Values in, bytes out: reports fill a document, renderers write it.
#
# A new report is a report_NAME.c and its function in report.h. A new format is a render_NAME.c,
# its function in renderer.h and its line in render.c.
libxfscensus_a_SOURCES += \
	reports/common.c reports/common.h \
	reports/directory_view.c reports/directory_view.h \
	reports/document.c reports/document.h \
	reports/owner_sums.c reports/owner_sums.h \
	reports/render.c reports/render.h reports/renderer.h \
	reports/render_csv.c \
	reports/render_json.c \
	reports/render_text.c \
	reports/report.h \
	reports/report_ages.c \
	reports/report_calibration.c \
	reports/report_classes.c \
	reports/report_dirs.c \
	reports/report_owners.c \
	reports/report_prediction.c \
	reports/report_scan.c \
	reports/report_scans.c \
	reports/report_summary.c \
	reports/report_tree.c \
	reports/table.c
