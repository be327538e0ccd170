/*
 * A unit of split DWARF made whole: its DIEs in an ELF file of their own, in which it
 * is an ordinary unit that needs no skeleton. So libdw can read it wherever it came
 * from: libdw's own way to split units knows packages (.dwp) since version 0.191 only,
 * and opens files by the paths that stand in the program, in our view of the file
 * system.
 */
#ifndef SYMBOLIZE_WHOLEUNIT_H
#define SYMBOLIZE_WHOLEUNIT_H

#include <stddef.h>
#include <stdint.h>

#include "symbolize/elfview.h"

struct skeleton;

struct bytes {
	const uint8_t *data;
	size_t len;
};

struct unit_parts {
	struct bytes info, abbrev, str_offsets, rnglists; /* of the unit; others may stand there, too */
	struct bytes str;	   /* all of .debug_str.dwo */
	struct bytes addr, ranges; /* of the program, from the skeleton's bases on */
};

/* Makes the view. ERR_NOTFOUND when the unit is not among these bytes, ERR_FORMAT when
 * they are broken, ERR_LIMIT for more than it is allowed, ERR_NOMEM. */
int wholeunit_make(struct elfview *v, const struct unit_parts *p, const struct skeleton *s);

#endif
