/*
 * Converts units of measurement by the tables and rules of google/pprof's
 * internal/measurement. Reports use it for values, and tag filters for ranges such as 32kb:1mb;
 * both must agree with pprof.
 */
#ifndef PPROF_UNITS_H
#define PPROF_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* measurement.Scale: converts `value` from unit `from` to unit `to`. "auto" and "minimum" choose
 * the largest unit in which the value is at least 1. If `to` is not of from's kind, the kind's
 * default unit is used. *unit is the name of the result's unit: a canonical one ("kB", "ms"). If
 * `from` is unknown, it is `to` itself, or "" if `to` needs no name ("count"). *unit is static or
 * `to`. Aliases such as "kilobytes" are accepted, in upper and lower case. */
double units_scale(int64_t value, const char *from, const char *to, const char **unit);

/* True when both are known units of one kind (bytes, time, GCU). */
bool units_compatible(const char *a, const char *b);

/* How many units `to` one unit `from` is: 1000 from "ms" to "us". 1 if they are incompatible. */
double units_ratio(const char *from, const char *to);

#endif
