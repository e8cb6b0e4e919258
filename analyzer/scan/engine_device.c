// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device engine: all inodes straight from the block device or an image, see device_scan.h.
 *
 * What lies on the device of a mounted filesystem lags its log. Where it is mounted read-only there
 * is nothing to lag, nor where it is frozen; otherwise the inodes that the log names are asked for,
 * see device_mounted.h. Nobody can write to a read-only filesystem, but it can be remounted under
 * the scan: what was read counts only if it is read-only at the end as well, and its log's head is
 * where it was. Otherwise the engine gives way.
 */
#include "analyzer/scan/answer.h"
#include "analyzer/scan/device_log.h"
#include "analyzer/scan/device_mounted.h"
#include "analyzer/scan/device_names.h"
#include "analyzer/scan/device_scan.h"
#include "analyzer/scan/device_super.h"
#include "analyzer/scan/engine.h"
#include "analyzer/scan/loop_file.h"
#include "analyzer/scan/record.h"
#include "analyzer/scan/walk_names.h"
#include "analyzer/scan/whole.h"
#include "analyzer/xfs/geometry.h"
#include "analyzer/xfs/in_use.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Opens the device and reads the superblock; on error nothing is open. */
static int open_device(struct device_source *source, struct disk_super *super,
	const struct scan_options *options, const struct scan_target *target, struct err *err)
{
	const char *path = target->device ? target->device : target->path;
	dev_t number = target->kind == TARGET_DIRECTORY ? target->device_number : 0;
	int rc = device_source_open(source, path, number, options->device.caching, err);

	if (rc)
		return rc;
	rc = device_super_read(super, source, !target->mount_point, err);
	if (rc) {
		err_prefix(err, "%s", path);
		device_source_close(source);
	}
	return rc;
}

/* A mount point must lead to the filesystem that is mounted there. */
static int check_same(
	const struct disk_super *super, const struct scan_target *target, struct err *err)
{
	char text[XFS_UUID_TEXT_BYTES];

	xfs_uuid_format(super->uuid, text);
	if (!target->mount_point || !target->fs_id[0] || !strcmp(text, target->fs_id))
		return 0;
	return err_set(err, -ESTALE, "%s holds filesystem %s, mounted is %s", target->device, text,
		target->fs_id);
}

/* All that a run needs, open. */
struct opened {
	struct device_source source;
	struct device_source log_device; /* of an external log; closed if there is none */
	struct disk_super super;
	struct log_source log;
	bool has_log;                   /* false: it is on another device, nobody knows which */
	struct device_mounted *mounted; /* NULL: all there is lies on the device */
	bool read_only;                 /* which is why */
	struct log_range quiescent;     /* where the log of what is read-only ended when opened */
	struct device_log_end log_end;  /* of what nobody writes to; all zero if not known */
};

static void close_target(struct opened *opened)
{
	device_mounted_free(opened->mounted);
	device_source_close(&opened->log_device);
	device_source_close(&opened->source);
}

/* Finds the log, on the same device or, if the mount table or the user names it, on its own. */
static int open_log(struct opened *opened, const struct scan_options *options,
	const struct scan_target *target, struct err *err)
{
	const struct device_source *source = &opened->source;

	if (opened->super.log_start && target->log_device && !target->mount_point)
		return err_set(err, -EINVAL, "%s has its log inside, so %s is not its log",
			target->path, target->log_device);
	if (!opened->super.log_start) {
		if (!target->log_device)
			return 0;
		source = &opened->log_device;
		if (device_source_open(&opened->log_device, target->log_device, 0,
			    options->device.caching, err))
			return err_prefix(err, "its log");
	}
	device_log_describe(&opened->log, source, &opened->super);
	opened->has_log = true;
	return 0;
}

/* Whether the device shows what the filesystem wrote, and not what was cached before. */
static bool past_the_cache(const struct opened *opened)
{
	return opened->source.direct && (opened->log_device.fd < 0 || opened->log_device.direct);
}

/* A mounted filesystem: what it needs besides its device. */
static int open_mounted(struct opened *opened, const struct scan_options *options,
	const struct scan_target *target, struct err *err)
{
	const struct device_mounted_setup setup = {
		.fd = target->fd,
		.super = &opened->super,
		.log = &opened->log,
		.fresh_seconds = options->fresh_seconds,
		.fault = options->device.log_fault,
		.progress = options->progress,
	};
	struct err ignored = {0};
	int rc = check_same(&opened->super, target, err);

	if (rc)
		return rc;
	device_super_follow(&opened->super, target->fd);
	log_range_mounted(target->device_number, &opened->quiescent, &ignored);
	opened->read_only = target_is_read_only(target);
	if (opened->read_only) {
		err_clear(&ignored);
		open_log(opened, options, target, &ignored);
		return 0;
	}
	if (!options->freeze)
		rc = open_log(opened, options, target, err);
	if (rc)
		return rc;
	if (!past_the_cache(opened))
		return err_set(err, -EOPNOTSUPP,
			"mounted, and its device cannot be read past the page cache");
	if (options->freeze)
		return 0;
	if (!opened->has_log)
		return err_set(err, -EOPNOTSUPP, "mounted, with its log on an unknown device");
	return device_mounted_new(&opened->mounted, &setup, err);
}

/* Opens the target for a scan. On error, nothing is left to close. */
static int open_target(struct opened *opened, const struct scan_options *options,
	const struct scan_target *target, struct err *err)
{
	int rc;

	*opened = (struct opened){.source.fd = -1, .log_device.fd = -1};
	if (target->kind == TARGET_DIRECTORY && !target->is_xfs)
		return err_set(err, -EMEDIUMTYPE, "%s is not XFS", target->path);
	if (target->kind == TARGET_DIRECTORY && !target->device)
		return err_set(err, -ENODEV, "the device of %s is unknown", target->path);
	rc = open_device(&opened->source, &opened->super, options, target, err);
	if (rc)
		return rc;
	rc = target->mount_point ? open_mounted(opened, options, target, err)
				 : open_log(opened, options, target, err);
	if (rc)
		close_target(opened);
	return rc;
}

static int usable(
	const struct scan_options *options, const struct scan_target *target, struct err *err)
{
	struct opened opened;
	int rc = open_target(&opened, options, target, err);

	if (!rc)
		close_target(&opened);
	return rc;
}

/* What the sink's functions work with. */
struct run {
	struct scan_job *job;
	struct device_names *names; /* NULL: the device is not asked for names */
	bool names_only;            /* all else was taken already */
};

/* Directories on the way to a change are dumped, so the join has what their attributes take. */
static int join_inode(struct directory_join *join, unsigned worker,
	const struct inode_record *record, const struct dump_measure *measure)
{
	uint64_t attrs = measure->attrs == DUMP_ATTRS_SEEN ? measure->attr_bytes
							   : DUMP_STREAM_EMPTY_ATTRS_BYTES;
	int rc = directory_join_inode(join, worker, record);

	if (rc || !S_ISDIR(record->mode) || !(record->flags & INODE_ATTR_FORK))
		return rc;
	return directory_join_attrs(join, record->ino, attrs);
}

static int take_inode(const struct xfs_inode *inode, const struct dump_measure *measure,
	unsigned worker, void *context)
{
	const struct run *run = context;
	struct inode_record record;

	if (run->names_only)
		return 0;
	record_from_xfs(&record, inode);
	if (run->job->join && join_inode(run->job->join, worker, &record, measure))
		return -ENOMEM;
	return census_add_measured(&run->job->parts[worker], &record, measure);
}

/* The length of @what without ": " and what @code means, which is added where it is shown. */
static int length_without_reason(const char *what, int code)
{
	const char *reason = code ? strerror(-code) : "";
	size_t length = strlen(what), tail = strlen(reason);

	if (tail && length > tail + 2 && !strcmp(what + length - tail, reason) &&
		!strncmp(what + length - tail - 2, ": ", 2))
		length -= tail + 2;
	return (int)length;
}

/* Takes a place in words, also as the message of an error, which may end with the reason. */
static void take_failure(enum failure_kind kind, uint64_t inodes, int code, const char *what,
	unsigned worker, void *context)
{
	const struct run *run = context;
	char place[ERR_MESSAGE_BYTES];

	if (run->names_only && kind != FAILURE_READ_DIRECTORY)
		return;
	snprintf(place, sizeof(place), "%.*s", length_without_reason(what, code), what);
	failures_add(&run->job->parts[worker].failures, kind, inodes, code, place);
}

static int take_entry(const struct disk_dir_entry *entry, unsigned worker, void *context)
{
	const struct run *run = context;

	return device_names_entry(run->names, entry, worker);
}

static int take_later(uint64_t ino, unsigned worker, void *context)
{
	const struct run *run = context;

	return device_names_later(run->names, ino, worker);
}

static int ask(uint64_t ino, unsigned worker, void *context)
{
	const struct run *run = context;
	const int fd = run->job->target->fd;
	char what[ANSWER_TEXT_BYTES];
	struct dump_measure measure;
	struct xfs_inode inode;
	int rc = device_mounted_ask(fd, ino, &inode);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = answer_complete(fd, &inode, what);
	if (rc)
		take_failure(FAILURE_ATTRIBUTES, 0, rc, what, worker, context);
	rc = 0;
	if (run->names && S_ISDIR(inode.mode))
		rc = take_later(ino, worker, context);
	record_measure(&measure, &inode);
	return rc ? rc : take_inode(&inode, &measure, worker, context);
}

/* What an image could not tell before it was read. */
static void describe(struct scan_job *job, const struct disk_super *super)
{
	struct scan_info *info = job->info;

	snprintf(info->fs_type, sizeof(info->fs_type), "xfs");
	xfs_uuid_format(super->uuid, info->fs_id);
	info->block_bytes = super->block_bytes;
	info->capacity_bytes = super->data_blocks << super->block_log;
	for (unsigned i = 0; i < job->options->jobs; i++)
		job->parts[i].block_bytes = super->block_bytes;
}

static void begin_progress(struct progress *progress, const struct disk_super *super)
{
	if (progress)
		progress_begin(progress, "inodes",
			super->inodes - min_u64(super->inodes, super->free_inodes));
}

/* Says what was done, and what the user may not expect. */
static void add_notes(const struct scan_job *job, const struct opened *opened)
{
	whole_tell(job->target, job->info);
	if (opened->mounted)
		device_mounted_describe(opened->mounted, job->info);
}

/*
 * A log that nobody writes to may hold what will never be seen without a mount. So may one that
 * nobody could find: a copy of the data alone can lack nearly everything.
 */
static int look_at_log(
	const struct scan_job *job, struct opened *opened, const struct device_sink *sink)
{
	if (opened->mounted || job->options->freeze)
		return 0;
	if (!opened->has_log) {
		sink->failure(FAILURE_LOG, 0, 0,
			"the log is on another device and was not looked at: it may hold changes "
			"that only a mount will replay; name that device with --log-device",
			0, sink->context);
		return 0;
	}
	return device_log_tell(&opened->log, &opened->super, sink, &opened->log_end);
}

/* What is wrong before any inode is read: of what is mounted, the kernel knows better. */
static int look_around(
	const struct scan_job *job, struct opened *opened, const struct device_sink *sink)
{
	int rc = look_at_log(job, opened, sink);

	if (!rc && !job->target->mount_point)
		rc = device_super_check_quota(&opened->super, &opened->source, sink);
	return rc;
}

/* The same afterwards. */
static int look_again(
	const struct scan_job *job, const struct opened *opened, const struct device_sink *sink)
{
	if (job->target->mount_point || !opened->log_end.head.cycle)
		return 0;
	return device_log_tell_moved(&opened->log, &opened->log_end.head, sink);
}

/*
 * Reads an image again for its names, which do not tell what they lead to: by now that is known of
 * every inode that @first, the reading of the inodes, met.
 */
static int read_untyped_names(struct run *run, const struct device_scan *first, struct err *err)
{
	struct scan_job *job = run->job;
	struct device_options options = *first->options;
	struct device_sink sink = *first->sink;
	struct device_scan scan = *first;
	int rc = directory_join_hand_on(job->join);

	if (!rc)
		rc = device_names_new(&run->names, job, first->super);
	if (rc)
		return rc;
	options.directories = true;
	sink.entry = take_entry;
	scan.options = &options;
	scan.sink = &sink;
	run->names_only = true;
	begin_progress(scan.progress, scan.super);
	rc = device_scan_run(&scan, err);
	run->names_only = false;
	scan_info_add_reason(
		job->info, "read twice: names on it do not say what they lead to (ftype=0)");
	return rc;
}

/* Reads inodes, and names if @run has a place for them or the device alone can tell them. */
static int read_device(struct run *run, struct opened *opened, struct err *err)
{
	struct scan_job *job = run->job;
	bool is_mounted = opened->mounted || job->options->freeze;
	struct device_options options = job->options->device;
	const struct device_sink sink = {
		.inode = take_inode,
		.ask = is_mounted ? ask : NULL,
		.entry = run->names ? take_entry : NULL,
		.directory_later = run->names && is_mounted ? take_later : NULL,
		.failure = take_failure,
		.context = run,
	};
	struct device_scan scan = {
		.source = &opened->source,
		.super = &opened->super,
		.options = &options,
		.sink = &sink,
		.live = opened->mounted ? device_mounted_live(opened->mounted, &sink) : NULL,
		.progress = job->options->progress,
		.workers = job->options->jobs,
	};
	int rc;

	options.directories = run->names;
	begin_progress(scan.progress, &opened->super);
	if (look_around(job, opened, &sink))
		return err_set(err, -ENOMEM, "out of memory before reading inodes");
	scan.settled = opened->log_end.clean && !opened->super.copy_agno;
	rc = device_scan_run(&scan, err);
	if (!rc && job->join && !run->names && !job->target->mount_point)
		rc = read_untyped_names(run, &scan, err);
	if (!rc && look_again(job, opened, &sink))
		rc = err_set(err, -ENOMEM, "out of memory after reading inodes");
	job->info->inode_chunks = scan.chunks;
	job->info->read_bytes = scan.read_bytes;
	job->info->inode_bytes = scan.inode_bytes;
	return rc;
}

/* The tail moves with the head only, and where the kernel does not tell it, neither is known. */
static bool has_moved(const struct opened *opened, const struct scan_target *target)
{
	struct log_range now = {0};
	struct err ignored = {0};

	log_range_mounted(target->device_number, &now, &ignored);
	return log_before(opened->quiescent.head, now.head) ||
	       log_before(now.head, opened->quiescent.head);
}

/* What was read of a read-only filesystem is right if it was that all the time. */
static int check_still_read_only(
	const struct opened *opened, const struct scan_target *target, struct err *err)
{
	if (!opened->read_only || (target_is_read_only(target) && !has_moved(opened, target)))
		return 0;
	err_clear(err);
	return err_set(err, ENGINE_GIVES_WAY,
		"the filesystem was read-only and then remounted while it was read");
}

/* What was read of a device or image that nobody had mounted is nonsense if somebody has now. */
static int check_still_at_rest(const struct scan_target *target, struct err *err)
{
	char name[NAME_MAX + 1];
	struct stat st;

	if (target->mount_point || fstat(target->fd, &st) ||
		!(loop_mounted_from(&st) || (target->kind == TARGET_DEVICE &&
						    xfs_is_in_use(target->device_number, name))))
		return 0;
	return err_set(
		err, -EBUSY, "%s was mounted while it was read; scan it again", target->path);
}

/* Names come with the inodes if they tell what they lead to, else afterwards. */
static int run_opened(struct scan_job *job, struct opened *opened, struct err *err)
{
	struct run run = {.job = job};
	bool at_once = job->join && opened->super.ftype;
	int rc = at_once ? device_names_new(&run.names, job, &opened->super) : 0;

	if (rc == -ENOMEM)
		return err_set(err, rc, "out of memory for the directories (see --no-dirs)");
	describe(job, &opened->super);
	rc = read_device(&run, opened, err);
	if (!rc && run.names)
		rc = device_names_finish(run.names);
	else if (!rc && job->join)
		rc = walk_names(job, err);
	device_names_free(run.names);
	if (!rc)
		rc = check_still_at_rest(job->target, err);
	if (rc != -ECANCELED && rc != -ENOMEM && check_still_read_only(opened, job->target, err))
		rc = ENGINE_GIVES_WAY;
	if (!rc)
		add_notes(job, opened);
	if (rc == -ENOMEM)
		err_set(err, rc, "out of memory for the directories (see --no-dirs)");
	return rc;
}

static int run(struct scan_job *job, struct err *err)
{
	struct opened opened;
	int rc = open_target(&opened, job->options, job->target, err);

	if (rc)
		return rc;
	rc = run_opened(job, &opened, err);
	close_target(&opened);
	return rc;
}

const struct scan_engine engine_device = {
	.name = "device",
	.usable = usable,
	.run = run,
};
