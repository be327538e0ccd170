/*
 * Takes from the front of a line what Go's fmt has put there. What is not there fails the cursor,
 * so a reader takes all parts of a line and checks once.
 */
#ifndef PPROF_LEGACY_SCAN_H
#define PPROF_LEGACY_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"

/* Takes the literal, or nothing. */
bool scan_take(struct cursor *c, const char *literal);

void scan_expect(struct cursor *c, const char *literal);

/* %d of a number from 0; of any. 0 if there is none. */
int64_t scan_count(struct cursor *c);
int64_t scan_number(struct cursor *c);

/* %x */
uint64_t scan_address(struct cursor *c);

#endif
