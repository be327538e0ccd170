/*
 * What the dynamic linker will write into a file's data: its relocations that are
 * a plain address.
 *
 * In position-independent files pointers between parts of the file stand in the
 * relocation table (ELF gABI, "Relocation", RELA: the addend), and the data itself
 * may hold zeros. R_X86_64_RELATIVE and R_X86_64_64 are such (System V ABI, AMD64,
 * 4.4.1); in image addresses, what they write is the addend, and the symbol's value
 * where there is one. DT_RELR keeps its addends in the data: nothing to be done.
 */
#ifndef TARGET_RELOCS_H
#define TARGET_RELOCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct lazyfile;

struct reloc {
	uint64_t at, value; /* image addresses */
};

struct relocs {
	struct reloc *all; /* by address; owned */
	size_t count, room;
};

/* Those that write to [start, end). A file without any, or with a broken table, has
 * none. ERR_NOMEM; ERR_LIMIT when the table is larger than any. */
int relocs_load(struct relocs *r, const struct image *image, struct lazyfile *file, uint64_t start,
		uint64_t end);
void relocs_release(struct relocs *r);

/* Places to which the address `value` is written: up to `room` of them; how many. */
size_t relocs_to(const struct image *image, struct lazyfile *file, uint64_t value, uint64_t *places,
		 size_t room);

/* The word at an address once relocated, by `r` or as it stands in the file. False when
 * the file has none there. */
bool relocs_word(const struct relocs *r, struct lazyfile *file, uint64_t addr, uint64_t *word);

#endif
