/* One instruction, and what it does with a variable. Each architecture has its own. */
#ifndef GORUNTIME_GOINSN_H
#define GORUNTIME_GOINSN_H

#include <stddef.h>
#include <stdint.h>

#include "goruntime/gouses.h"

/* The instruction at an address, whose bytes and `len` - its own more are there: how many bytes
 * to step on, at least 1. use->kind stays 0 for one that does nothing with variables. */
size_t goinsn_use(const uint8_t *code, size_t len, uint64_t address, struct gouse *use);

#endif
