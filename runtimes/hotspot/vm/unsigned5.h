/*
 * UNSIGNED5, the numbers in what HotSpot keeps compressed: scopes and line tables.
 *
 * A byte below 192 ends the number, at the latest the fifth one does; each byte counts 64 times as
 * much as the one before it (compressedStream.cpp, from JDK 20 on unsigned5.hpp). From JDK 20 on
 * each byte is one more, so that no byte is 0.
 */
#ifndef RUNTIMES_HOTSPOT_VM_UNSIGNED5_H
#define RUNTIMES_HOTSPOT_VM_UNSIGNED5_H

#include <stdint.h>

struct cursor;

enum unsigned5_form {
	UNSIGNED5_WITH_ZERO, /* up to JDK 19 */
	UNSIGNED5_NO_ZERO,   /* from JDK 20 on */
};

enum { UNSIGNED5_MAX = 5 }; /* bytes */

/* 0 with a failed cursor if the bytes end before the number, or one of them is none of it. */
uint32_t unsigned5_read(struct cursor *c, enum unsigned5_form form);

/* A signed number: its sign is in bit 0. */
int32_t unsigned5_read_signed(struct cursor *c, enum unsigned5_form form);

#endif
