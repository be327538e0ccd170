/* Less detail in a profile, for all who then take frames for equal. */
#ifndef PPROF_AGGREGATE_H
#define PPROF_AGGREGATE_H

struct profile;

/* What stays. Columns go with lines. */
enum {
	KEEP_INLINES = 1, /* else a location is the function that all else is inlined into */
	KEEP_FUNCTIONS = 2,
	KEEP_FILENAMES = 4,
	KEEP_LINES = 8,
	KEEP_COLUMNS = 16,
	KEEP_ADDRESSES = 32,
	KEEP_ALL = 63,
};

/* google/pprof's Profile.Aggregate (profile/profile.go), in place: what is not in `keep`
 * becomes "" or 0. Functions and locations that come to be equal stay apart. */
void profile_aggregate(struct profile *p, unsigned keep);

#endif
