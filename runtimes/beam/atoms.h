/* Atoms, the names of modules, functions and files, and the files that tables of lines name. */
#ifndef RUNTIMES_BEAM_ATOMS_H
#define RUNTIMES_BEAM_ATOMS_H

#include <stdbool.h>
#include <stdint.h>

struct beam_runtime;

struct beam_atoms {
	uint64_t segments; /* the table of the tables of 1,024 atoms */
	uint32_t length;   /* in struct atom: a uint16_t; */
	uint32_t name;	   /* and a pointer, */
	bool boxed;	   /* to a binary on a heap, or to the text itself */
};

/* Finds out how atoms are laid out, by those that every BEAM begins with. `table`: address of
 * erts_atom_table. */
bool beam_atoms_find(struct beam_runtime *rt, uint64_t table);

/* Is this term an atom? *number is what it is called by. */
bool beam_is_atom(uint64_t term, uint32_t *number);

enum { BEAM_ATOM_BYTES = 255 * 4 + 1 }; /* of a text, with the NUL */

/* The text of an atom, UTF-8. False: there is none. */
bool beam_atom_text(const struct beam_runtime *rt, uint32_t number, char *text);

enum { BEAM_FILE_BYTES = 4096 };

static const uint32_t BEAM_NO_FILE = UINT32_MAX, BEAM_FILE_OF_MODULE = UINT32_MAX - 1;

/* The number in rt->files of the file that a table of lines names; BEAM_NO_FILE: none. */
uint32_t beam_file(struct beam_runtime *rt, uint64_t name);

#endif
