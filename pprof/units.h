/*
 * Units of measurement and how they convert: the tables and rules of google/pprof's
 * internal/measurement. What a report prints and what a range like 32kb:1mb matches in a
 * tag both stand on it, and must be what pprof prints and matches.
 */
#ifndef PPROF_UNITS_H
#define PPROF_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* measurement.Scale: `value` counted in unit `from`, in unit `to`; "auto" and "minimum"
 * choose the largest unit in which it is at least 1. *unit is the name of the unit it came
 * out in: a canonical one ("kB", "ms"), `to` itself where `from` is not known, "" for what
 * needs no name ("count"). Where `to` does not belong to from's kind, the kind's own
 * default. Aliases ("kilobytes", "usec") count, upper and lower case alike. */
double units_scale(int64_t value, const char *from, const char *to, const char **unit);

/* True when both are known units of one kind (bytes, time, GCU). */
bool units_compatible(const char *a, const char *b);

/* How many `to` one `from` is: 1000 from "ms" to "us". 1 when they are not compatible. */
double units_ratio(const char *from, const char *to);

#endif
