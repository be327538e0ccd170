/* The bytes of a debug section, for parsers of our own. */
#ifndef SYMBOLIZE_FILES_SECTIONS_H
#define SYMBOLIZE_FILES_SECTIONS_H

#include <libelf.h>
#include <stdbool.h>

struct cursor;

/* Sets `c` to the section with this name (".debug_line"), or with GNU's old name of the compressed
 * section (".zdebug_line"). False, and `c` is empty, when there is none. Compressed sections must
 * have been uncompressed; dwarf_begin_elf does that with all that it supports. The bytes live as
 * long as `elf`. */
bool section_bytes(Elf *elf, const char *name, struct cursor *c);

#endif
