/*
 * Units of values, as far as profiles of different units are brought together.
 *
 * The names and factors are google/pprof's (internal/measurement/measurement.go,
 * UnitTypes): capitals do not matter, nor a plural's s behind more than two
 * characters.
 */
#ifndef PPROF_UNITS_H
#define PPROF_UNITS_H

#include <stdbool.h>

/* Can values in one be converted to the other? Equal names always can. */
bool units_convertible(const char *a, const char *b);

/* How many `to` one `from` is: 1000 from "ms" to "us". 1 when they cannot be converted. */
double units_ratio(const char *from, const char *to);

#endif
