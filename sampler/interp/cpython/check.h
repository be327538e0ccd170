/* Is what was found of a CPython true in the running process? */
#ifndef SAMPLER_INTERP_CPYTHON_CHECK_H
#define SAMPLER_INTERP_CPYTHON_CHECK_H

#include <stdbool.h>

struct cpython;
struct error;
struct memory;

/* Compares *python with the live data, sets code_type, and removes what is not certain (the GIL).
 * ERR_BUSY: there is no thread to compare with yet; ERR_FORMAT: it contradicts. The process runs
 * meanwhile. */
int cpython_check(struct cpython *python, const struct memory *memory, bool known,
		  struct error *why);

#endif
