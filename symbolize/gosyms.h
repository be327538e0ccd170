/*
 * Go's functions, lines and inlined calls from pclntab (target/gopclntab.h): what the
 * runtime prints in its own tracebacks, in stripped programs, too.
 */
#ifndef SYMBOLIZE_GOSYMS_H
#define SYMBOLIZE_GOSYMS_H

#include <stddef.h>
#include <stdint.h>

struct gopclntab;
struct names;
struct symbol_frame;

/* Fills frames for an image address, innermost inlined call first, the function itself
 * last, at most `room`, and where the function begins; strings are kept in `names`. How
 * many: 0 when the table does not cover the address, or knows it as other compilers'
 * code. ERR_NOMEM. */
int gosyms_find(struct gopclntab *t, struct names *names, uint64_t addr,
		struct symbol_frame *frames, size_t room, uint64_t *start);

/* The name alone of the function that covers an address, as Go itself says it: the linker
 * adds ".abi0" to some. *name stays where the table does not cover the address. ERR_NOMEM. */
int gosyms_name(struct gopclntab *t, struct names *names, uint64_t addr, const char **name);

#endif
