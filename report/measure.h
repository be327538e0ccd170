/*
 * Values in words: google/pprof's internal/measurement/measurement.go, number by number.
 */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include <stdint.h>

/* Long enough for any value and a unit of MEASURE_UNIT_MAX bytes. */
enum { MEASURE_UNIT_MAX = 64, MEASURE_MAX = 400 };

/* A value of unit `from` in unit `to` (pprof/units.h), two digits behind the point unless
 * they are 0, "0" without a unit; a longer unit is cut. Returns `text`, of MEASURE_MAX bytes. */
const char *measure_label(int64_t value, const char *from, const char *to, char *text);

/* A share of a total, "  100%" or "12.34%" or " 0.12%", always without a sign. */
const char *measure_percent(int64_t value, int64_t total, char *text);

/* Sums of foreign numbers stay at the end of the range where they would leave it;
 * google/pprof wraps around. */
int64_t measure_sum(int64_t a, int64_t b);
int64_t measure_magnitude(int64_t value);

/* (int64)(value * share), within the range. */
int64_t measure_share(int64_t value, double share);

#endif
