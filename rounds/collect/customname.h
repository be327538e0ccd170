/*
 * Names of profiles that a program registered, encoded as part of a file's name.
 *
 * Go's own advice is to put the import path in front ("github.com/x/y.queries"), so slashes are
 * common. Letters, digits and "._-" stand for themselves, other bytes are written as in URLs,
 * "%2F": two names never become one.
 */
#ifndef ROUNDS_COLLECT_CUSTOMNAME_H
#define ROUNDS_COLLECT_CUSTOMNAME_H

#include <stdbool.h>

enum { CUSTOMNAME_MAX = 200 }; /* bytes: NAME_MAX less "custom-" and ".pprof", and some */

/* False: the encoded name does not fit into CUSTOMNAME_MAX bytes, is empty, or no URL below an
 * endpoint can hold it ("..", "a//b"). `out` then holds what fits of it. */
bool customname_encode(const char *name, char out[CUSTOMNAME_MAX + 1]);

/* Could customname_encode have made it? */
bool customname_good(const char *encoded);

#endif
