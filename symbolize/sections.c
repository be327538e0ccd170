#include "symbolize/sections.h"

#include <gelf.h>
#include <string.h>

#include "base/cursor.h"

static bool is_called(const char *name, const char *want)
{
	return name && (!strcmp(name, want) ||
			(!strncmp(name, ".z", 2) && !strcmp(name + 2, want + 1)));
}

bool section_bytes(Elf *elf, const char *name, struct cursor *c)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	cursor_init(c, NULL, 0, name);
	if (elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
		    !is_called(elf_strptr(elf, strings, shdr.sh_name), name))
			continue;
		data = shdr.sh_flags & SHF_COMPRESSED ? NULL : elf_getdata(scn, NULL);
		if (data && data->d_buf)
			cursor_init(c, data->d_buf, data->d_size, name);
		return data && data->d_buf;
	}
	return false;
}
