/*
 * What a flame graph is made of: the tree of stacks of one sample type, with colours, for the
 * static picture; and the profile itself, for the script of the page.
 */
#ifndef PPROF_FLAME_FLAME_H
#define PPROF_FLAME_FLAME_H

#include "pprof/graph/calltree.h"
#include "pprof/view.h"

struct frames;

struct flame {
	const struct profile *p;
	const struct report_view *v;
	struct frames *frames;
	struct calltree tree; /* columns: v->type, SIDES of it for a difference */
	bool difference;
	uint32_t *rank; /* by frame: its place among siblings */
	int16_t *hues;	/* by string (frames_strings) of a module or file: degrees, or -1 */
};

/* Fills all of *f from `p` and `v`, which must outlive it. Errors as for report_writer. The caller
 * calls flame_release, after an error too. */
int flame_init(struct flame *f, const struct profile *p, const struct report_view *v,
	       struct error *err);
void flame_release(struct flame *f);

/* Part of flame_init: chooses the colours. ERR_NOMEM. */
int flame_choose_hues(struct flame *f);

/* A node's total and own value; `side` is an enum difference_side. */
int64_t flame_total(const struct flame *f, uint32_t node, int side);
int64_t flame_self(const struct flame *f, uint32_t node, int side);

/* The frame's hue, 0 to 359, by its module or, if that is unknown, its file; -1 if both are
 * unknown. */
int flame_hue(const struct flame *f, uint32_t frame);

/* Appends the JSON that the page's script reads; pprof/flame/data.c describes it. ERR_NOMEM. */
int flame_add_data(const struct profile *p, const struct report_view *v, const char *title,
		   struct buffer *json, struct error *err);

/* Appends the picture that is shown where no script runs: boxes as SVG. Its width is FLAME_WIDTH
 * pixels, its height is returned in *height. ERR_NOMEM, ERR_LIMIT. */
enum { FLAME_WIDTH = 1200 };
int flame_add_picture(const struct flame *f, const char *title, struct buffer *svg,
		      unsigned *height, struct error *err);

#endif
