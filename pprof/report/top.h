/* A profile's nodes by cost: pprof -top. */
#ifndef PPROF_REPORT_TOP_H
#define PPROF_REPORT_TOP_H

#include "pprof/view.h"

report_writer report_top;

#endif
