/*
 * Declares how a profile is shown, and the type of all functions that show one.
 *
 * A report is a function from a profile and a view to text. It prints nothing, so that the same
 * function serves the terminal, a file and a test. Its caller has read, checked, filtered and
 * pruned the profile. The profile's names are untrusted all the same, and reports let no control
 * character through.
 */
#ifndef PPROF_VIEW_H
#define PPROF_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct pattern;
struct profile;

/* What makes two frames the same. The first four are pprof's -functions, -lines, -files and
 * -addresses. The last two are our own: the mapped file, and the sample's label "thread". */
enum report_by {
	REPORT_BY_FUNCTION,
	REPORT_BY_LINE,
	REPORT_BY_FILE,
	REPORT_BY_ADDRESS,
	REPORT_BY_MODULE,
	REPORT_BY_THREAD,
};

/* What JSON tells of how a profile was selected, beyond the view. */
struct report_choice {
	const char *option, *value; /* without dashes: "focus", "main" */
};

struct report_selection {
	const char *file; /* the profile's; any bytes; NULL: not known */
	bool no_inline, no_native;
	const struct report_choice *choices; /* the last has option NULL */
};

struct report_view {
	size_t type;	  /* index of the sample type */
	const char *unit; /* as pprof's -unit; NULL: chosen by the values ("minimum") */
	size_t nodecount; /* 0: all */
	enum report_by by;
	bool cum;	  /* sort by cum */
	bool verbose;	  /* the whole heading, as pprof has it, and not three lines */
	const char *note; /* ends the line of how much is shown; NULL: nothing */
	unsigned width;	  /* columns that lines may take; 0: no limit */
	bool colour;
	double node_fraction;	    /* nodes below this share of the total are left out */
	double edge_fraction;	    /* edges below this share are left out */
	int64_t total;		    /* what is 100 %; 0: the sum of this profile's values */
	int64_t samples;	    /* that the total is of; 0: those of this profile */
	const char *const *filters; /* for the heading, such as "focus=main"; ends with NULL */
	struct pattern *pattern;    /* of --peek: the nodes to show; NULL: all */
	const struct report_selection *selection; /* for JSON, which requires it */
	const uint32_t *label_units; /* labels_units() before filtering; for labels with numbers */
};

/* Appends its text to `out`. ERR_NOMEM; ERR_LIMIT: the text is too long (base/printer.h);
 * ERR_NOTFOUND: no name matches the pattern. */
typedef int report_writer(const struct profile *p, const struct report_view *v, struct buffer *out,
			  struct error *err);

#endif
