/* Texts of a process that are read for names. */
#ifndef RUNTIMES_COMMON_TEXT_H
#define RUNTIMES_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct memory;

/* Reads a string of C into `text`, of `room` bytes: as much of it as can be read and fits, always
 * with a NUL. False: that is not all of it. */
bool text_read(const struct memory *memory, uint64_t addr, char *text, size_t room);

/* A copy of a text, up to its first NUL, as UTF-8; what is none becomes U+FFFD. If it was `cut`,
 * "…" stands behind it. NULL when out of memory. */
char *text_copy_utf8(struct arena *arena, const char *bytes, size_t len, bool cut);

#endif
