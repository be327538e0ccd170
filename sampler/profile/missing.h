/* Which modules had no symbols, and what to do about it. */
#ifndef SAMPLER_PROFILE_MISSING_H
#define SAMPLER_PROFILE_MISSING_H

#include <stdbool.h>
#include <stddef.h>

struct locations;

/* Writes in one line which modules had no symbols for the samples that were counted
 * (locations_count_leaf), most first, and what to do about it; "" if there is none that matters.
 * `asked_network`: debug files were asked for by --debuginfod. */
void missing_symbols(const struct locations *p, bool asked_network, char *text, size_t room);

#endif
