/*
 * What a flame graph is made of, between the files that make one: the tree of stacks, and
 * which of its nodes are shown.
 *
 * A page holds at most FLAME_NODES nodes, so that it opens at once whatever the profile:
 * the widest ones, by the largest of their shares in the totals of the values shown, and
 * if that does not decide it (one stack, a million deep) those nearest the root. What is
 * left out stands below its caller as one nameless frame, so that nobody takes it for the
 * caller's own.
 */
#ifndef REPORT_FLAME_H
#define REPORT_FLAME_H

#include "report/calltree.h"
#include "report/view.h"

struct frames;

enum { FLAME_NODES = 100000, FLAME_TYPES = 8 };

struct flame {
	const struct profile *p;
	const struct report_view *v;
	struct frames *frames;
	struct calltree tree;  /* columns: types, and of a difference, SIDES of each */
	size_t types[FLAME_TYPES], type_count; /* v->type among them */
	size_t shown;	       /* index in types of v->type */
	bool difference;
	uint32_t *rank;	       /* by frame: the order of siblings */
	bool *kept;	       /* by node */
	size_t kept_count;
	int16_t *hues;	       /* by string of a module or file */
};

/* All of it. As report_writers. To be released in any case. */
int flame_init(struct flame *f, const struct profile *p, const struct report_view *v,
	       struct error *err);
void flame_release(struct flame *f);

/* Its parts: what to keep, and in which colours. ERR_NOMEM. */
int flame_choose(struct flame *f);
int flame_choose_hues(struct flame *f);

/* A node's value of a type shown, on a side (enum difference_side). */
int64_t flame_total(const struct flame *f, uint32_t node, size_t type, int side);
int64_t flame_self(const struct flame *f, uint32_t node, size_t type, int side);

/* The node after this one among those that are kept, as calltree_next. */
uint32_t flame_next(const struct flame *f, uint32_t node);

/* 0 to 359, by the frame's module (without one: its file); -1 when neither is known. */
int flame_hue(const struct flame *f, uint32_t frame);

/* Appends what the page's script reads: see data_add() in report/flamedata.c. ERR_NOMEM. */
int flame_add_data(const struct flame *f, struct buffer *json);

/* Appends the picture for where no script runs: boxes of SVG, and its height in pixels
 * for a width of FLAME_WIDTH through *height. ERR_NOMEM. */
enum { FLAME_WIDTH = 1200 };
int flame_add_picture(const struct flame *f, const char *title, struct buffer *svg,
		      unsigned *height);

#endif
