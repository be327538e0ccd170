/*
 * Batches of profiles on disk: DIR/<sequence>-<UTC start>/ with a file for each profile and
 * event.json, there whole or not at all.
 *
 * A batch is made in a folder of its own whose name begins with a dot, everything in it is
 * synced, and only then it takes its name. Several samplers may share DIR; one that takes up
 * a target there holds a lock for it (batchlock.h), so that a second one on the same is
 * refused. What samplers that died have left is removed by the next one; a batch is never
 * removed but by the limits that were asked for, the oldest first, own ones only (prune.h):
 * those of its key, and those of its series that no living sampler has. So what a process
 * left that was restarted, and has another key now, does not lie there for ever.
 *
 * All is done by the descriptor of DIR, until the path leads to another folder, or that has
 * gone: then the next batch begins anew there.
 */
#ifndef ROUNDS_BATCH_H
#define ROUNDS_BATCH_H

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
	const char *key;  /* whom the lock is for: "pid-1234-<start time>", a unit's name, … */
	const char *series; /* what has batches like these, by any key: a program's name; NULL:
			     * nothing has */
	uint64_t keep;	  /* batches at most; 0: any number */
	uint64_t max_bytes, max_age_ns; /* 0: any */
};

struct batch_tag {
	const char *key, *value;
};

/* A file of the batch, or why there is none. */
struct batch_entry {
	const char *type;    /* captures[].name */
	const char *file;    /* NULL: skipped, because of: */
	const char *why_not;
	uint64_t bytes;
	bool delta;	     /* values since the round before */
	const char *note;    /* "first of its kind, whole", "cut at 5 MiB", … or NULL */
};

struct batch_event {
	uint64_t sequence;
	int64_t start_ns, end_ns; /* unix time */
	uint64_t duration_ns;	  /* by the monotonic clock */
	const char *host, *command, *build_id; /* "" when unknown */
	pid_t pid;
	const char *ended;	  /* "time", "stopped", "exited", "lost" */
	const char *version;
	const struct batch_tag *tags;
	size_t tag_count;
	const struct batch_entry *entries;
	size_t entry_count;
	const char *sampling;	  /* JSON object with the sampler's own figures, or NULL */
};

/* Opens the folder, takes the lock, removes leftovers and what the limits say. Texts of the
 * options are copied. One of a key in a process, and no use of it in a
 * process that was forked: that has no lock. ERR_IO, ERR_PERM (a link on the way that
 * somebody else has put there; a second sampler on the target: who, in the message),
 * ERR_NOMEM. */
int batches_open(struct batches **b, const struct batches_options *options, struct error *err);
void batches_close(struct batches *b);

/* They are about this key's target from now on, which may be another than they began with: a
 * second sampler on it is refused there, too. ERR_PERM (who has it already, in the message),
 * ERR_IO, ERR_NOMEM: they are about nobody else's than their own. */
int batches_target(struct batches *b, const char *key, struct error *err);

/* Its descriptor, for privilege_drop(): before that it must be open, and if it is another
 * user's, what lets us write there must be kept. */
const int *batches_folder(const struct batches *b);

/* The number that the next batch gets: one more than the highest that is there, of any
 * target. */
uint64_t batches_next(const struct batches *b);

/* Begins a batch, one at a time. A full disk or a folder that is not writable now is ERR_IO,
 * of this batch alone: the next one tries anew. As batches_open if the folder has changed. */
int batch_begin(struct batches *b, struct batch **batch, struct error *err);

/* Adds a file, synced; `name` is no path and has no dot in front, else ERR_USAGE. ERR_IO: the
 * batch is as if it had not been asked. */
int batch_add(struct batch *batch, const char *name, const void *data, size_t len,
	      struct error *err);

/* Writes event.json, syncs, renames, prunes. event->sequence is set by it. *path is the
 * batch's folder, valid until batch_free. ERR_IO, ERR_NOMEM: there is no batch. */
int batch_commit(struct batch *batch, struct batch_event *event, const char **path,
		 struct error *err);

/* Removes what was not committed. */
void batch_free(struct batch *batch);

#endif
