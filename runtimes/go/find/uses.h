/*
 * Finds the runtime's variables by the code that uses them.
 *
 * A stripped program has no symbols of variables, but functions keep their names
 * (base/process/gopclntab.h), and their code refers to variables by distance. It is known which
 * function uses which fields of which structure. So a structure is at the only address for which
 * all these uses exist. This also proves that the fields have the expected offsets.
 *
 * Where that is not enough, because many functions refer to many variables, the kinds of the uses
 * and their order tell: a particular variable is loaded in one function, compared with 2 in
 * another, and stored right after another variable in a third.
 */
#ifndef RUNTIMES_GO_FIND_USES_H
#define RUNTIMES_GO_FIND_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gopclntab;
struct image;

enum gouse_kind {
	GOUSE_ADDRESS = 1, /* lea: its address is taken, including for atomic operations */
	GOUSE_LOAD,	   /* mov to a register, extended or not */
	GOUSE_STORE,	   /* mov from a register or an immediate */
	GOUSE_COMPARE,	   /* compared with the immediate `number` */
	GOUSE_OTHER,	   /* any other: add, inc, xchg, comparison with a register */
	GOUSE_NUMBER,	   /* not a variable: a register is compared with `number` */
};

struct gouse {
	uint64_t address; /* image address in a writable segment; 0 with GOUSE_NUMBER */
	int64_t number;
	enum gouse_kind kind;
};

/* The uses of variables in a function's code, in their order. */
struct gouses {
	struct gouse *all; /* owned */
	size_t count, room;
};

/* Fills uses[i] for each function. It is empty for a function that does not exist or has more than
 * 64 KB of code. `image` is the table's. Only x86-64 code is understood. ERR_NOMEM. The caller
 * calls gouses_release in either case. */
int gouses_load(struct gouses *uses, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count);
void gouses_release(struct gouses *uses, size_t count);

enum { GO_CLUE_FIELDS = 6 };

/* The fields that a function uses, as distances in bytes from the structure's start. */
struct goclue {
	const struct gouses *uses; /* the function's */
	unsigned count;
	uint32_t fields[GO_CLUE_FIELDS];
};

/* Finds the image address of the structure (a multiple of 8) to which all clues lead. ERR_NOTFOUND:
 * there is none, or more than one. */
int gouses_find(const struct goclue *clues, size_t count, uint64_t *address);

/* True when the image address is in a writable segment, so that a variable may be there. */
bool gouses_variable(const struct image *image, uint64_t addr);

/* Decodes the instruction at `address`; `code` are its bytes, and `len` is the number of bytes up
 * to the end of the function's code. Returns the number of bytes to the next instruction, at least
 * 1. use->kind stays 0 for an instruction that uses no variable. Each architecture has its own. */
size_t gouses_of_insn(const uint8_t *code, size_t len, uint64_t address, struct gouse *use);

#endif
