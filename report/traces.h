/* Every sample with its stack: pprof -traces. */
#ifndef REPORT_TRACES_H
#define REPORT_TRACES_H

#include "report/view.h"

report_writer report_traces;

#endif
