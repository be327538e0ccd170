/*
 * Go's table of functions (pclntab), by which the runtime itself walks stacks and names frames.
 *
 * For each function it has the addresses and the name, and for each instruction the distance of the
 * stack pointer from the frame (pcsp), the file, the line and the inlined calls. Stripped programs
 * have it, too. It is read lazily (base/process/lazyfile.h). Numbers in it are untrusted and
 * checked where they are used.
 *
 * All addresses are image addresses. Sources: runtime/symtab.go, runtime/symtabinl.go,
 * runtime/runtime2.go (_func) of Go 1.16 to 1.27.
 */
#ifndef BASE_PROCESS_GOPCLNTAB_H
#define BASE_PROCESS_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gomodule;
struct gopclntab;
struct image;

enum { GO_NAME_MAX = 4096 }; /* longer names (instances of generics) are cut */

/* internal/abi/symtab.go, FuncFlag; from 1.17 on, ASM from 1.18 on. */
enum go_flag {
	GO_TOP_FRAME = 1, /* outermost: tracebacks end here */
	GO_SP_WRITE = 2,  /* it sets the stack pointer in ways that pcsp cannot express */
	GO_ASSEMBLY = 4,
};

struct go_function {
	uint64_t entry, end;	       /* end: start of the next function */
	uint64_t record;	       /* image address of its _func */
	uint32_t name;		       /* for gopclntab_name */
	uint32_t start_line;	       /* line of the func keyword; 0: not known (before 1.20) */
	uint32_t pcsp, pcfile, pcline; /* tables of values; pcsp 0: not Go's code */
	uint32_t tables, unit;
	uint8_t flags; /* enum go_flag */
	uint8_t datas;
	uint8_t id; /* funcID, by which the runtime recognizes it; some releases renumber it */
};

/* ERR_NOTFOUND when the image has no table; ERR_FORMAT for a table that is not understood;
 * ERR_LIMIT as relocs_load; ERR_IO, ERR_NOMEM. The image must outlive it. */
int gopclntab_open(const struct image *image, struct gopclntab **t);
void gopclntab_close(struct gopclntab *t);

const struct gomodule *gopclntab_module(const struct gopclntab *t);

/* The function that covers an address; false when there is none. */
bool gopclntab_find(struct gopclntab *t, uint64_t addr, struct go_function *f);

/* The first function of this name; false when there is none. Reads all functions. */
bool gopclntab_named(struct gopclntab *t, const char *name, struct go_function *f);

/* Finds the first functions of several names in one pass. Returns how many were found; the others
 * have `end` 0. */
size_t gopclntab_named_all(struct gopclntab *t, const char *const *names, size_t count,
			   struct go_function *found);

/* Copies a name ("main.(*T).run"), cut to `room` bytes including its NUL. False: no such name. */
bool gopclntab_name(struct gopclntab *t, uint32_t name, char *buf, size_t room);

/* The number of bytes that the function has put on the stack at an address, without the return
 * address: caller's stack pointer = stack pointer + delta + 8. */
bool gopclntab_stack(struct gopclntab *t, const struct go_function *f, uint64_t addr,
		     int32_t *delta);

/* File and line of the innermost (inlined) function at an address. */
bool gopclntab_line(struct gopclntab *t, const struct go_function *f, uint64_t addr, char *file,
		    size_t room, uint32_t *line);

/* Copies bytes of code or of function data, as they are in the file. */
bool gopclntab_code(struct gopclntab *t, uint64_t addr, void *buf, size_t len);

/* The address of further data about a function, by number (FUNCDATA_…); 0: none. */
uint64_t gopclntab_data(struct gopclntab *t, const struct go_function *f, unsigned number);

/* The value of one of its numbered tables (PCDATA_…) at an address; false where it has none. */
bool gopclntab_value(struct gopclntab *t, const struct go_function *f, unsigned number,
		     uint64_t addr, int32_t *value);

struct go_inlined {
	uint32_t name, start_line;
	uint64_t call; /* an address whose file and line are those of the call */
	uint8_t id;    /* funcID, as in go_function */
};

/* The innermost function inlined at an address. Its caller is found in the same way at `call`.
 * False when there is none (any more). */
bool gopclntab_inlined(struct gopclntab *t, const struct go_function *f, uint64_t addr,
		       struct go_inlined *inlined);

#endif
