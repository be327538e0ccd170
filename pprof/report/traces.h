/* Every sample with its stack: pprof -traces. */
#ifndef PPROF_REPORT_TRACES_H
#define PPROF_REPORT_TRACES_H

#include "pprof/view.h"

report_writer report_traces;

#endif
