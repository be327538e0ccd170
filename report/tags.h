/* A profile's labels, each with what the samples that have it cost: pprof -tags
 * (internal/report/report.go, printTags). A report_writer; it shows all labels. */
#ifndef REPORT_TAGS_H
#define REPORT_TAGS_H

#include "report/view.h"

int report_tags(const struct profile *p, const struct report_view *v, struct buffer *out,
		struct error *err);

#endif
