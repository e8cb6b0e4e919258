// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spindle IMAGE MOUNTPOINT: a FUSE filesystem with a file `disk` that holds what IMAGE holds and is
 * as slow as an array of hard disks. A loop device on it is a slow block device. Another file,
 * `late`, says how many pieces of requests there were, and how many were served more than 0.5 ms
 * after the disk would have: where many are, this machine is too slow to simulate that array.
 *
 * One thread takes requests from the kernel, cuts them at stripe chunks and puts the pieces into
 * the queues of their spindles. Each spindle has a thread: it takes the next piece in ascending
 * order from where its head is, wrapping at the end (C-LOOK), asks the model when that would be
 * done, reads or writes the image, and sleeps until then. A piece starts when the one before it
 * was done by the model, not when the thread woke up, so late wake-ups do not add up. Whoever
 * finishes the last piece of a request answers it.
 *
 * The image should lie on something much faster than the array. The write cache is off, so flushes
 * have nothing to do. The server stays in the foreground and ends when MOUNTPOINT is unmounted.
 */
#define FUSE_USE_VERSION 312

#include "tests/lab/disk_model.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DISK_NAME       "disk"
#define DISK_INODE      2
#define LATE_NAME       "late"
#define LATE_INODE      3
#define MAX_SPINDLES    256
#define MAX_BACKGROUND  256 /* requests that the kernel gives before it waits for answers */
#define FOREVER_SECONDS 86400.0
#define LATE_SECONDS    0.5e-3 /* from here on: a seek to the next track */
#define KIB             1024.0
#define MB              1e6

/* What the kernel asked for. */
struct request {
	fuse_req_t fuse;
	bool write;
	uint64_t offset;
	size_t bytes;
	atomic_uint pieces; /* not done yet */
	atomic_int error;
	char data[];
};

/* A part of a request that lies on one spindle in one chunk. */
struct piece {
	struct piece *next;
	struct request *request;
	uint64_t place;  /* on the spindle */
	uint64_t offset; /* in the image */
	size_t bytes;
	double arrival; /* seconds of the monotonic clock */
};

struct spindle {
	struct array *array;
	struct disk_model disk;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	struct piece *queue; /* ascending by place */
	bool closed;
	double free_at; /* when the last piece is done */
};

struct array {
	int image;
	uint64_t size_bytes;
	uint64_t chunk_bytes;
	unsigned spindle_count;
	struct spindle *spindles;
	atomic_ulong pieces;
	atomic_ulong late;
};

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_until(double seconds)
{
	const struct timespec until = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* --- Requests and pieces --- */

static void answer(struct request *request)
{
	if (request->error)
		fuse_reply_err(request->fuse, request->error);
	else if (request->write)
		fuse_reply_write(request->fuse, request->bytes);
	else
		fuse_reply_buf(request->fuse, request->data, request->bytes);
	free(request);
}

static void finish(struct request *request, unsigned pieces)
{
	if (atomic_fetch_sub(&request->pieces, pieces) == pieces)
		answer(request);
}

static void enqueue(struct spindle *spindle, struct piece *piece)
{
	struct piece **at = &spindle->queue;

	pthread_mutex_lock(&spindle->lock);
	while (*at && (*at)->place <= piece->place)
		at = &(*at)->next;
	piece->next = *at;
	*at = piece;
	pthread_cond_signal(&spindle->not_empty);
	pthread_mutex_unlock(&spindle->lock);
}

/* The piece of @request that starts at @offset; NULL without memory. */
static struct piece *make_piece(const struct array *array, struct request *request, uint64_t offset)
{
	uint64_t left = request->offset + request->bytes - offset;
	uint64_t in_chunk = offset % array->chunk_bytes, chunk = offset / array->chunk_bytes;
	uint64_t bytes = array->chunk_bytes - in_chunk;
	struct piece *piece = malloc(sizeof(*piece));

	if (!piece)
		return NULL;
	*piece = (struct piece){
		.request = request,
		.place = chunk / array->spindle_count * array->chunk_bytes + in_chunk,
		.offset = offset,
		.bytes = bytes < left ? bytes : left,
		.arrival = now_seconds(),
	};
	return piece;
}

/* Cuts a request up. It holds one piece of its own until all others are in their queues. */
static void start(struct array *array, struct request *request)
{
	uint64_t offset = request->offset, end = offset + request->bytes;

	request->pieces = 1;
	while (offset < end) {
		struct piece *piece = make_piece(array, request, offset);

		if (!piece) {
			request->error = ENOMEM;
			break;
		}
		atomic_fetch_add(&request->pieces, 1);
		offset += piece->bytes;
		enqueue(&array->spindles[piece->offset / array->chunk_bytes % array->spindle_count],
			piece);
	}
	finish(request, 1);
}

/* --- A spindle's thread --- */

/* Waits for a piece and takes the next one upwards from the head; NULL at the end. */
static struct piece *take_next(struct spindle *spindle)
{
	struct piece **at = &spindle->queue, *piece;

	pthread_mutex_lock(&spindle->lock);
	while (!spindle->queue && !spindle->closed)
		pthread_cond_wait(&spindle->not_empty, &spindle->lock);
	while (*at && (*at)->place < spindle->disk.end)
		at = &(*at)->next;
	if (!*at)
		at = &spindle->queue;
	piece = *at;
	if (piece)
		*at = piece->next;
	pthread_mutex_unlock(&spindle->lock);
	return piece;
}

/* The image's part of it; 0 or an errno. */
static int copy(const struct array *array, const struct piece *piece)
{
	struct request *request = piece->request;
	char *data = request->data + (piece->offset - request->offset);
	size_t done = 0;

	while (done < piece->bytes) {
		size_t left = piece->bytes - done;
		off_t offset = (off_t)(piece->offset + done);
		ssize_t moved = request->write ? pwrite(array->image, data + done, left, offset)
					       : pread(array->image, data + done, left, offset);

		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return moved ? errno : EIO;
		done += (size_t)moved;
	}
	return 0;
}

static void serve(struct spindle *spindle, const struct piece *piece)
{
	struct array *array = spindle->array;
	double from = piece->arrival > spindle->free_at ? piece->arrival : spindle->free_at;
	int error;

	spindle->free_at = disk_model_serve(
		&spindle->disk, from, piece->place, piece->bytes, piece->request->write);
	error = copy(array, piece);
	if (error)
		piece->request->error = error;
	sleep_until(spindle->free_at);
	atomic_fetch_add(&array->pieces, 1);
	atomic_fetch_add(&array->late, now_seconds() > spindle->free_at + LATE_SECONDS);
}

static void *spindle_main(void *argument)
{
	struct spindle *spindle = argument;
	struct piece *piece;

	while ((piece = take_next(spindle))) {
		serve(spindle, piece);
		finish(piece->request, 1);
		free(piece);
	}
	return NULL;
}

/* --- FUSE --- */

static void fill_stat(const struct array *array, fuse_ino_t inode, struct stat *st)
{
	*st = (struct stat){.st_ino = inode, .st_mode = S_IFDIR | 0755, .st_nlink = 2};
	if (inode == FUSE_ROOT_ID)
		return;
	st->st_mode = S_IFREG | (inode == DISK_INODE ? 0600 : 0400);
	st->st_nlink = 1;
	st->st_size = inode == DISK_INODE ? (off_t)array->size_bytes : 0;
}

static void disk_lookup(fuse_req_t fuse, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {
		.ino = !strcmp(name, DISK_NAME) ? DISK_INODE : LATE_INODE,
		.attr_timeout = FOREVER_SECONDS,
		.entry_timeout = FOREVER_SECONDS,
	};

	if (parent != FUSE_ROOT_ID || (strcmp(name, DISK_NAME) && strcmp(name, LATE_NAME))) {
		fuse_reply_err(fuse, ENOENT);
		return;
	}
	fill_stat(fuse_req_userdata(fuse), entry.ino, &entry.attr);
	fuse_reply_entry(fuse, &entry);
}

static void disk_getattr(fuse_req_t fuse, fuse_ino_t inode, struct fuse_file_info *file)
{
	struct stat st;

	(void)file;
	fill_stat(fuse_req_userdata(fuse), inode, &st);
	fuse_reply_attr(fuse, &st, FOREVER_SECONDS);
}

/* Nothing of it can be changed, but asking (a truncation to the same size) does no harm. */
static void disk_setattr(fuse_req_t fuse, fuse_ino_t inode, struct stat *wanted, int which,
	struct fuse_file_info *file)
{
	(void)wanted;
	(void)which;
	disk_getattr(fuse, inode, file);
}

static void disk_open(fuse_req_t fuse, fuse_ino_t inode, struct fuse_file_info *file)
{
	if (inode == FUSE_ROOT_ID) {
		fuse_reply_err(fuse, EISDIR);
		return;
	}
	file->direct_io = 1; /* no page cache of its own */
	fuse_reply_open(fuse, file);
}

/* A request of what lies on the disk of @bytes at @offset; answers itself, with NULL, on error. */
static struct request *make_request(fuse_req_t fuse, size_t bytes, off_t offset, bool write)
{
	const struct array *array = fuse_req_userdata(fuse);
	uint64_t start_at = (uint64_t)offset;
	struct request *request;

	if (start_at >= array->size_bytes)
		bytes = 0;
	else if (bytes > array->size_bytes - start_at)
		bytes = array->size_bytes - start_at;
	request = malloc(sizeof(*request) + bytes);
	if (!request) {
		fuse_reply_err(fuse, ENOMEM);
		return NULL;
	}
	request->fuse = fuse;
	request->write = write;
	request->offset = start_at;
	request->bytes = bytes;
	request->error = 0;
	return request;
}

/* "PIECES LATE", at once. */
static void tell_late(fuse_req_t fuse, size_t bytes, off_t offset)
{
	struct array *array = fuse_req_userdata(fuse);
	char text[64];
	int length = snprintf(text, sizeof(text), "%lu %lu\n", atomic_load(&array->pieces),
		atomic_load(&array->late));

	if (offset || bytes < (size_t)length)
		length = 0;
	fuse_reply_buf(fuse, text, (size_t)length);
}

static void disk_read(
	fuse_req_t fuse, fuse_ino_t inode, size_t bytes, off_t offset, struct fuse_file_info *file)
{
	struct request *request;

	(void)file;
	if (inode != DISK_INODE) {
		tell_late(fuse, bytes, offset);
		return;
	}
	request = make_request(fuse, bytes, offset, false);
	if (request)
		start(fuse_req_userdata(fuse), request);
}

static void disk_write(fuse_req_t fuse, fuse_ino_t inode, const char *data, size_t bytes,
	off_t offset, struct fuse_file_info *file)
{
	struct request *request;

	(void)file;
	if (inode != DISK_INODE) {
		fuse_reply_err(fuse, EACCES);
		return;
	}
	request = make_request(fuse, bytes, offset, true);
	if (!request)
		return;
	memcpy(request->data, data, request->bytes);
	start(fuse_req_userdata(fuse), request);
}

static void disk_fsync(
	fuse_req_t fuse, fuse_ino_t inode, int data_only, struct fuse_file_info *file)
{
	(void)inode;
	(void)data_only;
	(void)file;
	fuse_reply_err(fuse, 0);
}

static void disk_init(void *userdata, struct fuse_conn_info *connection)
{
	(void)userdata;
	connection->max_background = MAX_BACKGROUND;
	connection->congestion_threshold = MAX_BACKGROUND;
}

static const struct fuse_lowlevel_ops operations = {
	.init = disk_init,
	.lookup = disk_lookup,
	.getattr = disk_getattr,
	.setattr = disk_setattr,
	.open = disk_open,
	.read = disk_read,
	.write = disk_write,
	.fsync = disk_fsync,
};

/* --- Start and end --- */

static void die(const char *what, const char *why)
{
	fprintf(stderr, "spindle: %s: %s\n", what, why);
	exit(1);
}

static void start_spindles(struct array *array, const struct disk_parameters *parameters)
{
	array->spindles = calloc(array->spindle_count, sizeof(*array->spindles));
	if (!array->spindles)
		die("spindles", strerror(errno));
	for (unsigned i = 0; i < array->spindle_count; i++) {
		struct spindle *spindle = &array->spindles[i];
		const char *why = disk_model_init(&spindle->disk, parameters);

		if (why)
			die("these disks cannot be", why);
		spindle->array = array;
		pthread_mutex_init(&spindle->lock, NULL);
		pthread_cond_init(&spindle->not_empty, NULL);
		if (pthread_create(&spindle->thread, NULL, spindle_main, spindle))
			die("threads", "there are no more");
	}
}

static void stop_spindles(struct array *array)
{
	for (unsigned i = 0; i < array->spindle_count; i++) {
		struct spindle *spindle = &array->spindles[i];

		pthread_mutex_lock(&spindle->lock);
		spindle->closed = true;
		pthread_cond_signal(&spindle->not_empty);
		pthread_mutex_unlock(&spindle->lock);
		pthread_join(spindle->thread, NULL);
		pthread_cond_destroy(&spindle->not_empty);
		pthread_mutex_destroy(&spindle->lock);
	}
	free(array->spindles);
}

static int serve_mount(struct array *array, const char *mount_point)
{
	char name[] = "spindle", option[] = "-o", value[] = "fsname=spindle,default_permissions";
	char *arguments[] = {name, option, value, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
	struct fuse_session *session =
		fuse_session_new(&args, &operations, sizeof(operations), array);
	int rc = -1;

	if (session && !fuse_set_signal_handlers(session)) {
		if (!fuse_session_mount(session, mount_point)) {
			rc = fuse_session_loop(session);
			fuse_session_unmount(session);
		}
		fuse_remove_signal_handlers(session);
	}
	stop_spindles(array); /* their last answers need the session */
	if (session)
		fuse_session_destroy(session);
	fuse_opt_free_args(&args);
	return rc < 0;
}

static void open_image(struct array *array, const char *path)
{
	struct stat st;

	array->image = open(path, O_RDWR | O_CLOEXEC);
	if (array->image < 0 || fstat(array->image, &st))
		die(path, strerror(errno));
	array->size_bytes = (uint64_t)st.st_size;
	if (!S_ISREG(st.st_mode) || !array->size_bytes)
		die(path, "a file is wanted, and not an empty one");
}

static void print_help(void)
{
	puts("Usage: spindle [OPTION...] IMAGE MOUNTPOINT\n\n"
	     "Shows IMAGE as MOUNTPOINT/disk, as slow as an array of hard disks.\n\n"
	     "  --spindles=N      disks, striped (1)\n"
	     "  --chunk=KIB       stripe chunk (256)\n"
	     "  --rpm=N           turns a minute (7200)\n"
	     "  --track-seek=MS   seek to the next track (0.5)\n"
	     "  --seek=MS         average seek (8.5)\n"
	     "  --full-seek=MS    seek from edge to edge (16)\n"
	     "  --outer=MB        transfer rate at the outer edge, MB/s (150)\n"
	     "  --inner=MB        at the inner edge (as outer)\n"
	     "  --read-ahead=KIB  what a disk reads on into its buffer (2048)\n\n"
	     "One queue a disk, served upwards and around (C-LOOK). The write cache is off.");
}

static double number_or_die(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= 0 && number < 1e12))
		die(text, "is no number");
	return number;
}

static unsigned count_or_die(const char *text, unsigned max)
{
	double number = number_or_die(text);

	if (number < 1 || number > max)
		die(text, "is not a possible number");
	return (unsigned)number;
}

/* Takes one option; false for --help and what is unknown. */
static bool take_option(int option, struct array *array, struct disk_parameters *parameters)
{
	switch (option) {
	case 'n':
		array->spindle_count = count_or_die(optarg, MAX_SPINDLES);
		return true;
	case 'c':
		array->chunk_bytes = 1024ULL * count_or_die(optarg, 1 << 20);
		return true;
	case 'r':
		parameters->rpm = number_or_die(optarg);
		return true;
	case 't':
		parameters->track_seek_seconds = number_or_die(optarg) / 1000;
		return true;
	case 's':
		parameters->average_seek_seconds = number_or_die(optarg) / 1000;
		return true;
	case 'f':
		parameters->full_seek_seconds = number_or_die(optarg) / 1000;
		return true;
	case 'o':
		parameters->outer_bps = number_or_die(optarg) * MB;
		return true;
	case 'i':
		parameters->inner_bps = number_or_die(optarg) * MB;
		return true;
	case 'a':
		parameters->read_ahead_bytes = (uint64_t)(number_or_die(optarg) * KIB);
		return true;
	default:
		return false;
	}
}

static const struct option options[] = {
	{"spindles", required_argument, NULL, 'n'},
	{"chunk", required_argument, NULL, 'c'},
	{"rpm", required_argument, NULL, 'r'},
	{"track-seek", required_argument, NULL, 't'},
	{"seek", required_argument, NULL, 's'},
	{"full-seek", required_argument, NULL, 'f'},
	{"outer", required_argument, NULL, 'o'},
	{"inner", required_argument, NULL, 'i'},
	{"read-ahead", required_argument, NULL, 'a'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

int main(int argc, char **argv)
{
	struct array array = {.spindle_count = 1, .chunk_bytes = 256 * 1024};
	struct disk_parameters parameters = {
		.rpm = 7200,
		.track_seek_seconds = 0.5e-3,
		.average_seek_seconds = 8.5e-3,
		.full_seek_seconds = 16e-3,
		.outer_bps = 150 * MB,
		.read_ahead_bytes = 2 << 20,
	};
	uint64_t stripe_bytes;

	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (take_option(option, &array, &parameters))
			continue;
		if (option == 'h')
			print_help();
		return option == 'h' ? 0 : 64;
	}
	if (optind + 2 != argc)
		die("usage", "an IMAGE and a MOUNTPOINT are wanted; see spindle --help");
	if (parameters.inner_bps <= 0)
		parameters.inner_bps = parameters.outer_bps;
	open_image(&array, argv[optind]);
	stripe_bytes = array.chunk_bytes * array.spindle_count;
	parameters.size_bytes =
		(array.size_bytes + stripe_bytes - 1) / stripe_bytes * array.chunk_bytes;
	start_spindles(&array, &parameters);
	return serve_mount(&array, argv[optind + 1]);
}
