/* Symbols and sections of an ELF file by name: where a runtime's own variables are. */
#ifndef BASE_PROCESS_ELFSYMBOL_H
#define BASE_PROCESS_ELFSYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

enum { ELFSYMBOL_MAX = 32 }; /* symbols that can be looked for at once */

struct elfsymbol {
	const char *name; /* to look for: of three characters or more */
	uint64_t addr;	  /* image address; for a TLS symbol, its offset in the TLS block */
	uint64_t size;	  /* bytes; 0: not recorded */
	bool found;
};

/* Looks for all of `symbols` in .dynsym, then in .symtab; undefined ones are not found. Returns how
 * many were found. A file may have 10 million symbols; more are not read. */
size_t elfsymbol_find(const struct image *image, struct elfsymbol *symbols, size_t count);

/* The image address of a slot to which the loader writes the address of a variable of that name: of
 * this file's own, or of a copy that the executable has because it uses the variable (System V ABI,
 * AMD64, 4.4.1, R_X86_64_COPY). False: the file has no such slot, and uses its own. */
bool elfsymbol_slot(const struct image *image, const char *name, uint64_t *slot);

/* The image address and size of the section with that name. */
bool elfsymbol_section(const struct image *image, const char *name, uint64_t *addr, uint64_t *size);

/* Copies bytes of the file at an image address: what is there before relocation. False: the file
 * has none there. */
bool elfsymbol_bytes(const struct image *image, uint64_t addr, void *buf, size_t len);

#endif
