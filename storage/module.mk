# SPDX-License-Identifier: GPL-2.0-or-later
# SQLite: schema, migrations, save and load. The only folder that includes <sqlite3.h>.
libxfscensus_a_SOURCES += \
	storage/place.c storage/place.h \
	storage/schema.c storage/schema.h \
	storage/schema_1.c \
	storage/schema_2.c \
	storage/schema_3.c \
	storage/schema_4.c \
	storage/schema_5.c \
	storage/schema_6.c \
	storage/schema_7.c \
	storage/schema_8.c \
	storage/schema_9.c \
	storage/schema_10.c \
	storage/schema_11.c \
	storage/schema_steps.c storage/schema_steps.h \
	storage/sql.c storage/sql.h \
	storage/sql_connect.c storage/sql_private.h \
	storage/sql_place.c \
	storage/store.c storage/store.h storage/store_private.h \
	storage/store_calibration.c \
	storage/store_calibration_load.c \
	storage/store_cells.c \
	storage/store_directories.c \
	storage/store_dump.c \
	storage/store_dump_size.c \
	storage/store_history.c \
	storage/store_learned.c \
	storage/store_prune.c \
	storage/store_scan.c
