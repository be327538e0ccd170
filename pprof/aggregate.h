/* Removes detail from a profile, so that more frames are equal. */
#ifndef PPROF_AGGREGATE_H
#define PPROF_AGGREGATE_H

struct profile;

/* What is kept. Without KEEP_LINES columns are removed, too. */
enum {
	KEEP_INLINES = 1, /* else only the outermost function of each location stays */
	KEEP_FUNCTIONS = 2,
	KEEP_FILENAMES = 4,
	KEEP_LINES = 8,
	KEEP_COLUMNS = 16,
	KEEP_ADDRESSES = 32,
	KEEP_ALL = 63,
};

/* google/pprof's Profile.Aggregate (profile/profile.go), in place: what is not in `keep`
 * becomes "" or 0. Functions and locations that become equal are not merged. */
void profile_aggregate(struct profile *p, unsigned keep);

#endif
