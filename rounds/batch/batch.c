/*
 * Any system call may fail, or be the last before a crash. So the order is: the files,
 * each synced; event.json; the folder, synced; its final name; the parent folder, synced. Until
 * the rename, a batch is one of the temporary folders that the next start removes.
 *
 * A batch gets its number at the rename. flock(2) on the parent folder makes the samplers that
 * share it do this one at a time. A sampler that does not get the lock within two seconds, or
 * whose file system has no flock(2), goes on without the lock. Two batches may then have one
 * number, but not one name.
 *
 * Batches are pruned after a new one is in place, not before: no existing batch is given up for
 * one that fails. On a full disk nothing beyond the limits is removed; the round is lost.
 */
#include "rounds/batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/buffer.h"
#include "base/error.h"
#include "rounds/batch/dir.h"
#include "rounds/batch/event.h"
#include "rounds/batch/lock.h"
#include "rounds/batch/name.h"
#include "rounds/batch/retention.h"

/* The sweep of another sampler may hold our lock for a moment (dir.c). */
enum {
	LOCK_TRIES = 10,
	LOCK_PAUSE_MS = 50,
	NUMBER_TRIES = 100,
	NUMBER_PAUSE_MS = 20,
	NAME_TRIES = 16,
	TEMPORARY_TRIES = 1000,
};

struct batches {
	char *path, *key, *series;
	char key_text[BATCH_KEY_ROOM];
	struct retention *retention;
	struct batchlock lock;
	char *target; /* key of the current target, if it is not `key`; else NULL */
	char target_text[BATCH_KEY_ROOM];
	struct batchlock target_lock;
	int dir;       /* -1: not open */
	uint64_t last; /* highest number that we gave in this folder */
	bool busy;     /* a batch is being made */
};

struct batch {
	struct batches *in;
	int fd;
	char name[BATCH_HIDDEN_ROOM]; /* of the temporary folder */
	bool committed;
	char path[]; /* room for the final path; written by batch_finish() */
};

static void pause_ms(long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

/* Drops the locks and closes the folder. */
static void batch_leave(struct batches *b)
{
	if (b->dir < 0)
		return;
	batchlock_drop(&b->target_lock, b->dir, b->target_text);
	batchlock_drop(&b->lock, b->dir, b->key_text);
	close(b->dir);
	b->dir = -1;
}

static int take_lock(const struct batches *b, struct batchlock *lock, const char *key,
		     const char *key_text, struct error *err)
{
	char other[48] = "another sampler";
	int rc = ERR_PERM;

	for (int i = 0; i < LOCK_TRIES && rc == ERR_PERM; i++) {
		if (i)
			pause_ms(LOCK_PAUSE_MS);
		rc = batchlock_take(lock, b->dir, key_text, true);
	}
	if (rc != ERR_PERM)
		return rc ? error_errno(err, ERR_IO, "cannot lock '%s' for '%s'", b->path, key) : 0;
	if (lock->holder)
		snprintf(other, sizeof(other), "another sampler (process %d)", lock->holder);
	return error_set(err, ERR_PERM, "%s writes batches of '%s' into '%s' already", other, key,
			 b->path);
}

static int batch_enter(struct batches *b, struct error *err)
{
	int rc = batchdir_open(b->path, &b->dir, err);

	if (rc)
		return rc;
	b->lock = b->target_lock = (struct batchlock)BATCHLOCK_NONE;
	b->last = 0;
	rc = take_lock(b, &b->lock, b->key, b->key_text, err);
	if (!rc && b->target)
		rc = take_lock(b, &b->target_lock, b->target, b->target_text, err);
	if (!rc) {
		batchdir_sweep(b->dir, b->key_text, b->lock.owner);
		rc = retention_load(b->retention, b->dir, b->lock.owner, err);
	}
	if (!rc)
		retention_apply(b->retention, b->dir, b->lock.owner);
	else
		batch_leave(b);
	return rc;
}

static int take_options(struct batches *b, const struct batches_options *o, struct error *err)
{
	struct retention_limits limits = { .keep = o->keep,
					   .max_bytes = o->max_bytes,
					   .max_age_ns = o->max_age_ns };
	size_t len = strlen(o->path);

	/* With a slash at its end path_walk would take the path for an existing folder. */
	while (len > 1 && o->path[len - 1] == '/')
		len--;
	b->path = strndup(o->path, len);
	b->key = strdup(o->key);
	b->series = strdup(o->series ? o->series : o->key);
	if (!b->path || !b->key || !b->series)
		return error_nomem(err);
	batch_key_text(b->key, b->key_text);
	return retention_new(&b->retention, &limits, b->series, b->key_text, err);
}

int batches_open(struct batches **b, const struct batches_options *options, struct error *err)
{
	int rc;

	*b = calloc(1, sizeof(**b));
	if (!*b)
		return error_nomem(err);
	(*b)->dir = -1;
	rc = take_options(*b, options, err);
	if (!rc)
		rc = batch_enter(*b, err);
	if (rc) {
		batches_close(*b);
		*b = NULL;
	}
	return rc;
}

void batches_close(struct batches *b)
{
	if (!b)
		return;
	batch_leave(b);
	retention_free(b->retention);
	free(b->path);
	free(b->key);
	free(b->series);
	free(b->target);
	free(b);
}

int batches_target(struct batches *b, const char *key, struct error *err)
{
	int rc = 0;

	if (b->dir >= 0)
		batchlock_drop(&b->target_lock, b->dir, b->target_text);
	free(b->target);
	b->target = NULL;
	if (!strcmp(key, b->key))
		return 0;
	b->target = strdup(key);
	if (!b->target)
		return error_nomem(err);
	batch_key_text(key, b->target_text);
	if (b->dir >= 0)
		rc = take_lock(b, &b->target_lock, b->target, b->target_text, err);
	if (rc) {
		free(b->target);
		b->target = NULL;
	}
	return rc;
}

const int *batches_folder(const struct batches *b)
{
	return &b->dir;
}

/* b->last: no number is given twice, even if the folder cannot be listed now. */
uint64_t batches_next(const struct batches *b)
{
	uint64_t highest = b->dir < 0 ? 0 : batchdir_highest(b->dir);

	return (highest > b->last ? highest : b->last) + 1;
}

static bool is_current(const struct batches *b)
{
	return b->dir >= 0 && batchdir_current(b->path, b->dir) &&
	       batchlock_held(&b->lock, b->dir, b->key_text) &&
	       (!b->target || batchlock_held(&b->target_lock, b->dir, b->target_text));
}

static int make_temporary(struct batch *batch, struct error *err)
{
	struct batches *b = batch->in;
	int rc = -1;

	for (uint64_t n = 0; n < TEMPORARY_TRIES && rc; n++) {
		batch_temporary_name(b->key_text, n, batch->name);
		rc = mkdirat(b->dir, batch->name, 0755);
		if (rc && errno != EEXIST)
			break;
	}
	if (!rc)
		batch->fd = openat(b->dir, batch->name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!rc && batch->fd >= 0)
		return 0;
	error_errno(err, ERR_IO, "cannot make a batch in '%s'", b->path);
	if (!rc)
		unlinkat(b->dir, batch->name, AT_REMOVEDIR);
	return ERR_IO;
}

/* Allocates all memory that the batch needs, except for event.json. */
int batch_begin(struct batches *b, struct batch **batch, struct error *err)
{
	struct batch *made;
	int rc = 0;

	*batch = NULL;
	if (b->busy)
		return error_set(err, ERR_USAGE, "a batch at a time");
	if (!is_current(b)) {
		batch_leave(b);
		rc = batch_enter(b, err);
	}
	if (rc)
		return rc;
	made = calloc(1, sizeof(*made) + strlen(b->path) + 1 + BATCH_NAME_ROOM);
	if (!made)
		return error_nomem(err);
	made->in = b;
	made->fd = -1;
	rc = make_temporary(made, err);
	if (rc) {
		free(made);
		return rc;
	}
	b->busy = true;
	*batch = made;
	return 0;
}

/* On network file systems a signal may interrupt fsync, and Ctrl-C must still finish a batch. */
static int sync_all(int fd)
{
	int rc;

	do
		rc = fsync(fd);
	while (rc && errno == EINTR);
	return rc;
}

/* Always closes fd. A file system that delays its writes may report an error only at close. */
static bool write_synced(int fd, const void *data, size_t len)
{
	bool good = descriptor_write(fd, data, len) && sync_all(fd) == 0;
	int saved = errno;

	if (close(fd) && good)
		return false;
	errno = saved;
	return good;
}

static int batch_add_file(struct batch *batch, const char *name, const void *data, size_t len,
			  struct error *err)
{
	int fd = openat(batch->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0644);

	if (fd >= 0 && write_synced(fd, data, len))
		return 0;
	error_errno(err, ERR_IO, "cannot write '%s' of a batch in '%s'", name, batch->in->path);
	if (fd >= 0)
		unlinkat(batch->fd, name, 0);
	return ERR_IO;
}

int batch_add(struct batch *batch, const char *name, const void *data, size_t len,
	      struct error *err)
{
	if (!batch_file_name_ok(name) || !strcmp(name, EVENT_FILE))
		return error_set(err, ERR_USAGE, "'%s' cannot be the name of a profile", name);
	return batch_add_file(batch, name, data, len, err);
}

static int write_event(struct batch *batch, const struct batch_event *event, struct error *err)
{
	struct buffer text = { 0 };
	int rc = event_write(&text, event, batch->in->series, batch->in->key_text);

	if (rc)
		rc = error_nomem(err);
	else
		rc = batch_add_file(batch, EVENT_FILE, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

static int failed(const struct batch *batch, struct error *err)
{
	return error_errno(err, ERR_IO, "cannot finish a batch in '%s'", batch->in->path);
}

/* Writes event.json and renames the folder to `name`. NAME_TRIES: the name is taken. */
static int batch_take_name(struct batch *batch, struct batch_event *event, const char *name,
			   struct error *err)
{
	int rc = write_event(batch, event, err);

	if (rc)
		return rc;
	if (sync_all(batch->fd))
		return failed(batch, err);
	if (!batchdir_rename(batch->in->dir, batch->name, name))
		return 0;
	if (!batchdir_taken(errno))
		return failed(batch, err);
	unlinkat(batch->fd, EVENT_FILE, 0);
	return NAME_TRIES;
}

static int take_number(struct batch *batch, struct batch_event *event, struct batch_name *name,
		       struct error *err)
{
	uint64_t first = batches_next(batch->in);
	char text[BATCH_NAME_ROOM];
	int rc = NAME_TRIES;

	for (uint64_t i = 0; i < NAME_TRIES && rc == NAME_TRIES; i++) {
		event->sequence = name->sequence = first + i;
		batch_name_text(name, text);
		rc = batch_take_name(batch, event, text, err);
	}
	if (rc == NAME_TRIES)
		return failed(batch, err);
	if (!rc)
		sync_all(batch->in->dir);
	return rc;
}

/* False: no lock; the caller goes on without it. */
static bool lock_numbers(int dir)
{
	for (int i = 0; i < NUMBER_TRIES; i++) {
		if (!flock(dir, LOCK_EX | LOCK_NB))
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		pause_ms(NUMBER_PAUSE_MS);
	}
	return false;
}

static void batch_finish(struct batch *batch, const struct batch_name *name)
{
	struct batches *b = batch->in;
	char text[BATCH_NAME_ROOM];
	uint64_t bytes;

	batch->committed = true;
	b->last = name->sequence;
	batch_name_text(name, text);
	sprintf(batch->path, "%s/%s", b->path, text);
	batchdir_bytes(batch->fd, &bytes);
	retention_add(b->retention, name, bytes);
	retention_apply(b->retention, b->dir, b->lock.owner);
}

int batch_commit(struct batch *batch, struct batch_event *event, const char **path,
		 struct error *err)
{
	struct batch_name name = { .start_s = event->start_ns / 1000000000 };
	bool locked = lock_numbers(batch->in->dir);
	int rc = take_number(batch, event, &name, err);

	if (locked)
		flock(batch->in->dir, LOCK_UN);
	if (rc)
		return rc;
	batch_finish(batch, &name);
	*path = batch->path;
	return 0;
}

void batch_free(struct batch *batch)
{
	struct batches *b;

	if (!batch)
		return;
	b = batch->in;
	close(batch->fd);
	if (!batch->committed)
		batchdir_remove(b->dir, batch->name, b->lock.owner);
	b->busy = false;
	free(batch);
}
