/*
 * How a profile is to be looked at, and the one signature of all that shows it.
 *
 * A report is a function from a profile and a view to text: it prints nothing, so that
 * the same one serves the terminal, a file and a test. What it gets has been read,
 * checked, filtered and pruned; names in it are foreign all the same, and reports let
 * no control character through.
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct pattern;
struct profile;

/* What makes two frames the same. The first four are pprof's -functions, -lines, -files
 * and -addresses; the last two are ours: the file that is mapped, and the sample's label
 * "thread". */
enum report_by {
	REPORT_BY_FUNCTION,
	REPORT_BY_LINE,
	REPORT_BY_FILE,
	REPORT_BY_ADDRESS,
	REPORT_BY_MODULE,
	REPORT_BY_THREAD,
};

struct report_view {
	size_t type;	  /* index of the sample type */
	const char *unit; /* as pprof's -unit; NULL: chosen by the values ("minimum") */
	size_t nodecount; /* 0: all */
	enum report_by by;
	bool cum;	       /* sort by cum */
	const char *title;     /* of a page; NULL: from the profile */
	unsigned width;	       /* columns that lines may take; 0: no limit */
	bool colour;
	double node_fraction;  /* share of the total below which a node is left out */
	double edge_fraction;  /* and an edge */
	int64_t total;	       /* what is 100 %; 0: the sum of this profile's values */
	const char *const *filters;	/* "focus=main" as the heading says; NULL at the end */
	struct pattern *pattern;	/* of --peek: the nodes to show; NULL: all */
};

/* Appends its text to `out`. ERR_NOMEM; ERR_LIMIT when it is too long (report/text.h);
 * ERR_NOTFOUND when the pattern fits nothing. */
typedef int report_writer(const struct profile *p, const struct report_view *v, struct buffer *out,
			  struct error *err);

#endif
