/* The order of names, so that what is written does not depend on the order of samples. */
#ifndef REPORT_RANK_H
#define REPORT_RANK_H

#include <stdint.h>

struct strset;

/* By string number: its place when all are sorted by their bytes. Through *rank, to be
 * freed. ERR_NOMEM. */
int rank_strings(const struct strset *s, uint32_t **rank);

#endif
