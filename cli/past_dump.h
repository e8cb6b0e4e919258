/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What would have been predicted of a dump of the past. */
#ifndef CLI_PAST_DUMP_H
#define CLI_PAST_DUMP_H

#include "analyzer/window/learn.h"
#include "analyzer/window/sink.h"
#include "storage/store.h"

/*
 * Predicts the dump of @record, whose fs_id is set, to @sink, from the newest scan of the whole
 * filesystem and the newest calibration that are not later than the dump; where all are later, from
 * the first. Sets the prediction of @record, uncorrected. Where there is none, 0 is returned all
 * the same and @why says why not. Errors with a message in @err.
 */
int past_dump_predict(struct store *store, struct dump_record *record, const struct sink *sink,
	struct err *why, struct err *err);

/*
 * Finds the filesystem that @session is of, for the record's fs_id: by @fs (a name as --fs takes
 * it, resolved; NULL: none was given), by the UUID in the log, else by the mount point, if the log
 * is of this machine. 0; with a message in @why: -ENOENT, -EINVAL if the UUID in the log is that of
 * another filesystem than @fs.
 */
int past_dump_identify(struct store *store, const struct dump_session *session, const char *fs,
	char fs_id[FS_ID_BYTES], struct err *why);

#endif
