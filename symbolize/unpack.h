/*
 * DWARF sections that zstd has compressed (gcc -gz=zstd, since 2022), for libdw, which
 * before version 0.189 passes over them without a word.
 */
#ifndef SYMBOLIZE_UNPACK_H
#define SYMBOLIZE_UNPACK_H

#include <libelf.h>

#include "symbolize/elfview.h"

/* When a DWARF section of the file is compressed by zstd, makes a view with all of the
 * DWARF sections, plain. Without one, v->bytes is NULL, and so is *why; when they
 * cannot be read, *why says why. ERR_NOMEM. */
int unpack_dwarf(struct elfview *v, Elf *elf, const char **why);

#endif
