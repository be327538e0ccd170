/*
 * Round after round: what is to be taken is taken, and each round leaves a batch.
 *
 *   rounds_new -> rounds_run -> rounds_free
 *
 * While one round samples, the one before is finished: its samples are symbolized and its Go
 * profiles fetched in processes of their own, and when these have ended its batch is written.
 * Whatever fails costs what it concerns, of one round, and is told in its event.json.
 * Nothing here prints.
 */
#ifndef ROUNDS_ROUNDS_H
#define ROUNDS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rounds/batch.h"
#include "sampler/recording.h"

struct error;
struct push;
struct rounds;
struct source;

enum rounds_news {
	ROUNDS_BATCH,	/* a batch was written: what is in it */
	ROUNDS_TROUBLE, /* something failed, or was skipped that should not be */
	ROUNDS_TARGET,	/* the target has ended, another one was taken up */
};

typedef void rounds_say(void *ctx, enum rounds_news news, const char *line);

/* Everything stays the caller's and must outlive the rounds. */
struct rounds_options {
	struct recording_options recording; /* whom, how; duration_ns is a round's. No process at
					     * all where only a source's profiles are taken */
	unsigned symbolize;	  /* as recording_write's flags */
	const char *command_line; /* for comments */
	unsigned types;		  /* set of enum capture_type */
	uint64_t count;		  /* of rounds; 0: until rounds_stop or the target's end */
	uint64_t every_ns;	  /* from start to start; at least the duration */
	bool align;		  /* to multiples of that, UTC */
	bool delta;		  /* cumulative profiles as differences, too */
	bool drop_last;		  /* a round that is stopped is not written */
	bool gc_wait;		  /* before heap profiles, for a completed cycle */
	struct source *source;	  /* of Go's profiles, told who the target is; NULL: none */
	struct batches_options batches; /* key NULL: made from the target */
	const struct batch_tag *tags;
	size_t tag_count;
	const char *wait_for;	  /* a process of this name is waited for, at first and when the
				   * target has ended; or NULL */
	bool follow_restarts;	  /* or the next one of its unit or cgroup */
	struct push *const *pushes;
	size_t push_count;
	const char *version;
	rounds_say *say;	  /* or NULL */
	void *say_ctx;
};

/* Checks what can be: the target, its permission, the folder. Errors as recording_new's and
 * batches_open's; ERR_USAGE: types that nobody is there to give. */
int rounds_new(struct rounds **r, const struct rounds_options *options, struct error *err);

/* Until all rounds are done, the target has ended and none follows, or rounds_stop. 0 also
 * when some of it failed; *written is the number of batches. ERR_NOMEM, ERR_IO (the first
 * batch could not be written), errors of the first recording; ERR_NOTFOUND when there was to
 * be one round, and its batch is empty. */
int rounds_run(struct rounds *r, uint64_t *written, struct error *err);

/* Ends it soon; the running round is written with what it has. Async-signal-safe. */
void rounds_stop(struct rounds *r);

/* The folder's descriptor, as batches_folder tells it. */
const int *rounds_folder(const struct rounds *r);

void rounds_free(struct rounds *r);

#endif
