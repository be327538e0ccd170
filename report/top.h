/* A profile's nodes by cost: pprof -top. */
#ifndef REPORT_TOP_H
#define REPORT_TOP_H

#include "report/view.h"

report_writer report_top;

#endif
