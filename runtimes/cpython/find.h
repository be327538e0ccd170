/* Finding a CPython: what its file tells (locate.c), and whether the running process agrees
 * (check.c).
 */
#ifndef RUNTIMES_CPYTHON_FIND_H
#define RUNTIMES_CPYTHON_FIND_H

#include <stdint.h>

struct cpython;
struct error;
struct image;
struct memory;

/* Fills *python but for what only live data tells; code_type is 0 if the file does not export it.
 * ERR_NOTFOUND: there is none in the file; ERR_FORMAT: it
 * cannot be read, and `why` says why; ERR_NOMEM. */
int cpython_locate(struct cpython *python, const struct image *image, uint64_t bias,
		   struct error *why);

/* Compares *python with the live data, sets code_type and main, and removes what is not certain
 * (the GIL). ERR_BUSY: there is no thread to compare with yet; ERR_FORMAT: it contradicts. The
 * process runs meanwhile. */
int cpython_check(struct cpython *python, const struct memory *memory, struct error *why);

#endif
