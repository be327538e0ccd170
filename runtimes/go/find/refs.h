/*
 * Finds the runtime's variables by the code that uses them.
 *
 * A stripped program has no symbols of variables, but functions keep their names
 * (base/process/gopclntab.h), and their code refers to variables by distance. It is known which
 * function uses which fields of which structure. So a structure is at the only address for which
 * all these references exist. This also proves that the fields have the expected offsets.
 */
#ifndef RUNTIMES_GO_FIND_REFS_H
#define RUNTIMES_GO_FIND_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gopclntab;
struct image;

enum { GO_CLUE_FIELDS = 6 };

/* Addresses of variables that the code of one function refers to. */
struct gorefs {
	uint64_t *all; /* image addresses; owned */
	size_t count, room;
};

/* The fields that a function uses, as distances in bytes from the structure's start. */
struct goclue {
	const struct gorefs *refs; /* the function's */
	unsigned count;
	uint32_t fields[GO_CLUE_FIELDS];
};

/* Fills refs[i] for each function. It is empty for a function that does not exist or has too much
 * code. `image` is the table's. ERR_NOMEM. The caller calls gorefs_release in either case. */
int gorefs_load(struct gorefs *refs, struct gopclntab *t, const struct image *image,
		const char *const *functions, size_t count);
void gorefs_release(struct gorefs *refs, size_t count);

/* Calls `each` with the code of each existing function, in any order, except functions of more than
 * 64 KB. Returns ERR_NOMEM, or what `each` returned if it was not 0, which ends the calls. */
typedef int gorefs_code(void *ctx, size_t function, uint64_t entry, const uint8_t *code,
			size_t len);
int gorefs_codes(struct gopclntab *t, const char *const *functions, size_t count, gorefs_code *each,
		 void *ctx);

/* True when the image address is in a writable segment, so that a variable may be there. */
bool gorefs_variable(const struct image *image, uint64_t addr);

/* Finds the image address of the structure (a multiple of 8) to which all clues lead. ERR_NOTFOUND:
 * there is none, or more than one. */
int gorefs_find(const struct goclue *clues, size_t count, uint64_t *address);

#endif
