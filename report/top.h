/* A profile -> its functions by cost, with the numbers of `pprof -top`. */
#ifndef REPORT_TOP_H
#define REPORT_TOP_H

#include <stddef.h>
#include <stdint.h>

#include "report/view.h"

struct error;
struct profile;

struct report_row {
	const char *name; /* owned by the profile, or by the report */
	int64_t flat;	  /* in the function itself */
	int64_t cum;	  /* in it and what it called, each sample once */
};

struct report_top {
	struct report_row *rows; /* by flat, then cum, descending, then by name; owned */
	size_t count;
	int64_t total; /* of all samples; negative ones (a difference) count as positive */
	char *names; /* memory of names made here; owned */
};

/* Adds up the values of sample type `type` (an index). What has no function is
 * counted for its mapping, "[libfoo.so]", or "<unknown>"; a name all of whose
 * values are 0 has no row. Order goes by magnitude. ERR_USAGE for a type that is
 * not there, ERR_NOMEM. The profile must outlive the report. */
int report_top_rows(const struct profile *p, size_t type, struct report_top *top, struct error *err);
void report_top_release(struct report_top *top);

/* A report_writer. */
int report_top(const struct profile *p, const struct report_view *v, struct buffer *out,
	       struct error *err);

#endif
