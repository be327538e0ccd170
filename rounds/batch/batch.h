/*
 * Batches of profiles on disk: DIR/<sequence>-<UTC start>/ with a file for each profile and
 * event.json. A batch appears there whole or not at all.
 *
 * A batch is made in a temporary folder, with a dot in front of its name; everything in it is
 * synced before the folder gets its final name. Several samplers may share DIR. Each holds a
 * lock for its target there (lock.h), so that a second sampler on the same target is
 * refused. The next sampler to start removes what dead samplers have left. A batch is removed
 * only to meet the limits of batches_options, the oldest first, and only a batch of our own
 * (retention.h): one of our series, with our key or with a key whose lock no sampler holds. So the
 * batches of a process that was restarted, and has another key now, do not stay for ever.
 *
 * All access is through the descriptor of DIR. When the path leads to another folder, or the
 * folder or a lock file is gone, the next batch opens the path again.
 */
#ifndef ROUNDS_BATCH_BATCH_H
#define ROUNDS_BATCH_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct batch;
struct batches;
struct buffer;
struct error;

struct batches_options {
	const char *path; /* the folder; made when missing */
	const char *key;  /* of the lock: "pid-1234-<start time>-<PID namespace>", a unit's name */
	const char *series; /* group of batches that the limits apply to, of any key: a program's
			     * name; NULL: those of `key` alone */
	uint64_t keep;	    /* batches at most; 0: any number */
	uint64_t max_bytes, max_age_ns; /* 0: any */
};

/* A tag of the user, or an attribute of the process. */
struct batch_tag {
	const char *key, *value;
};

/* A file of the batch, or why there is none. */
struct batch_entry {
	const char *type; /* captures[].name */
	const char *file; /* NULL: skipped, for the reason `why_not` */
	const char *why_not;
	uint64_t bytes;
	bool delta;	  /* values since the previous round */
	const char *note; /* "the first: whole", "cut at its limit", … or NULL */
};

struct batch_event {
	uint64_t sequence;
	int64_t start_ns, end_ns;	       /* unix time */
	uint64_t duration_ns;		       /* by the monotonic clock */
	const char *host, *command, *build_id; /* "" when unknown */
	pid_t pid;
	uint64_t process_start_ns; /* unix time, by this machine's clock; 0: not known */
	const char *ended;	   /* "time", "stopped", "exited", "lost" */
	const char *version;
	const struct batch_tag *tags;
	size_t tag_count;
	/* Whose process it is: attributes by OpenTelemetry's names (rounds/resource/resource.h),
	 * the most trusted first, each key once, and none that is among the tags. Without
	 * host.name, process.pid and process.executable.build_id.gnu, which stand above. */
	const struct batch_tag *resource;
	size_t resource_count;
	const struct batch_entry *entries;
	size_t entry_count;
	const char *sampling; /* JSON object with the sampler's own figures, or NULL */
};

/* Opens the folder, takes the lock, removes leftovers and what exceeds the limits. Texts of the
 * options are copied. At most one per key in a process. A forked process does not hold the lock
 * and must not use *b. The caller frees *b with batches_close. ERR_IO; ERR_PERM: another user has
 * put a link on the way, or another sampler holds the lock (the message names it); ERR_NOMEM. */
int batches_open(struct batches **b, const struct batches_options *options, struct error *err);
void batches_close(struct batches *b);

/* Sets the key of the current target, which may differ from that of batches_open: its lock is
 * taken too, so that a second sampler on it is refused. On an error only the lock of
 * batches_open's key is held. ERR_PERM: another process holds it (the message names it); ERR_IO,
 * ERR_NOMEM. */
int batches_target(struct batches *b, const char *key, struct error *err);

/* The folder's descriptor, for privilege_drop(): it must be open before the drop, and if the
 * folder is another user's, the capabilities to write there must be kept. Borrowed until
 * batches_close. */
const int *batches_folder(const struct batches *b);

/* The number of the next batch: one more than the highest in the folder, of any target. */
uint64_t batches_next(const struct batches *b);

/* Begins a batch; only one at a time, else ERR_USAGE. ERR_IO, as on a full disk or an unwritable
 * folder, concerns this batch alone: the next one tries again. If the folder has changed, also
 * the errors of batches_open. The caller frees *batch with batch_free. */
int batch_begin(struct batches *b, struct batch **batch, struct error *err);

/* Adds a file and syncs it. `name` must have no slash, no dot in front, and not be "event.json",
 * else ERR_USAGE. ERR_IO: the batch is unchanged. */
int batch_add(struct batch *batch, const char *name, const void *data, size_t len,
	      struct error *err);

/* Writes event.json, syncs, renames, prunes. Sets event->sequence. *path is the batch's folder,
 * borrowed until batch_free. ERR_IO, ERR_NOMEM: there is no batch. */
int batch_commit(struct batch *batch, struct batch_event *event, const char **path,
		 struct error *err);

/* Frees the batch; removes its folder unless it was committed. NULL is harmless. */
void batch_free(struct batch *batch);

#endif
