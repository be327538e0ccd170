/*
 * One round, from its start until all that was taken in it is there.
 *
 * Internal to rounds/. What forks is called while no thread runs: lap_begin, lap_end, and
 * lap_over where it says so.
 */
#ifndef ROUNDS_LAP_H
#define ROUNDS_LAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/outfile.h"
#include "rounds/subject.h"
#include "sampler/recording.h"

struct collection;
struct rounds_options;

/* What is asked of the source, each in a process of its own. */
enum lap_ask {
	LAP_TRACE,  /* through the round */
	LAP_BEFORE, /* the first of the allocations' two snapshots */
	LAP_AFTER,  /* all others, at the end */
	LAP_ASKS,
};

struct lap_answer {
	struct collection *collection; /* NULL: not asked, or: */
	struct error none;
	bool over;	/* known to be, and looked at */
};

struct lap {
	const struct rounds_options *options;
	/* The target as it was then. */
	pid_t pid;
	char command[64], build_id[2 * 64 + 1];
	/* When. */
	int64_t start_ns, end_ns; /* unix time */
	uint64_t began_ns;	  /* CLOCK_MONOTONIC */
	uint64_t duration_ns;
	const char *ended;	  /* "time", "stopped", "exited", "lost"; static */
	/* What was taken. */
	struct recording *recording; /* NULL: nothing is sampled, or its profile is there */
	bool sampled;
	bool fresh;		  /* another program than in the round before: nothing to subtract */
	bool asked;		  /* its profile, which goes to: */
	struct outfile samples;	  /* in memory */
	struct recording_stats stats;
	struct error no_samples;  /* code 0: they came */
	struct lap_answer answers[LAP_ASKS];
	int process_fd; /* readable when the process has ended; -1 */
	struct buffer metrics;	  /* JSON, empty when there is none */
	struct error no_metrics;
	uint64_t own_cpu_ns;	  /* when it began */
};

/* Takes what is to be taken at the start. ERR_NOMEM, and what recording_new says. */
int lap_begin(struct lap **out, const struct rounds_options *options, struct subject *subject,
	      struct error *err);

/* What lap_sample asks ten times a second; true ends the round. */
typedef bool lap_look(void *ctx);

/* Samples, or only waits, for so long at most. Sets how it ended. */
void lap_sample(struct lap *lap, const struct subject *subject, uint64_t duration_ns,
		lap_look *look, void *ctx);

/* After that: had its process ended before it could be sampled? */
bool lap_empty(const struct lap *lap);

/* Takes what is to be taken at the end. */
void lap_end(struct lap *lap, struct subject *subject);

/* Is all there? Never waits; what is to be forked for it is only if `may_fork`. */
bool lap_over(struct lap *lap, bool may_fork);

/* Waits no longer: what is not there yet is missing, for this reason. */
void lap_give_up(struct lap *lap, const char *why);

/* The same, for what the source has not given yet. */
void lap_give_up_source(struct lap *lap, const char *why);

/* A file that becomes readable when there may be something to see; -1 for none. */
int lap_fd(const struct lap *lap);

void lap_free(struct lap *lap);

#endif
