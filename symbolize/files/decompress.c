/* A view of an ELF file is made with the DWARF sections alone, each uncompressed into it. What was
 * compressed is then given back to the kernel. */
#include "symbolize/files/decompress.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/elf/elfsection.h"
#include "base/error.h"
#include "symbolize/files/debugelf.h"

enum { SECTIONS_MAX = 64 };

struct decompress_packed {
	struct elfview_section sections[SECTIONS_MAX];
	Elf_Scn *from[SECTIONS_MAX];
	size_t count;
	bool any;
};

/* libdw recognizes DWARF in the same way: by the section's name. */
static bool is_dwarf(const char *name)
{
	return name && (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8) ||
			!strcmp(name, ".gnu_debugaltlink"));
}

/* Sections in the view keep their names, also those that begin with ".z". */
static void list_sections(struct decompress_packed *p, Elf *elf)
{
	Elf_Scn *scn = NULL;

	while (p->count < SECTIONS_MAX && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? elfsection_name(elf, &shdr) : NULL;
		uint64_t len;

		if (!is_dwarf(name) || !elfsection_plain_size(elf, scn, &len))
			continue;
		p->any |= shdr.sh_flags & SHF_COMPRESSED || !strncmp(name, ".z", 2);
		p->from[p->count] = scn;
		p->sections[p->count++] = (struct elfview_section){ name, len, NULL };
	}
}

int decompress_dwarf(struct elfview *v, Elf *elf, const struct debugelf *file, const char **why)
{
	struct decompress_packed p = { .count = 0 };
	int rc = 0;

	*v = (struct elfview){ NULL, 0 };
	*why = NULL;
	list_sections(&p, elf);
	if (!p.any)
		return 0;
	rc = elfview_make(v, p.sections, p.count);
	if (rc == ERR_NOMEM)
		return rc;
	if (rc) {
		*why = "larger than 4 GiB";
		return 0;
	}
	for (size_t i = 0; !rc && i < p.count; i++) {
		Elf_Data *packed = elf_rawdata(p.from[i], NULL);

		rc = elfsection_plain(elf, p.from[i], p.sections[i].bytes, p.sections[i].len);
		if (packed)
			debugelf_drop(file, packed->d_buf, packed->d_size);
	}
	if (rc) {
		*why = rc == ERR_LIMIT ? "compressed by zstd, which sampler was built without" :
					 "compressed, and broken";
		elfview_release(v);
	}
	return 0;
}
