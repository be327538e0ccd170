/*
 * Go's table of functions: what the runtime itself walks stacks and names frames by.
 *
 * Of each function: where it is, its name, how far the stack pointer is from its frame
 * at each instruction (pcsp), file, line and inlined calls at each instruction. It is
 * there in stripped programs, too. Read lazily (target/lazyfile); numbers in it are
 * foreign and checked where they are used.
 *
 * All addresses are image addresses. Sources: runtime/symtab.go, runtime/symtabinl.go,
 * runtime/runtime2.go (_func) of Go 1.16 to 1.27.
 */
#ifndef TARGET_GOPCLNTAB_H
#define TARGET_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gomodule;
struct gopclntab;
struct image;

enum { GO_NAME_MAX = 4096 }; /* longer names (instances of generics) are cut */

enum go_flag { /* internal/abi/symtab.go, FuncFlag; from 1.17 on, ASM from 1.18 on */
	GO_TOP_FRAME = 1, /* nobody called it as far as tracebacks go */
	GO_SP_WRITE = 2,  /* it sets the stack pointer in ways that pcsp cannot say */
	GO_ASSEMBLY = 4,
};

struct go_function {
	uint64_t entry, end;  /* end: where the next one begins */
	uint64_t record;      /* image address of its _func */
	uint32_t name;	      /* for gopclntab_name */
	uint32_t start_line;  /* of the func keyword; 0 unknown (before 1.20) */
	uint32_t pcsp, pcfile, pcline; /* tables of values; pcsp 0: not Go's code */
	uint32_t tables, unit;
	uint8_t flags;	      /* enum go_flag */
	uint8_t datas;
	uint8_t id; /* funcID: what the runtime knows it by; numbered anew by some releases */
};

/* ERR_NOTFOUND when the image has none; ERR_FORMAT for one that is not understood;
 * ERR_IO, ERR_NOMEM. The image must outlive it. */
int gopclntab_open(const struct image *image, struct gopclntab **t);
void gopclntab_close(struct gopclntab *t);

const struct gomodule *gopclntab_module(const struct gopclntab *t);

/* The function that covers an address. */
bool gopclntab_find(struct gopclntab *t, uint64_t addr, struct go_function *f);

/* The function of this name; false when there is none. Goes through all of them. */
bool gopclntab_named(struct gopclntab *t, const char *name, struct go_function *f);

/* The first functions of several names, all in one go: how many there are. Those that there
 * are not have `end` 0. */
size_t gopclntab_named_all(struct gopclntab *t, const char *const *names, size_t count,
			   struct go_function *found);

/* Copies a name ("main.(*T).run"), cut to `room` and ended by a NUL. */
bool gopclntab_name(struct gopclntab *t, uint32_t name, char *buf, size_t room);

/* How many bytes the function has put on the stack at an address, beside the return
 * address: caller's stack pointer = stack pointer + delta + 8. */
bool gopclntab_stack(struct gopclntab *t, const struct go_function *f, uint64_t addr,
		     int32_t *delta);

/* File and line of the innermost (inlined) function at an address. */
bool gopclntab_line(struct gopclntab *t, const struct go_function *f, uint64_t addr, char *file,
		    size_t room, uint32_t *line);

/* Copies bytes of code, or of its data, as the file has them. */
bool gopclntab_code(struct gopclntab *t, uint64_t addr, void *buf, size_t len);

/* What else the compiler says about a function, by number (FUNCDATA_…): where it is; 0 for
 * nothing. */
uint64_t gopclntab_data(struct gopclntab *t, const struct go_function *f, unsigned number);

/* The value of one of its numbered tables (PCDATA_…) at an address; false where it has none. */
bool gopclntab_value(struct gopclntab *t, const struct go_function *f, unsigned number,
		     uint64_t addr, int32_t *value);

struct go_inlined {
	uint32_t name, start_line;
	uint64_t call; /* an address whose file and line are those of the call */
	uint8_t id;    /* as a function's */
};

/* The innermost function inlined at an address; its caller is found at the same way at
 * `call`. False when there is none (any more). */
bool gopclntab_inlined(struct gopclntab *t, const struct go_function *f, uint64_t addr,
		       struct go_inlined *inlined);

#endif
