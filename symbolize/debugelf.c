/*
 * dwarf_begin_elf reads, and if need be decompresses, every section whose name it
 * knows. Locations of variables, macros and call frames are a third of what a compiler
 * writes and not our business: for this handle they are made SHT_NOBITS, which libdw
 * passes over.
 *
 * The mapping is private and writable because libelf gives section headers of mapped
 * files in place, and it is those that are changed.
 */
#include "symbolize/debugelf.h"

#include <gelf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const needless[] = { "aranges", "frame", "gdb_scripts", "loc", "loclists",
					"macinfo", "macro", "names", "pubnames", "pubtypes",
					"gnu_pubnames", "gnu_pubtypes" };

static bool is_needless(const char *name)
{
	name += name[1] == 'z' ? strlen(".zdebug_") : strlen(".debug_");
	for (size_t i = 0; i < sizeof(needless) / sizeof(*needless); i++)
		if (!strcmp(name, needless[i]))
			return true;
	return false;
}

/* libdw would decompress it, too, and leave what it was made of in memory. */
static void decompress(const struct debugelf *d, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	if (elf_compress(scn, 0, 0) < 0 || shdr->sh_offset > d->size)
		return;
	debugelf_drop(d, (char *)d->map + shdr->sh_offset, shdr->sh_size);
}

static void choose_sections(const struct debugelf *d)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(d->elf, &strings))
		return;
	while ((scn = elf_nextscn(d->elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ?
					   elf_strptr(d->elf, strings, shdr.sh_name) : NULL;

		if (!name || (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8)))
			continue;
		if (is_needless(name)) {
			shdr.sh_type = SHT_NOBITS;
			gelf_update_shdr(scn, &shdr);
		} else if (d->map && shdr.sh_flags & SHF_COMPRESSED) {
			decompress(d, scn, &shdr);
		}
	}
}

static void map_file(struct debugelf *d, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return;
	d->size = (size_t)st.st_size;
	d->map = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (d->map == MAP_FAILED)
		d->map = NULL;
}

void debugelf_open(struct debugelf *d, int fd, bool may_map)
{
	memset(d, 0, sizeof(*d));
	if (may_map)
		map_file(d, fd);
	d->elf = d->map ? elf_memory(d->map, d->size) : elf_begin(fd, ELF_C_READ, NULL);
	if (d->elf)
		choose_sections(d);
}

void debugelf_close(struct debugelf *d)
{
	if (d->elf)
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
