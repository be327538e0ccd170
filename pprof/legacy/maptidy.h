/* Does what google/pprof's massageMappings, and the beginning of its remapMappingIDs, do with a
 * memory map that was read. */
#ifndef PPROF_LEGACY_MAPTIDY_H
#define PPROF_LEGACY_MAPTIDY_H

struct legacy;

/* Joins neighbours that are pieces of one mapping, puts the program's own mapping first, removes
 * a mapping of huge pages before the program's, and, if the program was linked for 0x400000,
 * lets its mapping begin there at file offset 0. ERR_NOMEM. */
int maps_tidy(struct legacy *l);

#endif
