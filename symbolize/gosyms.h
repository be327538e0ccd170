/*
 * Go's functions, lines and inlined calls from pclntab (base/process/gopclntab.h), which the
 * runtime's own tracebacks use; stripped programs have it, too.
 */
#ifndef SYMBOLIZE_GOSYMS_H
#define SYMBOLIZE_GOSYMS_H

#include <stddef.h>
#include <stdint.h>

struct gopclntab;
struct names;
struct symbol_frame;

/* Fills at most `room` frames for an image address, innermost inlined call first, the function
 * itself last; *start is its address. Strings are kept in `names`. Returns the number of frames; 0
 * when the table does not cover the address, or lists it as other compilers' code. ERR_NOMEM. */
int gosyms_find(struct gopclntab *t, struct names *names, uint64_t addr,
		struct symbol_frame *frames, size_t room, uint64_t *start);

/* Only the name of the function that covers an address, as Go itself gives it, without the ".abi0"
 * that the linker adds to some. *name is unchanged when the table does not cover the address.
 * ERR_NOMEM. */
int gosyms_name(struct gopclntab *t, struct names *names, uint64_t addr, const char **name);

#endif
