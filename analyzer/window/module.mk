# SPDX-License-Identifier: GPL-2.0-or-later
# The backup window: calibration by sampling or known rates, sinks, the dump model, dump logs.
libxfscensus_a_SOURCES += \
	analyzer/window/array.c analyzer/window/array.h \
	analyzer/window/array_at_once.c analyzer/window/array_private.h \
	analyzer/window/calibrate.c analyzer/window/calibrate.h \
	analyzer/window/calibration.c analyzer/window/calibration.h \
	analyzer/window/cold.c analyzer/window/cold.h \
	analyzer/window/cost_table.c analyzer/window/cost_table.h \
	analyzer/window/dump_costs.c analyzer/window/dump_costs.h \
	analyzer/window/dump_model.c analyzer/window/dump_model.h \
	analyzer/window/dump_order.c analyzer/window/dump_order.h \
	analyzer/window/dump_changes.c \
	analyzer/window/dump_plan.c analyzer/window/dump_plan.h \
	analyzer/window/dump_plan_private.h \
	analyzer/window/dump_streams.c analyzer/window/dump_streams.h \
	analyzer/window/dump_wait.c analyzer/window/dump_wait.h \
	analyzer/window/dump_media.c \
	analyzer/window/dump_log.c analyzer/window/dump_log.h \
	analyzer/window/dump_phrase.c analyzer/window/dump_phrase.h \
	analyzer/window/estimate.c analyzer/window/estimate.h \
	analyzer/window/dump_concurrency.c analyzer/window/dump_forecast.c \
	analyzer/window/identity.c analyzer/window/identity.h \
	analyzer/window/pace.c analyzer/window/pace.h \
	analyzer/window/learn.c analyzer/window/learn.h \
	analyzer/window/picks.c analyzer/window/picks.h \
	analyzer/window/prediction.c analyzer/window/prediction.h \
	analyzer/window/prediction_private.h analyzer/window/prediction_request.h \
	analyzer/window/prediction_users.c \
	analyzer/window/prediction_variants.c \
	analyzer/window/random.h \
	analyzer/window/rates.c analyzer/window/rates.h \
	analyzer/window/replay.c analyzer/window/replay.h \
	analyzer/window/runs.c analyzer/window/runs.h \
	analyzer/window/sample.c analyzer/window/sample.h \
	analyzer/window/sink.c analyzer/window/sink.h \
	analyzer/window/sink_file.c analyzer/window/sink_measure.h \
	analyzer/window/sink_pipe.c \
	analyzer/window/strata.c analyzer/window/strata.h \
	analyzer/window/sink_queue.c analyzer/window/sink_queue.h \
	analyzer/window/stream.c analyzer/window/stream.h \
	analyzer/window/survey.c analyzer/window/survey.h \
	analyzer/window/verdict.c analyzer/window/verdict.h \
	analyzer/window/what_if.c analyzer/window/what_if.h
