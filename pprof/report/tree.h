/* Each node with its callers and callees: pprof -tree, and -peek. */
#ifndef PPROF_REPORT_TREE_H
#define PPROF_REPORT_TREE_H

#include "pprof/view.h"

/* The tree of calls from the outermost frames inward: --calls (calls.c). */
report_writer report_calls;

/* Shows all nodes or, if the view has a pattern, those with a matching name. ERR_NOTFOUND: none. */
report_writer report_tree;

#endif
