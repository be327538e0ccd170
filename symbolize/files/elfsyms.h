/* The function symbols of an ELF file, or its variables, sorted: address -> symbol. */
#ifndef SYMBOLIZE_FILES_ELFSYMS_H
#define SYMBOLIZE_FILES_ELFSYMS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/ranges.h"

struct elfsym {
	uint64_t start, end; /* image addresses, end exclusive */
	const char *name;    /* without a version */
	uint8_t rank;	     /* the alias with the lowest is shown */
	bool sized;	     /* the table says where it ends */
};

struct elfsyms {
	struct elfsym *all; /* sorted by precedence once settled */
	size_t count, room;
	bool variables;	    /* not functions; set before elfsyms_add */
	struct ranges code; /* `of` indexes all */
	struct arena names;
};

void elfsyms_init(struct elfsyms *s);
void elfsyms_release(struct elfsyms *s);

/* Adds the functions (or variables) of all tables of one type (SHT_SYMTAB, SHT_DYNSYM). `whole`:
 * such a table may hold all functions of the file. Broken tables and names add nothing. Returns how
 * many functions were added, or ERR_NOMEM. */
long elfsyms_add(struct elfsyms *s, Elf *elf, uint32_t section_type, bool whole);

/* To be called once, after all tables were added. ERR_NOMEM. */
int elfsyms_settle(struct elfsyms *s);

/* The symbol whose range covers the address, valid until elfsyms_release; or NULL. */
const struct elfsym *elfsyms_find(const struct elfsyms *s, uint64_t addr);

#endif
