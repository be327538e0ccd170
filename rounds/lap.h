/*
 * One round, from its start until all its profiles are there.
 *
 * Internal to rounds/. Functions that fork must be called while no other thread runs: lap_begin,
 * lap_end, and lap_over with may_fork.
 */
#ifndef ROUNDS_LAP_H
#define ROUNDS_LAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "sampler/recording.h"
#include "rounds/resource/attributes.h"
#include "rounds/resource/resource.h"
#include "rounds/metrics/subject.h"

struct collection;
struct rounds_options;

/* The requests to the source, each in processes of its own. */
enum lap_ask {
	LAP_TRACE,  /* a trace, through the round */
	LAP_BEFORE, /* the first of the two snapshots of allocations */
	LAP_AFTER,  /* all others, at the end */
	LAP_ASKS,
};

struct lap_answer {
	struct collection *collection; /* NULL: not requested, or see `none` */
	struct error none;	       /* why there is no collection, or not all of it */
	bool over;		       /* the collection has ended, and that was handled */
};

struct lap {
	const struct rounds_options *options;
	/* The target as it was at the start. */
	pid_t pid;
	char command[64], build_id[2 * 64 + 1];
	struct subject_program program;
	uint64_t process_start_ns; /* unix time; 0: not known */
	char whose[RESOURCE_LINE];
	struct attributes attributes; /* whose it is, as of the round's end if it was still there */
	/* When. */
	int64_t start_ns, end_ns; /* unix time */
	uint64_t began_ns;	  /* CLOCK_MONOTONIC */
	uint64_t duration_ns;
	const char *ended; /* "time", "stopped", "exited", "lost"; static */
	/* What was taken. */
	struct recording *recording; /* NULL: nothing is sampled, or its profile is there */
	bool sampled;
	bool fresh;		/* not the program of the previous round: nothing to subtract */
	bool asked;		/* the recording's profile was requested, into `samples` */
	struct outfile samples; /* in memory */
	struct recording_stats stats;
	struct error no_samples; /* code 0: there are samples */
	struct lap_answer answers[LAP_ASKS];
	int process_fd;	       /* readable when the process has ended; -1 */
	struct buffer metrics; /* JSON, empty when there is none */
	struct error no_metrics;
	uint64_t own_cpu_ns; /* own_cpu_ns() when the round began */
};

/* Begins a round and takes what is due at its start. The caller frees *out with lap_free. ERR_IO,
 * ERR_NOMEM, and the errors of recording_new. */
int lap_begin(struct lap **out, const struct rounds_options *options, struct subject *subject,
	      struct error *err);

/* Called by lap_sample ten times a second; true ends the round. */
typedef bool lap_look(void *ctx);

/* Samples, or only waits, for `duration_ns` at most. Sets lap->ended. */
void lap_sample(struct lap *lap, const struct subject *subject, uint64_t duration_ns,
		lap_look *look, void *ctx);

/* After lap_sample: had the process ended before it could be sampled? */
bool lap_empty(const struct lap *lap);

/* Takes what is due at the end. */
void lap_end(struct lap *lap, struct subject *subject);

/* Is everything there? Never waits. Forks only if `may_fork`. */
bool lap_over(struct lap *lap, bool may_fork);

/* Waits no longer: profiles that are not there yet are missing, with the reason `why`. */
void lap_give_up(struct lap *lap, const char *why);

/* The same, but only for profiles of the source. */
void lap_give_up_source(struct lap *lap, const char *why);

/* Becomes readable when lap_over may have news; -1 for none. Borrowed. */
int lap_fd(const struct lap *lap);

void lap_free(struct lap *lap);

#endif
