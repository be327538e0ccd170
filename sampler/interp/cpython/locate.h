/* Where a CPython is in an ELF file, and which release it is. */
#ifndef SAMPLER_INTERP_CPYTHON_LOCATE_H
#define SAMPLER_INTERP_CPYTHON_LOCATE_H

#include <stdbool.h>
#include <stdint.h>

struct cpython;
struct error;
struct image;

/* Fills *python but for what only live data tells; code_type is 0 if the file does not export it.
 * *known: the release is one of the table's. ERR_NOTFOUND: there is none in the file; ERR_FORMAT: it
 * cannot be read, and `why` says why; ERR_NOMEM. */
int cpython_locate(struct cpython *python, const struct image *image, uint64_t bias, bool *known,
		   struct error *why);

#endif
