/* Names the package that has a build's debug information. */
#ifndef SYMBOLIZE_FILES_DEBUGPACKAGE_H
#define SYMBOLIZE_FILES_DEBUGPACKAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { DEBUGPACKAGE_ROOM = 128 };

/* Where apt keeps its lists. */
#define DEBUGPACKAGE_LISTS "/var/lib/apt/lists"

/* Looks through apt's lists in `folder` for the package with `build_id`, in hexadecimal digits,
 * among its "Build-Ids:" (deb-control(5)). Reads tens of megabytes. False: no list has it, or can
 * be read. */
bool debugpackage_find(const char *folder, const char *build_id, char name[DEBUGPACKAGE_ROOM]);

#endif
