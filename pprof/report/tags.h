/* A profile's labels, each with the cost of its samples: pprof -tags
 * (internal/report/report.go, printTags). A report_writer; it shows all labels. */
#ifndef PPROF_REPORT_TAGS_H
#define PPROF_REPORT_TAGS_H

#include "pprof/view.h"

int report_tags(const struct profile *p, const struct report_view *v, struct buffer *out,
		struct error *err);

#endif
