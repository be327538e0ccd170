/* Sorts strings, so that output does not depend on the order of samples. */
#ifndef PPROF_FLAME_RANK_H
#define PPROF_FLAME_RANK_H

#include <stdint.h>

struct strset;

/* Sets *rank to an array: by string number, the string's place when all are sorted byte by byte.
 * The caller frees the array with free(). ERR_NOMEM. */
int rank_strings(const struct strset *s, uint32_t **rank);

#endif
