/* Offsets by release. */
#ifndef RUNTIMES_CPYTHON_RELEASES_H
#define RUNTIMES_CPYTHON_RELEASES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtimes/cpython/layout.h"

enum { CPYTHON_DEBUG_WORDS = 96 }; /* of _Py_DebugOffsets, more than are used */

/* Sets python->layout and .is_new by python->version and .free_threaded. `debug` is what _PyRuntime
 * begins with, CPYTHON_DEBUG_WORDS words of the file, from 3.13 on; NULL: it has none.
 * ERR_NOTFOUND: this release is older than 3.6; ERR_FORMAT: the offsets contradict each other. A
 * release later than those in the table is taken for the last of them, is_new is set, and live data
 * has to confirm it. */
int cpython_layout_set(struct cpython *python, const uint64_t *debug);

/* The same for `words` of a file, which begin with _PyRuntime: the version, as PY_VERSION_HEX has
 * it, and whether it is a free-threaded build. False: there are no debug offsets. */
bool cpython_debug_version(const uint64_t *debug, uint32_t *hex, bool *free_threaded);

#endif
