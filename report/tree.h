/* Each node with its callers and callees: pprof -tree, and -peek. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "report/view.h"

/* Shows all nodes or, if the view has a pattern, those with a matching name. ERR_NOTFOUND: none. */
report_writer report_tree;

#endif
