#include "sampler/interp/common/elfsymbol.h"

#include <gelf.h>
#include <string.h>

#include "base/process/elfsection.h"
#include "base/process/image.h"

enum { SYMBOLS_MAX = 10000000 };

static void match(Elf *elf, const GElf_Shdr *shdr, const GElf_Sym *sym, struct elfsymbol *symbols,
		  size_t count, size_t *found)
{
	const char *name = NULL;

	if (sym->st_shndx == SHN_UNDEF)
		return;
	for (size_t i = 0; i < count; i++) {
		struct elfsymbol *s = &symbols[i];

		if (s->found)
			continue;
		name = name ? name : elf_strptr(elf, shdr->sh_link, sym->st_name);
		if (!name || strcmp(name, s->name) != 0)
			continue;
		s->addr = sym->st_value;
		s->size = sym->st_size;
		s->tls = GELF_ST_TYPE(sym->st_info) == STT_TLS;
		s->found = true;
		++*found;
	}
}

static void search(Elf *elf, uint32_t type, struct elfsymbol *symbols, size_t count, size_t *found)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Sym sym;

	while (*found < count && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0;
		     data && *found < count && i < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++)
			match(elf, &shdr, &sym, symbols, count, found);
	}
}

size_t elfsymbol_find(const struct image *image, struct elfsymbol *symbols, size_t count)
{
	Elf *elf = image_elf(image);
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		symbols[i].found = false;
	if (!elf)
		return 0;
	search(elf, SHT_DYNSYM, symbols, count, &found);
	search(elf, SHT_SYMTAB, symbols, count, &found);
	return found;
}

bool elfsymbol_section(const struct image *image, const char *name, uint64_t *addr, uint64_t *size)
{
	GElf_Shdr shdr;

	if (!image_elf(image) || !elfsection_next(image_elf(image), NULL, name, &shdr))
		return false;
	*addr = shdr.sh_addr;
	*size = shdr.sh_size;
	return shdr.sh_addr != 0;
}

bool elfsymbol_bytes(const struct image *image, uint64_t addr, void *buf, size_t len)
{
	uint64_t offset, left;
	Elf_Data *data;

	if (!image_elf(image) || !image_offset(image, addr, &offset, &left) || left < len)
		return false;
	data = elf_getdata_rawchunk(image_elf(image), (int64_t)offset, len, ELF_T_BYTE);
	if (!data || data->d_size < len)
		return false;
	memcpy(buf, data->d_buf, len);
	return true;
}
