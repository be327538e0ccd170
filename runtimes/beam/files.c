/*
 * The names of source files in a module's table of lines: atoms up to OTP 24, then lists of
 * characters, which are freed with the module. So a name gets a number here, which a frame's key
 * holds.
 */
#include <string.h>

#include "base/utf8.h"
#include "runtimes/beam/key.h"
#include "runtimes/beam/runtime.h"

enum {
	NIL = 0x3b,
	TAG_MASK = 3,
	LIST_TAG = 1,
	SMALL_TAG = 15, /* of four bits */
	SMALL_BITS = 4,
	FILES_MAX = 1 << 16,
};

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
