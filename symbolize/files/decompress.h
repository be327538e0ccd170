/*
 * Uncompresses DWARF sections for libdw. Before version 0.189 libdw supports zlib only and silently
 * skips zstd (gcc -gz=zstd, since 2022). And it keeps in memory both the uncompressed bytes and the
 * compressed ones.
 */
#ifndef SYMBOLIZE_FILES_DECOMPRESS_H
#define SYMBOLIZE_FILES_DECOMPRESS_H

#include <libelf.h>

#include "symbolize/files/elfview.h"

struct debugelf;

/* If a DWARF section of `elf` is compressed, makes a view with all DWARF sections, uncompressed.
 * Else v->bytes and *why are NULL; if the sections cannot be read, *why is the reason. If `elf` is
 * that of `file`, compressed bytes are dropped once they are uncompressed. ERR_NOMEM. */
int decompress_dwarf(struct elfview *v, Elf *elf, const struct debugelf *file, const char **why);

#endif
