/*
 * Removes uninteresting frames from the leaf end of stacks: google/pprof's profile/prune.go. All
 * functions work in place, as in pprof/select/filter.h, and simplify names as in
 * pprof/select/matches.h. All return 0, ERR_NOMEM or an error of pattern_match
 * (pprof/select/pattern.h). After an error the profile is unchanged.
 */
#ifndef PPROF_SELECT_PRUNE_H
#define PPROF_SELECT_PRUNE_H

struct error;
struct pattern;
struct profile;

/* Removes the first function, from the root on, that matches drop and not keep (NULL: none), with
 * all its callees. Matching frames at the root, before any other frame, stay. No sample is
 * removed. */
int prune(struct profile *p, const struct pattern *drop, const struct pattern *keep,
	  struct error *err);

/* Removes all callees of the innermost function that matches (PruneFrom). */
int prune_from(struct profile *p, const struct pattern *from, struct error *err);

/* prune() with the profile's own drop_frames and keep_frames, which match whole names
 * (RemoveUninteresting). They come from the file: if they are invalid or take too long, the
 * profile is unchanged and the error says why; pprof shows such a profile unchanged, too. */
int prune_uninteresting(struct profile *p, struct error *err);

#endif
