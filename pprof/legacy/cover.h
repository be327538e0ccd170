/* Assigns addresses to the mappings that hold them, by google/pprof's rules
 * (Profile.remapMappingIDs). */
#ifndef PPROF_LEGACY_COVER_H
#define PPROF_LEGACY_COVER_H

#include <stddef.h>
#include <stdint.h>

struct legacy;

/* Stores the id of each address's mapping in ids[], in the order of the addresses; for an
 * address 0, ids[] is left as it is. Mappings may be extended downwards, and a mapping of
 * everything is added if an address has none. ERR_FORMAT when more than 256 mappings end
 * before they begin; ERR_NOMEM. */
int legacy_cover(struct legacy *l, const uint64_t *addresses, size_t count, uint32_t *ids);

#endif
