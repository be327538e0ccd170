/* Removes detail from a profile, so that more frames are equal. */
#ifndef PPROF_INLINES_H
#define PPROF_INLINES_H

struct profile;

/* Of the calls that were inlined at a location only the outermost stays, without its column, as
 * with pprof -noinlines (google/pprof's Profile.Aggregate, profile/profile.go); in place. Locations
 * that become equal are not merged. */
void profile_drop_inlines(struct profile *p);

#endif
