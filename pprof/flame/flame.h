/*
 * The data of a flame graph, shared by the files that make one: the tree of stacks, and which of
 * its nodes are shown.
 *
 * A page holds at most FLAME_NODES nodes, so that it opens at once whatever the profile. It holds
 * the widest ones: a node's width is the largest of its shares in the totals of the values shown.
 * If too many nodes are as wide as the root (one stack, a million deep), the page holds the ones
 * nearest to it. What is left out appears below its caller as one nameless frame, so that it is not
 * taken for the caller's own value.
 */
#ifndef PPROF_FLAME_FLAME_H
#define PPROF_FLAME_FLAME_H

#include "pprof/flame/calltree.h"
#include "pprof/view.h"

struct frames;

enum { FLAME_NODES = 100000, FLAME_TYPES = 8 };

struct flame {
	const struct profile *p;
	const struct report_view *v;
	struct frames *frames;
	struct calltree tree; /* columns: the types; SIDES of each for a difference */
	size_t types[FLAME_TYPES], type_count; /* v->type is among them */
	size_t shown;			       /* index in types of v->type */
	bool difference;
	uint32_t *rank; /* by frame: its place among siblings */
	bool *kept;	/* by node */
	size_t kept_count;
	int16_t *hues; /* by string (frames_strings) of a module or file: degrees, or -1 */
};

/* Fills all of *f from `p` and `v`, which must outlive it. Errors as for report_writer, and
 * ERR_USAGE: v->type is not in the profile. The caller calls flame_release, after an error too. */
int flame_init(struct flame *f, const struct profile *p, const struct report_view *v,
	       struct error *err);
void flame_release(struct flame *f);

/* Parts of flame_init: choose the nodes to keep and their colours. ERR_NOMEM. */
int flame_choose(struct flame *f);
int flame_choose_hues(struct flame *f);

/* A node's total and own value. `type` is an index in f->types, `side` an enum difference_side. */
int64_t flame_total(const struct flame *f, uint32_t node, size_t type, int side);
int64_t flame_self(const struct flame *f, uint32_t node, size_t type, int side);

/* Like calltree_next, but returns only nodes that are kept. */
uint32_t flame_next(const struct flame *f, uint32_t node);

/* The frame's hue, 0 to 359, by its module or, if that is unknown, its file; -1 if both are
 * unknown. */
int flame_hue(const struct flame *f, uint32_t frame);

/* Appends the JSON that the page's script reads; pprof/flame/data.c describes it. ERR_NOMEM. */
int flame_add_data(const struct flame *f, struct buffer *json);

/* Appends the picture that is shown where no script runs: boxes as SVG. Its width is FLAME_WIDTH
 * pixels, its height is returned in *height. ERR_NOMEM. */
enum { FLAME_WIDTH = 1200 };
int flame_add_picture(const struct flame *f, const char *title, struct buffer *svg,
		      unsigned *height);

#endif
