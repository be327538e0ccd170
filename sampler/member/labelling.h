/*
 * The labels of samples, beside those of their threads: pprof labels of the goroutines that sampled
 * threads run, and what interpreters tell.
 *
 * While a thread is held, the read that copies its stack also fetches which goroutine it runs and
 * where that goroutine's label set is (runtimes/go/thread.h), and no more. The labels themselves
 * are read after the thread has been released. A set never changes, and it is not freed before the
 * end of a GC that found it dead. So labels are right if no GC has ended from before the request to
 * stop until after the labels were read. As long as no GC ends, they need not be read again. If one
 * has ended, labels are right if the goroutine still has that set. If neither holds, the sample
 * goes without labels and is counted.
 */
#ifndef SAMPLER_MEMBER_LABELLING_H
#define SAMPLER_MEMBER_LABELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"

struct gothread_goroutine;
struct member;

/* The distinct label sets, each as bytes; number 0 is the set without labels. */
struct labelling {
	struct strset sets;
};

/* ERR_NOMEM. */
int labelling_init(struct labelling *l);
void labelling_release(struct labelling *l);

/* Prepares a member for reading labels, after a search for its Go runtime; what an earlier runtime
 * needed is freed. ERR_NOMEM. */
int labelling_begin(struct member *m);

/* A number of the present moment, counted in the member's GCs: between two equal moments no GC has
 * ended. 0: not known, or not needed because no goroutine with labels was seen yet. */
uint64_t labelling_moment(const struct member *m);

/* Reads the labels of a goroutine that a thread of the member was running; *set is their number.
 * `moment` is what labelling_moment returned before the goroutine was found. ERR_FORMAT: the labels
 * could not be read, or may no longer be that goroutine's; ERR_NOMEM. */
int labelling_read(struct labelling *l, struct member *m,
		   const struct gothread_goroutine *goroutine, uint64_t moment, uint32_t *set);

/* The set that has all labels of *set and this one, which replaces *set. ERR_NOMEM. */
int labelling_add(struct labelling *l, const char *key, const char *value, uint32_t *set);

struct labelling_label {
	const char *key, *value; /* may hold NULs */
	size_t key_len, value_len;
};

/* Goes through a set's labels: *at is 0 at first. False at the end. The texts are borrowed until
 * labelling_release. */
bool labelling_next(const struct labelling *l, uint32_t set, size_t *at,
		    struct labelling_label *label);

#endif
