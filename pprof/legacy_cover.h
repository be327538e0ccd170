/* Addresses -> the mappings that hold them, by google/pprof's rules
 * (Profile.remapMappingIDs). */
#ifndef PPROF_LEGACY_COVER_H
#define PPROF_LEGACY_COVER_H

#include <stddef.h>
#include <stdint.h>

struct legacy;

/* For each address, in this order, the id of its mapping through ids[]; 0 for address 0.
 * Mappings may be extended downward, and one of everything is added where an address has
 * none. ERR_FORMAT when too many mappings end before they begin; ERR_NOMEM. */
int legacy_cover(struct legacy *l, const uint64_t *addresses, size_t count, uint32_t *ids);

#endif
