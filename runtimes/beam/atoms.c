/*
 * Atoms: the names of modules, functions and files (erts/emulator/beam/atom.h, index.h).
 *
 * An atom is a number; a table of tables leads to what is known of it. Atoms are never freed, and
 * each number keeps its text. The first ones are the same in every release, so they tell how the
 * tables are laid out: in OTP 28 an atom's text became a binary on a heap.
 *
 * The names of source files in a module's table of lines are atoms up to OTP 24, then lists of
 * characters, which are freed with the module. So a name gets a number here, which a frame's key
 * holds.
 */
#include <string.h>

#include "base/utf8.h"
#include "runtimes/beam/runtime.h"

enum {
	ATOM_TAG = 0x0b, /* the low bits of a term that is an atom */
	ATOM_TAG_BITS = 6,
	ATOMS_MAX = 1 << 26,
	SEGMENT_BITS = 10, /* INDEX_PAGE_SHIFT */
	TABLE_BYTES = 192, /* of struct IndexTable, where its pointer is looked for */
	HEAD_BYTES = 64,   /* of struct atom, where its fields are looked for */
	BINARY_BYTES = 16, /* in front of the bytes of a binary on a heap */
	FILES_MAX = 1 << 16,

	/* The low bits of terms. */
	TAG_MASK = 3,
	LIST_TAG = 1,
	BOXED_TAG = 2,
	SMALL_TAG = 15, /* of four bits */
	SMALL_BITS = 4,
	NIL = 0x3b,
};

bool beam_is_atom(uint64_t term, uint32_t *number)
{
	*number = (uint32_t)(term >> ATOM_TAG_BITS);
	return (term & ((1 << ATOM_TAG_BITS) - 1)) == ATOM_TAG && term >> ATOM_TAG_BITS < ATOMS_MAX;
}

static bool find_atom(const struct beam_runtime *rt, uint32_t number, uint64_t *atom)
{
	uint64_t segment;

	return !memory_read_u64(rt->memory, rt->atoms.segments + (number >> SEGMENT_BITS) * 8ull,
				&segment) &&
	       segment &&
	       !memory_read_u64(rt->memory, segment + (number & ((1u << SEGMENT_BITS) - 1)) * 8ull,
				atom) &&
	       *atom;
}

static bool is_utf8(const char *text, size_t size)
{
	size_t len;

	for (size_t i = 0; i < size; i += len)
		if (!text[i] ||
		    (utf8_next(text + i, size - i, &len) == UTF8_REPLACEMENT && len == 1))
			return false;
	return true;
}

bool beam_atom_text(const struct beam_runtime *rt, uint32_t number, char *text)
{
	const struct beam_atoms *a = &rt->atoms;
	uint64_t atom, name;
	uint16_t length;

	if (!find_atom(rt, number, &atom) ||
	    rt->memory->read(rt->memory, atom + a->length, &length, sizeof(length)) ||
	    memory_read_u64(rt->memory, atom + a->name, &name) || length >= BEAM_ATOM_BYTES)
		return false;
	if (a->boxed && (name & TAG_MASK) != BOXED_TAG)
		return false;
	name = a->boxed ? (name & ~(uint64_t)TAG_MASK) + BINARY_BYTES : name;
	if (length && rt->memory->read(rt->memory, name, text, length))
		return false;
	text[length] = '\0';
	return is_utf8(text, length);
}

static bool atoms_is_text(const struct beam_runtime *rt, uint32_t number, const char *expected)
{
	char text[BEAM_ATOM_BYTES];

	return beam_atom_text(rt, number, text) && !strcmp(text, expected);
}

/* Atoms 0 and 1 are false and true (erts/emulator/beam/atom.names). */
static bool is_layout(const struct beam_runtime *rt)
{
	return atoms_is_text(rt, 0, "false") && atoms_is_text(rt, 1, "true");
}

static bool try_fields(struct beam_runtime *rt)
{
	struct beam_atoms *a = &rt->atoms;

	for (a->name = 8; a->name < HEAD_BYTES; a->name += 8)
		for (a->length = 0; a->length < a->name; a->length += 2)
			for (int boxed = 0; boxed < 2; boxed++) {
				a->boxed = boxed;
				if (is_layout(rt))
					return true;
			}
	return false;
}

bool beam_atoms_find(struct beam_runtime *rt, uint64_t table)
{
	uint64_t atom;

	for (unsigned at = 0; at < TABLE_BYTES; at += 8)
		if (!memory_read_u64(rt->memory, table + at, &rt->atoms.segments) &&
		    rt->atoms.segments && find_atom(rt, 0, &atom) && try_fields(rt))
			return true;
	return false;
}

/* Files. */

/* A list of characters, as UTF-8. False: it is none, or is longer than a path. */
static bool files_read_list(const struct beam_runtime *rt, uint64_t list, char *text)
{
	uint64_t cell[2];
	size_t len = 0;

	for (; list != NIL; list = cell[1]) {
		if ((list & TAG_MASK) != LIST_TAG || len + 5 > BEAM_FILE_BYTES ||
		    rt->memory->read(rt->memory, list - LIST_TAG, cell, sizeof(cell)) ||
		    (cell[0] & SMALL_TAG) != SMALL_TAG || !(cell[0] >> SMALL_BITS) ||
		    cell[0] >> SMALL_BITS > 0x10ffff)
			return false;
		len += utf8_put(text + len, (uint32_t)(cell[0] >> SMALL_BITS));
	}
	text[len] = '\0';
	return true;
}

uint32_t beam_file(struct beam_runtime *rt, uint64_t name)
{
	char text[BEAM_FILE_BYTES];
	uint32_t atom, id;

	if (!(beam_is_atom(name, &atom) ? beam_atom_text(rt, atom, text) :
					  files_read_list(rt, name, text)) ||
	    rt->files.count >= FILES_MAX || strset_addz(&rt->files, text, &id))
		return BEAM_NO_FILE;
	return id;
}
