/*
 * Which symbol covers an address? One with a size covers value up to value +
 * size, and nothing else does: a symbol of size 0 (hand-written assembly)
 * covers its own address only. The gap behind it may belong to a static
 * function that was stripped, and a guess looks exactly like knowledge.
 *
 * Of aliases (malloc, __libc_malloc, __GI___libc_malloc) the one to show is the
 * one that other code calls: global before weak before local, then the fewest
 * leading underscores, then the shortest, then by spelling.
 */
#include "symbolize/elfsyms.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { SYMBOLS_MAX = 1 << 24, NAME_MAX = 64 << 10 };

void elfsyms_init(struct elfsyms *s)
{
	memset(s, 0, sizeof(*s));
}

void elfsyms_release(struct elfsyms *s)
{
	free(s->all);
	free(s->reach);
	arena_release(&s->names);
	elfsyms_init(s);
}

static bool is_function(Elf *elf, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr shdr;
	Elf_Scn *scn;

	if (sym->st_shndx == SHN_UNDEF || !sym->st_value)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	if (type != STT_NOTYPE || sym->st_shndx >= SHN_LORESERVE)
		return false;
	scn = elf_getscn(elf, sym->st_shndx);
	return scn && gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR;
}

static uint8_t rank_of(const GElf_Sym *sym, const char *name)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	unsigned underscores = (unsigned)strspn(name, "_");
	unsigned rank = bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 0 : bind == STB_WEAK ? 16 : 32;

	/* A mangled name's own prefix says nothing about an alias. */
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2))
		underscores = 0;
	return (uint8_t)(rank + (underscores < 15 ? underscores : 15));
}

static int make_room(struct elfsyms *s)
{
	size_t room = s->room ? s->room * 2 : 256;
	struct elfsym *all;

	if (s->count < s->room)
		return 0;
	all = realloc(s->all, room * sizeof(*all));
	if (!all)
		return ERR_NOMEM;
	s->all = all;
	s->room = room;
	return 0;
}

static int add(struct elfsyms *s, const GElf_Sym *sym, const char *name)
{
	struct elfsym e = { .start = sym->st_value, .rank = rank_of(sym, name) };
	const char *version = strchr(name, '@');
	size_t len = version && version > name ? (size_t)(version - name) : strlen(name);
	uint64_t size = sym->st_size ? sym->st_size : 1;

	if (len > NAME_MAX || __builtin_add_overflow(e.start, size, &e.end))
		return 0;
	if (make_room(s) || !(e.name = arena_copy(&s->names, name, len)))
		return ERR_NOMEM;
	s->all[s->count++] = e;
	return 0;
}

static int add_table(struct elfsyms *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = data && shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;

	for (size_t i = 0; i < count && s->count < SYMBOLS_MAX; i++) {
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if (!is_function(elf, &sym))
			continue;
		name = elf_strptr(elf, shdr->sh_link, sym.st_name);
		if (name && *name && add(s, &sym, name))
			return ERR_NOMEM;
	}
	return 0;
}

long elfsyms_add(struct elfsyms *s, Elf *elf, uint32_t section_type)
{
	size_t before = s->count;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == section_type &&
		    add_table(s, elf, scn, &shdr))
			return ERR_NOMEM;
	}
	return (long)(s->count - before);
}

static int by_address(const void *a, const void *b)
{
	const struct elfsym *x = a, *y = b;
	size_t lx, ly;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	lx = strlen(x->name);
	ly = strlen(y->name);
	if (lx != ly)
		return lx < ly ? -1 : 1;
	return strcmp(x->name, y->name);
}

int elfsyms_sort(struct elfsyms *s)
{
	uint64_t reach = 0;

	s->reach = malloc((s->count + 1) * sizeof(*s->reach));
	if (!s->reach)
		return ERR_NOMEM;
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), by_address);
	for (size_t i = 0; i < s->count; i++) {
		reach = s->all[i].end > reach ? s->all[i].end : reach;
		s->reach[i] = reach;
	}
	return 0;
}

/* From the last symbol that starts at or below the address back to the nearest
 * start that covers it; `reach` tells when no earlier one can. Among those that
 * start together the first is the one to show. */
const struct elfsym *elfsyms_find(const struct elfsyms *s, uint64_t addr)
{
	const struct elfsym *best = NULL;
	size_t lo = 0, hi = s->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->all[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo-- > 0 && s->reach[lo] > addr) {
		const struct elfsym *e = &s->all[lo];

		if (best && e->start != best->start)
			break;
		if (e->end > addr)
			best = e;
	}
	return best;
}
