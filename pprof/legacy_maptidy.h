/* A memory map as it was read -> as google/pprof's massageMappings leaves it, and the
 * beginning of its remapMappingIDs. */
#ifndef PPROF_LEGACY_MAPTIDY_H
#define PPROF_LEGACY_MAPTIDY_H

struct legacy;

/* Joins neighbours that are pieces of one mapping, puts the program's own first, takes a
 * mapping of huge pages from before it, and moves its start to where it was linked for.
 * ERR_NOMEM. */
int maps_tidy(struct legacy *l);

#endif
