/* A section of GNU's older compression has the name .zdebug_…; libdw has uncompressed it by
 * then. */
#include "symbolize/files/sections.h"

#include <stdio.h>

#include "base/cursor.h"
#include "base/elf/elfsection.h"

bool section_bytes(Elf *elf, const char *name, struct cursor *c)
{
	char packed[32];
	GElf_Shdr shdr;
	Elf_Scn *scn = elfsection_next(elf, NULL, name, &shdr);
	Elf_Data *data;

	if (!scn) {
		snprintf(packed, sizeof(packed), ".z%s", name + 1);
		scn = elfsection_next(elf, NULL, packed, &shdr);
	}
	data = scn && shdr.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
	cursor_init(c, data ? data->d_buf : NULL, data && data->d_buf ? data->d_size : 0, name);
	return data && data->d_buf;
}
