/* Reads the memory map behind a legacy profile: lines of /proc/PID/maps or of a shorter form,
 * and assignments "name=value", which replace $name in the lines below. */
#ifndef PPROF_LEGACY_MAPS_H
#define PPROF_LEGACY_MAPS_H

#include <stdbool.h>

#include "base/cursor.h"

struct legacy;
struct lines;

/* Does this line say that a memory map follows? */
bool maps_begin(const struct cursor *line);

/* Skips to the line for which maps_begin is true, starting with the current one, and reads the
 * map behind it, if there is one. ERR_FORMAT, ERR_LIMIT, ERR_NOMEM. */
int maps_find(struct legacy *l, struct lines *lines);

/* Reads mappings from all lines behind the current one and ignores other lines. Joins the
 * pieces of split mappings and puts the program's own mapping first, as google/pprof's
 * ParseMemoryMap does. The same errors. */
int maps_read(struct legacy *l, struct lines *lines);

#endif
