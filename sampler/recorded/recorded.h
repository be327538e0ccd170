/*
 * What a round (sampler/tick/round.h) has recorded so far, and what it was asked for: all that the
 * profile of a recording (sampler/recording.h) is made of.
 *
 * Internal to sampler/. One thread adds to it, the round's thread, and publishes its numbers once a
 * tick. Afterwards, or between two ticks in a copy by fork(2), sampler/profile/ makes a profile of
 * it.
 */
#ifndef SAMPLER_RECORDED_RECORDED_H
#define SAMPLER_RECORDED_RECORDED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hashindex.h"
#include "sampler/account/ledger.h"
#include "sampler/account/stackset.h"
#include "runtimes/names.h"
#include "sampler/awaited/waitset.h"
#include "sampler/lock/lockset.h"
#include "sampler/member/labelling.h"
#include "sampler/recorded/options.h"
#include "sampler/recorded/pidset.h"
#include "sampler/recorded/stats.h"
#include "sampler/thread/kernelstack.h"

struct error;
struct member;

/* Time of threads that wait for locks, to be given at the tick's end (sampler/tick/waiting.h). */
struct waiting {
	struct waiting_time {
		uint32_t stack; /* in the stackset */
		uint64_t ns;
	} *times;
	size_t count, room;
};

struct recorded {
	struct member **members;
	uint32_t member_count;
	size_t member_room;
	struct pidset lacking;	 /* processes that could not be opened, for want of descriptors */
	struct pidset narrow;	 /* children that execute 32-bit code */
	struct hashindex by_pid; /* of members; entries of those that have ended stay */
	struct member **living;	 /* those that had not ended when it was swept */
	uint32_t living_count;
	size_t living_room;
	unsigned rate;
	bool wall, children, goid;
	const struct counted *counted; /* instead of CPU time; or NULL */
	bool late;    /* samples come by themselves: no member is read to find the one that runs */
	bool command; /* the first member is a command */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; end 0: none */
	uint64_t start_real_ns;
	struct stackset stacks;
	struct lockset locks;
	struct waitset waits;	/* with wall time */
	struct waiting waiting; /* empty between ticks */
	struct kernelstack kernel;
	struct interp_names interpreted;
	struct labelling labelling;
	struct ledger ledger;
	struct recording_stats stats;
	pthread_mutex_t lock; /* guards `published` */
	struct recording_stats published;
};

/* Does the end of the first process end the round, though others live on? That of a command does,
 * as for perf record, unless a time was given: then a daemon that it has made is sampled until
 * then. */
static inline bool recorded_ends_with_first(const struct recorded *r)
{
	return r->command && !(r->end_ns && r->children);
}

/* Opens the processes. The first one gives the profile its name. Others for which descriptors are
 * lacking are left out, and noted. The caller calls recorded_release
 * in any case. ERR_GONE, ERR_PERM, ERR_NOMEM, ERR_IO. */
int recorded_init(struct recorded *r, const pid_t *pids, size_t count,
		  const struct recording_options *options, struct error *err);
void recorded_release(struct recorded *r);

/* Adds a member, which is not started yet, and is owned by `r`. Errors as of member_open. */
int recorded_add_member(struct recorded *r, pid_t pid, struct member **m, struct error *err);

/* Takes back the last member, which could not be started. */
void recorded_drop_member(struct recorded *r);

/* Leaves those out of r->living that have ended: a build has ten thousand, and each tick goes
 * through it. Files of those that perf events served are closed, so no stack of theirs may be left
 * to be walked. */
void recorded_sweep(struct recorded *r);

/* Starts a member. Where `late`, one that does not run now is read when it has its first sample:
 * most backends of a server, and most processes of a build, have none. Errors as of
 * member_start. */
int recorded_start_member(const struct recorded *r, struct member *m, bool old, struct error *err);

/* The member whose process lives under that number; NULL: there is none. */
struct member *recorded_member(const struct recorded *r, pid_t pid);

/* Makes members of the processes that members have made (children.c): of those whose turn it is, or
 * `all`. ERR_NOMEM. */
int recorded_find_children(struct recorded *r, bool all);

/* The same of one process, which one of them has made. */
int recorded_add_child(struct recorded *r, pid_t pid, const struct member *maker);

/* Notes in `stats` whether the process could be opened, by the error of the attempt; code 0: it
 * could. ERR_NOMEM. */
int recorded_note_lacking(struct recorded *r, pid_t pid, const struct error *err);

/* Publishes `stats` for other threads; reads what was published last, from any thread. */
void recorded_publish_stats(struct recorded *r);
void recorded_read_stats(struct recorded *r, struct recording_stats *stats);

#endif
