/*
 * dwarf_begin_elf reads every section whose name it recognizes. Locations of variables, macros and
 * call frames are a third of what a compiler writes, and are not needed here. In this handle they
 * are changed to SHT_NOBITS, which libdw skips.
 *
 * The mapping is private and writable because libelf uses the section headers of a mapped file in
 * place, and these are changed.
 */
#include "symbolize/files/debugelf.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf/elfsection.h"

static const char *const needless[] = { "aranges",  "frame",	"gdb_scripts",	"loc",
					"loclists", "macinfo",	"macro",	"names",
					"pubnames", "pubtypes", "gnu_pubnames", "gnu_pubtypes" };

static bool is_needless(const char *name)
{
	const char *what = !strncmp(name, ".debug_", 7)	 ? name + 7 :
			   !strncmp(name, ".zdebug_", 8) ? name + 8 :
							   NULL;

	for (size_t i = 0; what && i < sizeof(needless) / sizeof(*needless); i++)
		if (!strcmp(what, needless[i]))
			return true;
	return false;
}

static void hide_needless(Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? elfsection_name(elf, &shdr) : NULL;

		if (!name || !is_needless(name))
			continue;
		shdr.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &shdr);
	}
}

static void debugelf_map_file(struct debugelf *d, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return;
	d->size = (size_t)st.st_size;
	d->map = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (d->map == MAP_FAILED)
		d->map = NULL;
}

void debugelf_open(struct debugelf *d, int fd)
{
	memset(d, 0, sizeof(*d));
	debugelf_map_file(d, fd);
	d->elf = d->map ? elf_memory(d->map, d->size) : elf_begin(fd, ELF_C_READ, NULL);
	if (d->elf)
		hide_needless(d->elf);
}

void debugelf_close(struct debugelf *d)
{
	elf_end(d->elf);
	if (d->map)
		munmap(d->map, d->size);
	memset(d, 0, sizeof(*d));
}

void debugelf_drop(const struct debugelf *d, const void *bytes, size_t len)
{
	uintptr_t map = (uintptr_t)d->map, start = (uintptr_t)bytes, end = start + len;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (!d->map || start < map || end > map + d->size)
		return;
	start = (start + page - 1) / page * page;
	end = end / page * page;
	if (start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}
