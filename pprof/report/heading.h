/* Writes the heading of a report: which profile it is, and how much of it is shown. */
#ifndef PPROF_REPORT_HEADING_H
#define PPROF_REPORT_HEADING_H

#include <stddef.h>
#include <stdint.h>

struct printer;
struct graph;
struct profile;
struct report_view;

/* Appends the profile's lines: file, type and time in one, duration and total in another. With
 * v->verbose: file, build ID, comments, type, documentation, time, duration and total, as
 * report.go's ProfileLabels does. Then, if the samples are few, what they cannot tell
 * (pprof/few.h). Values are shown in `unit`. */
void heading_profile(const struct profile *p, const struct report_view *v, int64_t total,
		     const char *unit, struct printer *out);

/* The same lines, the filters, and how much is shown, with v->verbose as reportLabels does. */
void heading_graph(const struct graph *g, const struct report_view *v, const char *unit,
		   struct printer *out);

/* Of these lines, the program's, file and build ID; and the filters. */
void heading_program(const struct profile *p, struct printer *out);
void heading_filters(const struct report_view *v, struct printer *out);

/* The program's file, without its folder, not NUL-terminated. *len is 0 if it has no name. */
const char *heading_program_name(const struct profile *p, size_t *len);

/* How many samples a profile is of, by its column samples/count; 0: not known, or of wall time,
 * where one look at a thread that sleeps stands for all of its sleep. */
int64_t heading_samples(const struct profile *p);

/* The unit of the view's sample type in the profile. */
const char *heading_unit(const struct profile *p, const struct report_view *v);

#endif
