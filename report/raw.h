/* A profile as it is in its file: pprof -raw. */
#ifndef REPORT_RAW_H
#define REPORT_RAW_H

#include "report/view.h"

/* The view is ignored. */
report_writer report_raw;

#endif
