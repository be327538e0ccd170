/* The options of rounds. */
#ifndef ROUNDS_OPTIONS_H
#define ROUNDS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/recording.h"
#include "rounds/batch/batch.h"

struct push;
struct source;

enum rounds_news {
	ROUNDS_BATCH,	/* a batch was written; the line says what is in it */
	ROUNDS_TROUBLE, /* something failed, or a round was missed */
	ROUNDS_TARGET,	/* the target has ended, or another one was taken up */
};

/* Called with each line of news; `line` is borrowed during the call. */
typedef void rounds_say(void *ctx, enum rounds_news news, const char *line);

/* What its members point to is borrowed until rounds_free. */
struct rounds_options {
	struct recording_options recording; /* the target, and how to sample it; duration_ns is a
					     * round's. No process if only a source's profiles
					     * are taken */
	unsigned symbolize;		    /* as recording_write's flags */
	const char *command_line;	    /* for comments */
	unsigned types;			    /* set of enum capture_type */
	uint64_t count;	       /* of rounds; 0: until rounds_stop or the target's end */
	uint64_t every_ns;     /* from start to start; at least the duration */
	bool align;	       /* start at multiples of every_ns, UTC */
	bool delta;	       /* cumulative profiles also as differences */
	bool drop_last;	       /* a round that is stopped is not written */
	bool gc_wait;	       /* before heap profiles, wait for a completed GC cycle */
	struct source *source; /* of Go's profiles; rounds_new sets its process; NULL: none */
	struct batches_options batches; /* key NULL: made from the target */
	const struct batch_tag *tags;
	size_t tag_count;
	const char *wait_for; /* wait for a process of this name, at first and when the
				   * target has ended; or NULL */
	bool follow_restarts; /* or wait for the next one of its unit or cgroup */
	struct push *const *pushes;
	size_t push_count;
	const char *version;
	rounds_say *say; /* or NULL */
	void *say_ctx;
	recording_progress *progress; /* called while a round samples; or NULL */
	void *progress_ctx;
};

#endif
