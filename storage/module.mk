# SPDX-License-Identifier: GPL-2.0-or-later
# SQLite: schema, migrations, save and load. The only folder that includes <sqlite3.h>.
libxfscensus_a_SOURCES += \
	storage/store.h
