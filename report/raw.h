/* A profile as it stands in its file: pprof -raw. */
#ifndef REPORT_RAW_H
#define REPORT_RAW_H

#include "report/view.h"

/* What the view says does not matter here. */
report_writer report_raw;

#endif
