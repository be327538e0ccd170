/* The descriptors that members leave for all else. */
#ifndef SAMPLER_MEMBER_RESERVE_H
#define SAMPLER_MEMBER_RESERVE_H

#include <stddef.h>

struct error;
struct member;

/* Checks that with member `m` open, descriptors are left for what is no member's (tickers, maps,
 * symbols, the output), and for the start of `waiting` members, which are open but not started.
 * ERR_IO. */
int reserve_keep(const struct member *m, size_t waiting, struct error *err);

#endif
