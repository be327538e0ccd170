/*
 * Frames that nobody wants to see taken off the leaf's end of stacks: google/pprof's
 * profile/prune.go. In place, as in pprof/filter.h; names count as matches.h simplifies them.
 */
#ifndef PPROF_PRUNE_H
#define PPROF_PRUNE_H

struct error;
struct pattern;
struct profile;

/* From the root on, the first function that matches drop and not keep (NULL: none), and all it
 * called, go; but frames at the root before any other one stay. Samples stay, if with an empty
 * stack. */
int prune(struct profile *p, const struct pattern *drop, const struct pattern *keep,
	  struct error *err);

/* Of what the innermost function that matches has called, nothing stays (PruneFrom). */
int prune_from(struct profile *p, const struct pattern *from, struct error *err);

/* prune() by the profile's own drop_frames and keep_frames, which match whole names
 * (RemoveUninteresting). These come from the file: where they are no patterns, or take too
 * long, the profile stays as it is and the error says so; pprof shows it as it is, then. */
int prune_uninteresting(struct profile *p, struct error *err);

#endif
