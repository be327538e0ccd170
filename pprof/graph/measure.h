/*
 * Writes values exactly as google/pprof's internal/measurement/measurement.go does.
 */
#ifndef PPROF_GRAPH_MEASURE_H
#define PPROF_GRAPH_MEASURE_H

#include <stdint.h>

/* Long enough for any value and a unit of MEASURE_UNIT_MAX bytes. */
enum { MEASURE_UNIT_MAX = 64, MEASURE_MAX = 400 };

/* Writes a value of unit `from` in unit `to` (pprof/units.h), with two digits behind the point
 * unless both are 0, and 0 as "0" without a unit. A unit of MEASURE_UNIT_MAX bytes or more is cut.
 * Returns `text`, which has MEASURE_MAX bytes. */
const char *measure_label(int64_t value, const char *from, const char *to, char *text);

/* Writes a share of a total: "  100%", "12.34%" or " 0.12%", always without a sign. Returns
 * `text`. */
const char *measure_percent(int64_t value, int64_t total, char *text);

/* The sum and the absolute value, saturated at the ends of the range; google/pprof wraps around. */
int64_t measure_sum(int64_t a, int64_t b);
int64_t measure_magnitude(int64_t value);

/* (int64)(value * share), saturated at the ends of the range. */
int64_t measure_share(int64_t value, double share);

#endif
