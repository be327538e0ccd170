/* The sections of an ELF file by name, and their bytes, uncompressed and within bounds. */
#ifndef BASE_ELF_ELFSECTION_H
#define BASE_ELF_ELFSECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next section of that name behind `after` (NULL: the first one), and its header through *shdr;
 * NULL if there is none. */
Elf_Scn *elfsection_next(Elf *elf, Elf_Scn *after, const char *name, GElf_Shdr *shdr);

/* A section's name, valid as long as the Elf; or NULL. */
const char *elfsection_name(Elf *elf, const GElf_Shdr *shdr);

/* Finds the first section of that name that has bytes in the file, at most `most`. Returns these
 * bytes without uncompressing them, valid as long as the Elf; NULL if there is no such section. */
Elf_Data *elfsection_raw(Elf *elf, const char *name, size_t most);

/* The section's uncompressed size in bytes. Handles SHF_COMPRESSED (ELF gABI, "Section
 * Compression") with zlib or zstd, and GNU's older ".zdebug_" form. False when the section has no
 * bytes in the file, or is broken or in an unknown form. */
bool elfsection_plain_size(Elf *elf, Elf_Scn *scn, uint64_t *size);

/* Writes the uncompressed bytes to `out`; `size` is from elfsection_plain_size. 0; ERR_FORMAT:
 * broken; ERR_IO: cannot be read; ERR_LIMIT: zstd, but we were built without libzstd; ERR_NOMEM. */
int elfsection_plain(Elf *elf, Elf_Scn *scn, uint8_t *out, uint64_t size);

/* A section's uncompressed bytes. In an uncompressed section `data` is libelf's memory; else it is
 * `owned`, which the caller frees. */
struct elfbytes {
	const uint8_t *data; /* NULL when there are none */
	size_t len;
	void *owned;
};

/* The uncompressed bytes of a section, if they are at most `most`. 0 and no data for a section
 * without bytes or with a broken header; ERR_LIMIT for more; else as elfsection_plain. */
int elfsection_bytes(Elf *elf, Elf_Scn *scn, uint64_t most, struct elfbytes *b);

#endif
