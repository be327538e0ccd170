/* The memory map behind a legacy profile: lines of /proc/PID/maps or of a shorter form,
 * and assignments "name=value" that are put in for $name in the lines below. */
#ifndef PPROF_LEGACY_MAPS_H
#define PPROF_LEGACY_MAPS_H

#include <stdbool.h>

#include "base/cursor.h"

struct legacy;
struct lines;

/* Does this line say that a memory map follows? */
bool maps_begin(const struct cursor *line);

/* Goes on to the line that does, if there is one, from the present one on, and reads
 * what follows. ERR_FORMAT, ERR_LIMIT, ERR_NOMEM. */
int maps_find(struct legacy *l, struct lines *lines);

/* Reads all lines behind the present one as mappings; others are passed over. Mappings
 * that were split are joined, and the program's own comes first, as google/pprof's
 * ParseMemoryMap does. The same errors. */
int maps_read(struct legacy *l, struct lines *lines);

#endif
