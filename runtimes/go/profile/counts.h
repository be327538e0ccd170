/*
 * Counts how often each stack occurs with which labels, for goroutines, threads and custom profiles
 * (runtime/pprof/pprof.go, printCountProfile).
 */
#ifndef RUNTIMES_GO_PROFILE_COUNTS_H
#define RUNTIMES_GO_PROFILE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "runtimes/go/session/labelsets.h"

struct buffer;
struct builder;
struct pcframes;

struct gocounts {
	size_t first, count; /* in pcs */
	uint32_t labels;     /* 1 + index in labels.sets; 0: none */
	bool unavailable;    /* the stack could not be read: its pc is where the goroutine begins */
	int64_t times;
};

struct counts {
	struct gocounts *stacks;
	uint64_t *pcs;
	struct labelsets labels;
	struct hashindex index;
	size_t count, room, pc_count, pc_room;
	uint64_t total;
};

/* {0} is empty. */
void counts_release(struct counts *c);

/* The most pcs of all distinct stacks: a hostile program could have any number. */
enum { COUNTS_PCS_MAX = 1 << 26 };

/* Counts a stack; `labels` as in struct gocounts. ERR_LIMIT: over COUNTS_PCS_MAX; ERR_NOMEM. */
int counts_add(struct counts *c, const uint64_t *pcs, size_t count, uint32_t labels,
	       bool unavailable);

/* Sorts by count, descending, then by text (keysByCount). After that no stack can be added. */
void counts_sort(struct counts *c);

/* Adds a sample for each stack to the builder's profile, which has one sample type. ERR_NOMEM. */
int counts_build(struct counts *c, struct builder *b);

/* Appends the text of debug=1: "NAME profile: total N" and each stack. ERR_NOMEM. */
int counts_text(struct counts *c, const char *name, struct pcframes *frames, struct buffer *out);

#endif
