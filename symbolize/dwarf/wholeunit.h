/*
 * Makes a unit of split DWARF whole: its DIEs go to an ELF file of their own, in which it is an
 * ordinary unit that needs no skeleton. So libdw can read it from any source. libdw itself supports
 * packages of split units (.dwp) only since version 0.191, and opens files by the paths in the
 * program, in our view of the file system.
 */
#ifndef SYMBOLIZE_DWARF_WHOLEUNIT_H
#define SYMBOLIZE_DWARF_WHOLEUNIT_H

#include <stddef.h>
#include <stdint.h>

#include "symbolize/files/elfview.h"

struct skeleton;

struct bytes {
	const uint8_t *data;
	size_t len;
};

struct unit_parts {
	struct bytes info, abbrev, str_offsets, rnglists; /* hold the unit's and perhaps others' */
	struct bytes str;				  /* all of .debug_str.dwo */
	struct bytes addr, ranges; /* of the program, from the skeleton's bases on */
};

/* Makes the view. ERR_NOTFOUND when the unit is not in these bytes, ERR_FORMAT when they are
 * broken, ERR_LIMIT when they exceed a bound, ERR_NOMEM. */
int wholeunit_make(struct elfview *v, const struct unit_parts *p, const struct skeleton *s);

#endif
