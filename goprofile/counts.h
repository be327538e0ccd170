/*
 * Stacks counted: how often each was told, with which labels; goroutines, threads, custom
 * profiles (runtime/pprof/pprof.go, printCountProfile).
 */
#ifndef GOPROFILE_COUNTS_H
#define GOPROFILE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "goprofile/labelsets.h"

struct buffer;
struct builder;
struct pcframes;

struct counted {
	size_t first, count; /* in pcs */
	uint32_t labels;     /* 1 + index in labels.sets; 0: none */
	bool unavailable;    /* the stack could not be read: pcs are where it begins */
	int64_t times;
};

struct counts {
	struct counted *stacks;
	uint64_t *pcs;
	struct labelsets labels;
	struct hashindex index;
	size_t count, room, pc_count, pc_room;
	uint64_t total;
};

/* {0} is empty. */
void counts_release(struct counts *c);

/* Pcs of all different stacks together; a hostile program could go on for ever. */
enum { COUNTS_PCS_MAX = 1 << 26 };

/* Counts a stack once more; `labels` is of c->labels. ERR_LIMIT, ERR_NOMEM. */
int counts_add(struct counts *c, const uint64_t *pcs, size_t count, uint32_t labels,
	       bool unavailable);

/* The most frequent first, then by text (keysByCount). Then nothing can be added any more. */
void counts_sort(struct counts *c);

/* A sample for each, in the builder's profile, which has one type. ERR_NOMEM. */
int counts_build(struct counts *c, struct builder *b);

/* debug=1: "NAME profile: total N" and each stack. ERR_NOMEM. */
int counts_text(struct counts *c, const char *name, struct pcframes *frames, struct buffer *out);

#endif
