/*
 * CPython's code objects: what proves them the same, their names, their lines. The functions are
 * those of struct interp_ops (runtimes/common/runtime.h); `rt` is a struct cpython.
 *
 * A position in a code object (interp_frame.at) is the offset in bytes of the instruction that is
 * executed from the start of the byte code (co_code_adaptive; the bytes of co_code up to 3.10), as
 * a signed number: below 0, nothing was executed yet, and the line is the first one, as f_lineno
 * has it.
 */
#ifndef RUNTIMES_CPYTHON_CODE_H
#define RUNTIMES_CPYTHON_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "runtimes/common/runtime.h"

struct cpython;

/* For capture, while the thread is held: copies what cpython_identify reads of these code objects,
 * with as few system calls as possible. A bounded number of bytes for each, whatever they hold. */
void cpython_copy_codes(const struct cpython *python, struct interp_copy *copy,
			const uint64_t *codes, size_t count);

void cpython_identify(const void *rt, const struct memory *memory, struct interp_identity *ids,
		      size_t count);

/* A code object whose _co_firsttraceable lies at or behind its last instruction is CPython's own
 * trampoline for __init__ (3.12 and later): hidden. */
int cpython_resolve(const void *rt, const struct memory *memory, const struct interp_identity *id,
		    struct arena *arena, struct interp_code *code);

void cpython_line(const void *rt, const struct interp_code *code, uint64_t at, uint32_t *line,
		  uint32_t *column);

/* asyncio. Looks whether an ELF file is asyncio's module, which says where tasks are (3.14 and
 * later). */
void cpython_note_image(void *rt, const struct image *image);

/* For capture: the running task of a thread's state, and copies of what its name needs; 0: there is
 * none, or it is not known. */
uint64_t cpython_copy_task(const struct cpython *python, struct interp_copy *copy, uint64_t state);

void cpython_task_name(const void *rt, const struct memory *copy, const struct memory *live,
		       uint64_t task, char *name, size_t room);

#endif
