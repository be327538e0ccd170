/*
 * Layout: ELF header, the sections one after the other, their names, the section headers.
 *
 * Rejected: an Elf made by elf_newscn() and elf_newdata(), whose sections could point to bytes
 * elsewhere. Newer versions of libdw read with elf_rawdata(), which returns only bytes of a file.
 */
#include "symbolize/files/elfview.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { ALIGN = 8 };

static const uint64_t VIEW_MAX = 4ull << 30;

struct elfview_layout {
	uint64_t sections, names, headers, end; /* offsets */
};

static uint64_t aligned(uint64_t n)
{
	return (n + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

static const char names_section[] = ".shstrtab";

/* False when it gets too large. */
static bool lay_out(struct elfview_layout *l, const struct elfview_section *s, size_t count)
{
	uint64_t at = l->sections = aligned(sizeof(Elf64_Ehdr));
	uint64_t names = 1 + sizeof(names_section);

	for (size_t i = 0; i < count; i++) {
		if (s[i].len > VIEW_MAX)
			return false;
		at += aligned(s[i].len);
		names += strlen(s[i].name) + 1;
		if (at > VIEW_MAX)
			return false;
	}
	l->names = at;
	l->headers = aligned(at + names);
	l->end = l->headers + (count + 2) * sizeof(Elf64_Shdr);
	return true;
}

static void write_header(struct elfview *v, const struct elfview_layout *l, size_t count)
{
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = l->headers,
		.e_ehsize = sizeof(ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)(count + 2),
		.e_shstrndx = (Elf64_Half)(count + 1),
	};

	memcpy(v->bytes, &ehdr, sizeof(ehdr));
}

static void write_sections(struct elfview *v, const struct elfview_layout *l,
			   struct elfview_section *s, size_t count)
{
	Elf64_Shdr *headers = (Elf64_Shdr *)(void *)(v->bytes + l->headers);
	char *names = v->bytes + l->names, *name = names + 1;
	uint64_t at = l->sections;

	memset(names, 0, l->end - l->names);
	for (size_t i = 0; i < count; i++) {
		headers[i + 1] = (Elf64_Shdr){ .sh_name = (Elf64_Word)(name - names),
					       .sh_type = SHT_PROGBITS,
					       .sh_offset = at,
					       .sh_size = s[i].len,
					       .sh_addralign = 1 };
		s[i].bytes = (uint8_t *)v->bytes + at;
		at += aligned(s[i].len);
		name = stpcpy(name, s[i].name) + 1;
	}
	strcpy(name, names_section);
	headers[count + 1] = (Elf64_Shdr){ .sh_name = (Elf64_Word)(name - names),
					   .sh_type = SHT_STRTAB,
					   .sh_offset = l->names,
					   .sh_size = l->headers - l->names,
					   .sh_addralign = 1 };
}

int elfview_make(struct elfview *v, struct elfview_section *sections, size_t count)
{
	struct elfview_layout l;

	*v = (struct elfview){ NULL, 0 };
	if (count >= SHN_LORESERVE - 2 || !lay_out(&l, sections, count))
		return ERR_LIMIT;
	v->bytes = malloc(l.end);
	if (!v->bytes)
		return ERR_NOMEM;
	v->len = l.end;
	write_header(v, &l, count);
	write_sections(v, &l, sections, count);
	return 0;
}

Elf *elfview_open(const struct elfview *v)
{
	return elf_memory(v->bytes, v->len);
}

void elfview_release(struct elfview *v)
{
	free(v->bytes);
	*v = (struct elfview){ NULL, 0 };
}
