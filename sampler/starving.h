/*
 * Does the round's thread get no CPU? Then it is made prompt (sampler/child/priority.h) for some
 * seconds.
 *
 * Called by another thread, since one that starves cannot help itself: beside 500 busy loops of our
 * session it is seconds until it runs.
 */
#ifndef SAMPLER_STARVING_H
#define SAMPLER_STARVING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct round;

struct starving {
	uint64_t cpu_ns;   /* of the thread, at the last look */
	bool prompt;	   /* it was made prompt, */
	uint64_t since_ns; /* then */
	uint64_t next_ns;  /* not before this time again */
};

/* One look, to be made some times a second. `thread` is in round_sample; *s is zero at its
 * start. */
void starving_look(struct starving *s, const struct round *r, pthread_t thread);

#endif
