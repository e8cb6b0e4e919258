// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `xfscensus learn XFSDUMP-LOG…`: reads the logs, predicts each dump as it would have been
 * predicted then, stores both, and shows how far off predictions were.
 */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output.h"
#include "cli/past_dump.h"
#include "reports/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct learn_args {
	struct common_args common;
	const char *fs;
	const char *sink;
};

static const struct option_spec options[] = {
	{.name = "fs",
		.type = OPTION_TEXT,
		.offset = offsetof(struct learn_args, fs),
		.value = "MOUNT|UUID",
		.help = "all dumps in the logs are of that filesystem; by default it is known by "
			"its mount point, on this machine"},
	{.name = "sink",
		.type = OPTION_TEXT,
		.offset = offsetof(struct learn_args, sink),
		.value = "SINK",
		.help = "where these dumps went, as predict --sink says it; null by default, as "
			"there"},
	{0},
};

static void defaults(void *args)
{
	((struct learn_args *)args)->sink = "null";
}

/* A dump that a log tells of, and what becomes of it. */
struct lesson_item {
	struct dump_record record;
	const char *log;
	char *why; /* owned: what stands against it; NULL: nothing */
	bool is_stored;
	bool is_known;
};

struct lessons {
	size_t count;
	struct lesson_item *items; /* owned */
	bool partial;              /* a log could not be read */
	struct sink sink;
};

static void lessons_fini(struct lessons *lessons)
{
	for (size_t i = 0; i < lessons->count; i++) {
		dump_record_fini(&lessons->items[i].record);
		free(lessons->items[i].why);
	}
	free(lessons->items);
	sink_fini(&lessons->sink);
}

/* --- Logs ------------------------------------------------------------------------------------- */

/* Takes the sessions over from @log. */
static int take_sessions(
	struct lessons *lessons, struct dump_log *log, const char *name, struct err *err)
{
	size_t count = lessons->count + log->count;
	struct lesson_item *items = reallocarray(lessons->items, count, sizeof(*items));

	if (!items)
		return err_set(err, -ENOMEM, "out of memory");
	lessons->items = items;
	for (size_t i = 0; i < log->count; i++) {
		items[lessons->count++] = (struct lesson_item){
			.record.session = log->sessions[i],
			.log = name,
		};
		log->sessions[i] = (struct dump_session){0};
	}
	return 0;
}

static int read_log(struct lessons *lessons, const char *path, struct err *err)
{
	bool is_input = !strcmp(path, "-");
	const char *name = is_input ? "standard input" : path;
	autoclose int opened = is_input ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct dump_log *log;
	int rc;

	if (!is_input && opened < 0)
		return err_set_errno(err, -errno, "cannot open %s", path);
	log = malloc(sizeof(*log));
	if (!log)
		return err_set(err, -ENOMEM, "out of memory");
	dump_log_init(log);
	rc = dump_log_read(log, is_input ? STDIN_FILENO : opened, name, err);
	if (!rc)
		rc = take_sessions(lessons, log, name, err);
	dump_log_fini(log);
	free(log);
	return rc;
}

/* A log that cannot be read is told; it fails the command only if none can. */
static int read_logs(
	struct lessons *lessons, const struct learn_args *args, char **logs, struct err *err)
{
	int rc = 0;

	for (; *logs; logs++) {
		rc = read_log(lessons, *logs, err);
		if (rc == -ENOMEM || (rc && !logs[1] && !lessons->count))
			return rc;
		if (rc) {
			output_note(&args->common, "%s", err->message);
			err_clear(err);
			lessons->partial = true;
		}
	}
	return 0;
}

/* --- Learning --------------------------------------------------------------------------------- */

/* That there is something to know the dump by. */
static int check_session(const struct dump_session *session, struct err *why)
{
	if (!session->has_level)
		return err_set(why, -ENODATA, "it failed before it began");
	if (!session->session_id[0] && !session->has_date)
		return err_set(
			why, -EINVAL, "it has neither a date that can be read nor a session id");
	return 0;
}

/* What is to be done with a dump; @why says what stands against it. */
static int judge(struct store *store, struct lesson_item *item, const char *fs,
	const struct sink *sink, struct err *why, struct err *err)
{
	struct dump_record *record = &item->record;
	int rc = check_session(&record->session, why);

	if (!rc)
		rc = past_dump_identify(store, &record->session, fs, record->fs_id, why);
	if (rc) {
		err_prefix(why, "not stored");
		return 0;
	}
	rc = past_dump_predict(store, record, sink, why, err);
	if (why->code)
		err_prefix(why, "not learned");
	item->is_stored = !rc;
	return rc;
}

static int judge_item(struct store *store, struct lesson_item *item, const char *fs,
	const struct sink *sink, struct err *err)
{
	struct err why = {0};
	int rc = judge(store, item, fs, sink, &why, err);

	if (rc || !why.code)
		return rc;
	item->why = strdup(why.message);
	return item->why ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* What is to be stored, for database_write(). */
struct saving {
	size_t count;
	struct dump_record **records;
	enum store_outcome *outcomes;
};

static int save(struct store *store, void *context, struct err *err)
{
	struct saving *saving = context;

	return store_save_dumps(store, saving->records, saving->count, saving->outcomes, err);
}

static int save_all(const struct learn_args *args, struct store *store, struct lessons *lessons,
	struct err *err)
{
	autofree struct dump_record **records =
		calloc(lessons->count, sizeof(struct dump_record *));
	autofree enum store_outcome *outcomes = calloc(lessons->count, sizeof(*outcomes));
	struct saving saving = {0, records, outcomes};
	int rc;

	if (!records || !outcomes)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < lessons->count; i++)
		if (lessons->items[i].is_stored)
			records[saving.count++] = &lessons->items[i].record;
	rc = database_write(&args->common, store, DATABASE_PATIENCE_SECONDS, save, &saving, err);
	for (size_t i = 0, j = 0; i < lessons->count && !rc; i++)
		if (lessons->items[i].is_stored)
			lessons->items[i].is_known = outcomes[j++] == STORE_KNOWN;
	return rc;
}

static int learn_all(const struct learn_args *args, struct store *store, struct lessons *lessons,
	struct err *err)
{
	autofree char *fs = database_fs(store, args->fs, err);
	int rc = args->fs && !fs ? err->code : 0;

	if (!rc && fs)
		rc = store_check_filesystem(store, fs, err);
	for (size_t i = 0; i < lessons->count && !rc; i++)
		rc = judge_item(store, &lessons->items[i], fs, &lessons->sink, err);
	return rc ? rc : save_all(args, store, lessons, err);
}

/* --- Showing ---------------------------------------------------------------------------------- */

/* One for each filesystem and kind of dump that was stored. */
struct histories {
	size_t count;
	struct learned_history *items; /* owned */
	struct dump_history *loaded;   /* owned, one for each */
};

static void histories_fini(struct histories *histories)
{
	for (size_t i = 0; i < histories->count; i++)
		dump_history_fini(&histories->loaded[i]);
	free(histories->items);
	free(histories->loaded);
}

static bool has_history(const struct histories *histories, const struct dump_record *record)
{
	for (size_t i = 0; i < histories->count; i++)
		if (!strcmp(histories->items[i].fs_id, record->fs_id) &&
			histories->items[i].incremental == (record->session.level > 0) &&
			!strcmp(histories->items[i].sink, record->sink))
			return true;
	return false;
}

static int load_histories(struct store *store, const struct lessons *lessons,
	struct histories *histories, struct err *err)
{
	int rc = 0;

	histories->items = calloc(lessons->count, sizeof(*histories->items));
	histories->loaded = calloc(lessons->count, sizeof(*histories->loaded));
	if (!histories->items || !histories->loaded)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < lessons->count && !rc; i++) {
		const struct dump_record *record = &lessons->items[i].record;
		struct dump_history *loaded = &histories->loaded[histories->count];
		bool incremental = record->session.level > 0;

		if (!lessons->items[i].is_stored || has_history(histories, record))
			continue;
		rc = store_load_lessons(
			store, record->fs_id, incremental, record->sink, loaded, err);
		if (rc)
			break;
		histories->items[histories->count++] = (struct learned_history){
			.mount_point = record->session.mount_point,
			.fs_id = record->fs_id,
			.incremental = incremental,
			.sink = record->sink,
			.correction = &loaded->correction,
		};
	}
	return rc;
}

static int write_report(const struct learn_args *args, const struct lessons *lessons,
	const struct histories *histories, struct err *err)
{
	autofree struct learned_dump *dumps = calloc(lessons->count, sizeof(*dumps));
	struct document document;
	int rc;

	if (!dumps)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < lessons->count; i++) {
		const struct lesson_item *item = &lessons->items[i];
		bool by_lesson = item->is_stored && lesson_of(&item->record) != LESSON_UNPREDICTED;

		dumps[i] = (struct learned_dump){
			.record = &item->record,
			.log = item->log,
			.is_stored = item->is_stored,
			.is_known = item->is_known,
			.remark = by_lesson ? NULL : item->why,
		};
	}
	rc = report_learn(
		dumps, lessons->count, histories->items, histories->count, &document, err);
	if (!rc)
		rc = output_document(&args->common, &document, err);
	document_fini(&document);
	return rc;
}

static int show(const struct learn_args *args, struct store *store, const struct lessons *lessons,
	struct err *err)
{
	struct histories histories = {0};
	int rc = load_histories(store, lessons, &histories, err);

	if (!rc)
		rc = write_report(args, lessons, &histories, err);
	if (rc)
		err_prefix(err, "what was learned is stored, but not shown");
	histories_fini(&histories);
	return rc;
}

/* Whether all was understood; that a dump failed is understood, too. */
static bool is_clean(const struct lessons *lessons)
{
	bool clean = !lessons->partial;

	for (size_t i = 0; i < lessons->count; i++) {
		const struct lesson_item *item = &lessons->items[i];

		clean &= !item->record.session.problems &&
			 (item->is_stored || !item->record.session.has_level);
	}
	return clean;
}

static enum exit_status run(void *arguments, char **operands, struct err *err)
{
	const struct learn_args *args = arguments;
	struct lessons lessons = {0};
	enum exit_status status = STATUS_FAILED;
	struct store *store;

	if (sink_parse(args->sink, &lessons.sink, err))
		return err->code == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	if (!read_logs(&lessons, args, operands, err) &&
		!database_open(&args->common, STORE_WRITE, &store, err)) {
		if (!learn_all(args, store, &lessons, err) && !show(args, store, &lessons, err))
			status = is_clean(&lessons) ? STATUS_CLEAN : STATUS_PARTIAL;
		store_close(store);
	}
	lessons_fini(&lessons);
	return status;
}

const struct command command_learn = {
	.name = "learn",
	.summary = "compare past dumps with predictions, and correct the next ones",
	.operands = "XFSDUMP-LOG…",
	.min_operands = 1,
	.max_operands = INT_MAX,
	.options = options,
	.args_bytes = sizeof(struct learn_args),
	.defaults = defaults,
	.run = run,
};
