/* Offsets by release. */
#ifndef RUNTIMES_CPYTHON_RELEASES_H
#define RUNTIMES_CPYTHON_RELEASES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtimes/cpython/layout.h"

enum { CPYTHON_DEBUG_WORDS = 96 }; /* of _Py_DebugOffsets, more than are used */

/* Sets python->layout and .is_new by python->version and .free_threaded. `debug` is what _PyRuntime
 * begins with, CPYTHON_DEBUG_WORDS words of the file, from 3.13 on; NULL: it has none.
 * ERR_NOTFOUND: this release is older than 3.6; ERR_FORMAT: an offset in `debug` is too large, or
 * the release is newer than the table and has no `debug`. With `debug` a newer release is read by
 * the table's last column, is_new is set, and live data has to confirm it. */
int cpython_layout_set(struct cpython *python, const uint64_t *debug);

/* Reads the head of such words: the version, as PY_VERSION_HEX has it, and whether it is a
 * free-threaded build. False: they are no debug offsets. */
bool cpython_debug_version(const uint64_t *debug, uint32_t *hex, bool *free_threaded);

#endif
