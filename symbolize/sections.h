/* The bytes of a debug section, for parsers of our own. */
#ifndef SYMBOLIZE_SECTIONS_H
#define SYMBOLIZE_SECTIONS_H

#include <libelf.h>
#include <stdbool.h>

struct cursor;

/* Makes `c` a cursor over the section with this name (".debug_line"), or with what
 * it was called when compressed in GNU's old way (".zdebug_line"). An empty cursor
 * and false when there is none. Compressed sections must have been decompressed, as
 * dwarf_begin_elf does with all that it knows; the bytes live as long as `elf`. */
bool section_bytes(Elf *elf, const char *name, struct cursor *c);

#endif
