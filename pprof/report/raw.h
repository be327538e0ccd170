/* A profile as it is in its file: pprof -raw. */
#ifndef PPROF_REPORT_RAW_H
#define PPROF_REPORT_RAW_H

#include "pprof/view.h"

/* The view is ignored. */
report_writer report_raw;

#endif
