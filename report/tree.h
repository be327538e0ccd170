/* Each node with who calls it and whom it calls: pprof -tree, and -peek. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "report/view.h"

/* All nodes, or, where the view has a pattern, those whose names match: ERR_NOTFOUND when
 * none does. */
report_writer report_tree;

#endif
