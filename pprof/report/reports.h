/* The reports, each in the file of its name. */
#ifndef PPROF_REPORT_REPORTS_H
#define PPROF_REPORT_REPORTS_H

#include "pprof/view.h"

/* A profile's nodes by cost: pprof -top. */
report_writer report_top;

/* Each node with its callers and callees: pprof -tree. If the view has a pattern, only those with a
 * matching name: pprof -peek. ERR_NOTFOUND: there is none. */
report_writer report_tree;

/* The tree of calls from the outermost frames inward: --calls. */
report_writer report_calls;

/* Every sample with its stack: pprof -traces. */
report_writer report_traces;

/* A profile as it is in its file: pprof -raw. The view is ignored. */
report_writer report_raw;

/* A profile's labels, each with the cost of its samples: pprof -tags (internal/report/report.go,
 * printTags). All labels are shown. */
report_writer report_tags;

/* The time that threads waited for locks, by lock and by the stack of the thread that held it, from
 * the labels of a wall profile (sampler/profile/locklabels.h): --locks. ERR_NOTFOUND: no sample
 * waits for a lock. */
report_writer report_locks;

/* The time that threads of a wall profile waited, by what for: --waits. ERR_NOTFOUND: none did. */
report_writer report_waits;

/* The same as JSON, one object, described in docs/report.schema.json. Values are raw, in the unit
 * of the sample type, and all rows have the parts of their names, too. report_tree_json has the
 * callers and callees of each row; report_locks_json and report_waits_json
 * all stacks. The view must have a selection.
 * ERR_LIMIT: longer than PRINTER_MAX (base/printer.h). */
report_writer report_top_json;
report_writer report_tree_json;
report_writer report_locks_json;
report_writer report_waits_json;

#endif
