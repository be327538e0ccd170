/* Each node with its callers and callees: pprof -tree, and -peek. */
#ifndef PPROF_REPORT_TREE_H
#define PPROF_REPORT_TREE_H

#include "pprof/view.h"

/* Shows all nodes or, if the view has a pattern, those with a matching name. ERR_NOTFOUND: none. */
report_writer report_tree;

#endif
