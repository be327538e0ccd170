/*
 * Which symbol covers an address? A symbol with a size covers its value up to value + size, and
 * nothing else: the nearest symbol below an address is never taken. The gap after a symbol may
 * belong to a static function that was stripped, and a guess would look exactly like knowledge.
 *
 * Symbols of size 0, from hand-written assembly and from crtstuff.c (_init, frame_dummy), tell
 * where a function begins and not where it ends. In a .symtab that has kept its local functions,
 * every function has a symbol. There a symbol of size 0 reaches as far as the next symbol of any
 * kind in its section, or to the section's end. In other tables (.dynsym, .gnu_debugdata, a table
 * without locals) functions may be missing, and a symbol of size 0 covers its own address only. A
 * local label without a type is a place inside a function as often as a function: it ends the
 * symbol before it and names nothing. In doubt there is no name.
 *
 * Of aliases (malloc, __libc_malloc, __GI___libc_malloc) the one that other code calls is shown:
 * global before weak before local, then the fewest leading underscores, then the shortest, then by
 * spelling.
 */
#include "symbolize/files/elfsyms.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

enum { SYMBOLS_MAX = 1 << 24, NAME_MAX_LEN = 64 << 10 };

/* Range of a section with code; empty for others. */
struct elfsyms_code {
	uint64_t start, end;
};

/* Where a symbol begins. */
struct mark {
	uint64_t value;
	uint32_t section;
};

/* One symbol table while it is read. */
struct elfsyms_table {
	Elf *elf;
	Elf_Data *data;
	size_t count, strings;
	struct elfsyms_code *code; /* by section index */
	size_t section_count;
	struct mark *marks; /* sorted; none: symbols of size 0 cover only their own address */
	size_t mark_count;
};

void elfsyms_init(struct elfsyms *s)
{
	memset(s, 0, sizeof(*s));
}

void elfsyms_release(struct elfsyms *s)
{
	free(s->all);
	ranges_release(&s->code);
	arena_release(&s->names);
	elfsyms_init(s);
}

/* Symbols such as _etext and _end may belong to a section and lie after its end. */
static bool in_code(const struct elfsyms_table *t, const GElf_Sym *sym)
{
	return sym->st_shndx < t->section_count && sym->st_value >= t->code[sym->st_shndx].start &&
	       sym->st_value < t->code[sym->st_shndx].end;
}

static bool is_function_type(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static bool elfsyms_is_function(const struct elfsyms_table *t, const GElf_Sym *sym)
{
	if (sym->st_shndx == SHN_UNDEF || !sym->st_value)
		return false;
	if (is_function_type(sym))
		return true;
	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && in_code(t, sym) &&
	       (sym->st_size || GELF_ST_BIND(sym->st_info) != STB_LOCAL);
}

static bool is_variable(const GElf_Sym *sym)
{
	return sym->st_shndx != SHN_UNDEF && sym->st_value && sym->st_size &&
	       GELF_ST_TYPE(sym->st_info) == STT_OBJECT;
}

static uint8_t rank_of(const GElf_Sym *sym, const char *name)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	unsigned underscores = (unsigned)strspn(name, "_");
	unsigned rank = bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 0 :
			bind == STB_WEAK			     ? 16 :
								       32;

	/* A mangled name's own prefix says nothing about an alias. */
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2))
		underscores = 0;
	return (uint8_t)(rank + (underscores < 15 ? underscores : 15));
}

/* Collects where symbols begin in code. *pays: the marks are needed, because there are symbols of
 * size 0 and local functions (see the top of this file). Symbols of sections and files do not
 * count. */
static size_t collect_marks(struct elfsyms_table *t, bool *pays)
{
	bool unsized = false, locals = false;
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		GElf_Sym sym;
		unsigned type;

		if (!gelf_getsym(t->data, (int)i, &sym))
			break;
		type = GELF_ST_TYPE(sym.st_info);
		if (!in_code(t, &sym) || type == STT_SECTION || type == STT_FILE)
			continue;
		unsized |= !sym.st_size && elfsyms_is_function(t, &sym);
		locals |= is_function_type(&sym) && GELF_ST_BIND(sym.st_info) == STB_LOCAL;
		t->marks[n++] = (struct mark){ sym.st_value, sym.st_shndx };
	}
	*pays = unsized && locals;
	return n;
}

static int elfsyms_by_place(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int mark_starts(struct elfsyms_table *t)
{
	bool pays;

	t->marks = malloc((t->count + 1) * sizeof(*t->marks));
	if (!t->marks)
		return ERR_NOMEM;
	t->mark_count = collect_marks(t, &pays);
	if (pays)
		qsort(t->marks, t->mark_count, sizeof(*t->marks), elfsyms_by_place);
	else
		t->mark_count = 0;
	return 0;
}

/* Where a symbol of size 0 ends. */
static uint64_t next_start(const struct elfsyms_table *t, const GElf_Sym *sym)
{
	struct mark here = { sym->st_value, sym->st_shndx };
	size_t lo = 0, hi = t->mark_count;
	uint64_t end;

	if (!t->mark_count || !in_code(t, sym))
		return sym->st_value + 1;
	end = t->code[sym->st_shndx].end;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (elfsyms_by_place(&t->marks[mid], &here) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < t->mark_count && t->marks[lo].section == here.section && t->marks[lo].value < end)
		end = t->marks[lo].value;
	return end;
}

static int elfsyms_add_symbol(struct elfsyms *s, const struct elfsyms_table *t, const GElf_Sym *sym,
			      const char *name)
{
	struct elfsym e = { .start = sym->st_value,
			    .rank = rank_of(sym, name),
			    .sized = sym->st_size != 0 };
	const char *version = strchr(name, '@');
	size_t len = version && version > name ? (size_t)(version - name) : strlen(name);

	e.end = e.sized ? e.start + sym->st_size : next_start(t, sym);
	if (len > NAME_MAX_LEN || e.end <= e.start)
		return 0;
	if (room_for((void **)&s->all, &s->room, s->count + 1, sizeof(e)) ||
	    !(e.name = arena_copy(&s->names, name, len)))
		return ERR_NOMEM;
	s->all[s->count++] = e;
	return 0;
}

static int add_symbols(struct elfsyms *s, const struct elfsyms_table *t)
{
	for (size_t i = 0; i < t->count && s->count < SYMBOLS_MAX; i++) {
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(t->data, (int)i, &sym))
			break;
		if (s->variables ? !is_variable(&sym) : !elfsyms_is_function(t, &sym))
			continue;
		name = elf_strptr(t->elf, t->strings, sym.st_name);
		if (name && *name && elfsyms_add_symbol(s, t, &sym, name))
			return ERR_NOMEM;
	}
	return 0;
}

static int elfsyms_find_code(struct elfsyms_table *t)
{
	Elf_Scn *scn = NULL;

	if (elf_getshdrnum(t->elf, &t->section_count))
		t->section_count = 0;
	/* Higher numbers are reserved. A file with so many sections lists the rest in a table of
	 * its own (SHT_SYMTAB_SHNDX), and no program has one. */
	if (t->section_count > SHN_LORESERVE)
		t->section_count = SHN_LORESERVE;
	t->code = calloc(t->section_count + 1, sizeof(*t->code));
	if (!t->code)
		return ERR_NOMEM;
	while ((scn = elf_nextscn(t->elf, scn))) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && elf_ndxscn(scn) < t->section_count &&
		    shdr.sh_flags & SHF_EXECINSTR)
			t->code[elf_ndxscn(scn)] = (struct elfsyms_code){
				shdr.sh_addr, shdr.sh_addr + shdr.sh_size
			};
	}
	return 0;
}

static int add_table(struct elfsyms *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, bool whole)
{
	struct elfsyms_table t = { .elf = elf,
				   .data = elf_getdata(scn, NULL),
				   .strings = shdr->sh_link };
	int rc = 0;

	if (!t.data || shdr->sh_entsize != sizeof(Elf64_Sym))
		return 0;
	t.count = t.data->d_size / sizeof(Elf64_Sym);
	if (t.count > INT32_MAX)
		t.count = INT32_MAX;
	rc = elfsyms_find_code(&t);
	if (!rc && whole && !s->variables)
		rc = mark_starts(&t);
	if (!rc)
		rc = add_symbols(s, &t);
	free(t.code);
	free(t.marks);
	return rc;
}

long elfsyms_add(struct elfsyms *s, Elf *elf, uint32_t section_type, bool whole)
{
	size_t before = s->count;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == section_type &&
		    add_table(s, elf, scn, &shdr, whole))
			return ERR_NOMEM;
	}
	return (long)(s->count - before);
}

/* By precedence: a known size before an unknown one, the inner of two that nest, the best of
 * aliases. The best is last. */
static int by_precedence(const void *a, const void *b)
{
	const struct elfsym *x = a, *y = b;
	size_t lx, ly;

	if (x->sized != y->sized)
		return x->sized ? 1 : -1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	lx = strlen(x->name);
	ly = strlen(y->name);
	if (lx != ly)
		return lx > ly ? -1 : 1;
	return strcmp(y->name, x->name);
}

int elfsyms_settle(struct elfsyms *s)
{
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), by_precedence);
	for (size_t i = 0; i < s->count; i++)
		if (ranges_add(&s->code, s->all[i].start, s->all[i].end, (uint32_t)i))
			return ERR_NOMEM;
	return ranges_settle(&s->code);
}

const struct elfsym *elfsyms_find(const struct elfsyms *s, uint64_t addr)
{
	const struct range *r = ranges_find(&s->code, addr);

	return r ? &s->all[r->of] : NULL;
}
