/*
 * Compressed DWARF sections, for libdw: it knows zlib only, before version 0.189, passes
 * over zstd (gcc -gz=zstd, since 2022) without a word, and keeps in memory what it has
 * made plain and what it was made of.
 */
#ifndef SYMBOLIZE_UNPACK_H
#define SYMBOLIZE_UNPACK_H

#include <libelf.h>

#include "symbolize/elfview.h"

struct debugelf;

/* When a DWARF section of `elf` is compressed, makes a view with all of the DWARF
 * sections, plain. Without one, v->bytes is NULL, and so is *why; when they cannot be
 * read, *why says why. If `elf` is that of `file`, packed bytes are dropped once they
 * are plain. ERR_NOMEM. */
int unpack_dwarf(struct elfview *v, Elf *elf, const struct debugelf *file, const char **why);

#endif
