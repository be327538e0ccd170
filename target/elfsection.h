/* The sections of an ELF file by name, and their bytes, uncompressed and within bounds. */
#ifndef TARGET_ELFSECTION_H
#define TARGET_ELFSECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next section of that name behind `after` (NULL: the first one) and its header,
 * or NULL. */
Elf_Scn *elfsection_next(Elf *elf, Elf_Scn *after, const char *name, GElf_Shdr *shdr);

/* A section's name, or NULL. It lives as long as the Elf. */
const char *elfsection_name(Elf *elf, const GElf_Shdr *shdr);

/* The bytes of the first section of that name that has any in the file, as they stand
 * there, if they are at most `most`; else NULL. They live as long as the Elf. */
Elf_Data *elfsection_raw(Elf *elf, const char *name, size_t most);

/* How many bytes the section has when plain: SHF_COMPRESSED (ELF gABI, "Section
 * Compression") by zlib or zstd, or the older ".zdebug_" form of GNU. False when it has
 * none in the file, or in a form that is not known. */
bool elfsection_plain_size(Elf *elf, Elf_Scn *scn, uint64_t *size);

/* Writes just so many bytes to `out`. 0; ERR_FORMAT for a broken section, ERR_IO for
 * one that cannot be read, ERR_LIMIT for zstd where we were built without libzstd. */
int elfsection_plain(Elf *elf, Elf_Scn *scn, uint8_t *out, uint64_t size);

/* The same with the memory: `data` is libelf's where the section is plain, else in
 * `owned`, which is for the caller to free. */
struct elfbytes {
	const uint8_t *data; /* NULL when there are none */
	size_t len;
	void *owned;
};

/* The plain bytes of a section of at most `most`. 0 and no data for a section without
 * any; ERR_LIMIT for more; and as elfsection_plain; ERR_NOMEM. */
int elfsection_bytes(Elf *elf, Elf_Scn *scn, uint64_t most, struct elfbytes *b);

#endif
