/*
 * An ELF file in memory that a JIT compiler has registered: the functions in it, and their CFI.
 *
 * The sections' addresses are those to which the code was loaded. LLVM registers the file as the
 * compiler has made it (ET_REL), with these addresses filled in: symbols are relative to their
 * section, and .eh_frame is not relocated in the file, but is where it was loaded. LuaJIT, PHP and
 * QEMU write a file for the purpose, whose .text has an address and no bytes.
 */
#ifndef RUNTIMES_GDBJIT_OBJECT_H
#define RUNTIMES_GDBJIT_OBJECT_H

#include <stddef.h>
#include <stdint.h>

struct cfi_table;
struct memory;
struct strset;

struct jit_function {
	uint64_t start, end; /* addresses in the process */
	uint32_t name;	     /* number in the set of names */
};

/* {0} is empty. */
struct jit_object {
	uint64_t low, high; /* all functions lie in [low, high) */
	struct jit_function *functions;
	size_t count, room;
	struct cfi_table *table; /* NULL: no CFI */
};

/* Fills `o`, which must be empty, from the file's bytes; `memory` is the process's. Names are added
 * to `names`, as they are in the file, but UTF-8. A file without functions gives none. ERR_FORMAT:
 * it is no ELF file of this machine; ERR_NOMEM. jitobject_release is due in any case. */
int jitobject_read(struct jit_object *o, const void *bytes, size_t len, const struct memory *memory,
		   struct strset *names);
void jitobject_release(struct jit_object *o);

/* The function that covers the address, the one that begins last if there are several; NULL:
 * none. */
const struct jit_function *jitobject_find(const struct jit_object *o, uint64_t addr);

#endif
