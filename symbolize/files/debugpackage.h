/* Names the package that has a build's debug information. */
#ifndef SYMBOLIZE_FILES_DEBUGPACKAGE_H
#define SYMBOLIZE_FILES_DEBUGPACKAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { DEBUGPACKAGE_ROOM = 128 };

/* Where apt keeps its lists. */
#define DEBUGPACKAGE_LISTS "/var/lib/apt/lists"

/* By apt's lists in `folder`: the package whose "Build-Ids:" (deb-control(5)) have `build_id`, in
 * hexadecimal digits. Reads tens of megabytes. False: none has it, or no list can be read. */
bool debugpackage_find(const char *folder, const char *build_id, char name[DEBUGPACKAGE_ROOM]);

#endif
