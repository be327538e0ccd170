/*
 * The plain addresses that the dynamic linker will write into a file's data.
 *
 * In position-independent files, pointers between parts of the file are in the relocation table
 * (ELF gABI, "Relocation", RELA: the addend), and the data itself may hold zeros. The types
 * R_X86_64_RELATIVE and R_X86_64_64 (System V ABI, AMD64, 4.4.1) are read. In image addresses, they
 * write the addend, plus the symbol's value if there is one. DT_RELR keeps its addends in the data
 * and needs no handling.
 */
#ifndef BASE_PROCESS_RELOCS_H
#define BASE_PROCESS_RELOCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct lazyfile;

struct reloc {
	uint64_t at, value; /* image addresses */
};

struct relocs {
	struct reloc *all; /* sorted by address; owned */
	size_t count, room;
};

/* Loads the relocations that write to [start, end). A file without any, or with a broken table, has
 * none. ERR_NOMEM; ERR_LIMIT when the table has more than 2.4 GB. */
int relocs_load(struct relocs *r, const struct image *image, struct lazyfile *file, uint64_t start,
		uint64_t end);
void relocs_release(struct relocs *r);

/* Finds up to `room` places to which the address `value` is written. Returns how many. */
size_t relocs_to(const struct image *image, struct lazyfile *file, uint64_t value, uint64_t *places,
		 size_t room);

/* The word at an image address after relocation, from `r` or as it is in the file. False when the
 * file has none there. */
bool relocs_word(const struct relocs *r, struct lazyfile *file, uint64_t addr, uint64_t *word);

#endif
