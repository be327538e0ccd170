/*
 * What the linker records in every Go program: the release, and how it was built.
 *
 * Source: debug/buildinfo/buildinfo.go, Go 1.18 to 1.27.
 */
#ifndef RUNTIMES_GO_FIND_BUILDINFO_H
#define RUNTIMES_GO_FIND_BUILDINFO_H

#include <stdbool.h>
#include <stddef.h>

struct image;

/* The release as runtime.Version returns it, printable, cut to `room` and ended by a NUL. False:
 * there is none. */
bool gobuildinfo_version(const struct image *image, char *version, size_t room);

/* The GODEBUG settings that the program was built with ("a=1,b=0"; runtime.godebugDefault), cut to
 * `room` and ended by a NUL. False: there are none. */
bool gobuildinfo_godebug(const struct image *image, char *settings, size_t room);

#endif
