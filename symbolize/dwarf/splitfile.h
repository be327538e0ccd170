/* A file of split DWARF: the units of one object (.dwo) or, as a package with an index,
 * those of a whole program (.dwp). */
#ifndef SYMBOLIZE_DWARF_SPLITFILE_H
#define SYMBOLIZE_DWARF_SPLITFILE_H

#include <stdbool.h>

#include "symbolize/dwarf/wholeunit.h"
#include "symbolize/files/elfview.h"

struct image;
struct skeleton;
struct splitfile;

/* Takes over the image in any case. ERR_NOMEM; ERR_NOTFOUND: not a package, but `package` is
 * set. */
int splitfile_open(struct splitfile **f, struct image *image, bool package);
void splitfile_close(struct splitfile *f);

/* Makes a view of the unit that belongs to the skeleton. `addr` and `ranges` are the program's, as
 * in struct unit_parts. Errors as of wholeunit_make, and ERR_IO. */
int splitfile_unit(struct splitfile *f, const struct skeleton *s, struct bytes addr,
		   struct bytes ranges, struct elfview *v);

#endif
