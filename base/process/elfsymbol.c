/* The tables are searched with libelf by a word's comparison for each symbol. A filter of names
 * (Bloom), made at the first look, answers most searches that would find nothing. */
#include "base/process/elfsymbol.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf/elfsection.h"
#include "base/process/image.h"

enum { SYMBOLS_MAX = 10000000 };

/* A section of symbols. A large program has a hundred thousand, which several runtimes look
 * through, so names are compared in their section: elf_strptr(3) checks that section anew each
 * time. */
struct elfsymbol_table {
	Elf_Data *symbols;
	const char *strings;
	size_t strings_len;
};

static bool open_table(struct elfsymbol_table *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Scn *strings = elf_getscn(elf, shdr->sh_link);
	Elf_Data *data = strings ? elf_getdata(strings, NULL) : NULL;

	t->symbols = elf_getdata(scn, NULL);
	if (!t->symbols || !data || !data->d_buf)
		return false;
	t->strings = data->d_buf;
	t->strings_len = data->d_size;
	return true;
}

/* The symbols that are looked for. Names that are equal begin with the same word. */
struct elfsymbol_wanted {
	struct elfsymbol *symbols;
	size_t count;
	uint32_t words[ELFSYMBOL_MAX];
};

static bool elfsymbol_has_name(const struct elfsymbol_table *t, const GElf_Sym *sym,
			       const char *name)
{
	size_t len = strlen(name) + 1;

	return len <= t->strings_len - sym->st_name &&
	       !memcmp(t->strings + sym->st_name, name, len);
}

static void elfsymbol_match(const struct elfsymbol_table *t, const GElf_Sym *sym,
			    struct elfsymbol_wanted *w, size_t *found)
{
	uint32_t word;

	if (sym->st_name >= t->strings_len || t->strings_len - sym->st_name < sizeof(word))
		return;
	memcpy(&word, t->strings + sym->st_name, sizeof(word));
	for (size_t i = 0; i < w->count; i++) {
		struct elfsymbol *s = &w->symbols[i];

		if (word != w->words[i] || s->found || !elfsymbol_has_name(t, sym, s->name))
			continue;
		s->addr = sym->st_value;
		s->size = sym->st_size;
		s->found = true;
		++*found;
	}
}

/* A large program's symbols take 5 to 60 ms to go through, and each of several runtimes looks for
 * its own, most of them in vain. So the first look notes which names there are: for each, a bit by
 * its first eight bytes. */
struct elfsymbol_names {
	unsigned log2;
	uint8_t bits[];
};

enum { FEW = 1024, LOG2_LEAST = 12, LOG2_MOST = 21, NAME_BYTES = 8, BITS_OF_NAME = 8 };

static size_t bit_of(const struct elfsymbol_names *names, const char *name, size_t room)
{
	uint64_t first = 0;

	memcpy(&first, name, strnlen(name, room < NAME_BYTES ? room : NAME_BYTES));
	return (size_t)(first * 0x9e3779b97f4a7c15 >> (64 - names->log2));
}

static bool may_have(const struct elfsymbol_names *names, const char *name)
{
	size_t bit = bit_of(names, name, NAME_BYTES);

	return names->bits[bit / 8] >> bit % 8 & 1;
}

static void elfsymbol_note_names(struct elfsymbol_names *names, const struct elfsymbol_table *t)
{
	GElf_Sym sym;

	for (int i = 0; i < SYMBOLS_MAX && gelf_getsym(t->symbols, i, &sym); i++) {
		size_t bit;

		if (sym.st_shndx == SHN_UNDEF || sym.st_name >= t->strings_len)
			continue;
		bit = bit_of(names, t->strings + sym.st_name, t->strings_len - sym.st_name);
		names->bits[bit / 8] |= (uint8_t)(1 << bit % 8);
	}
}

/* The next section of symbols of that type; 0: of both. */
static Elf_Scn *next_table(Elf *elf, Elf_Scn *scn, uint32_t type, struct elfsymbol_table *t)
{
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
		    (type ? shdr.sh_type == type :
			    shdr.sh_type == SHT_DYNSYM || shdr.sh_type == SHT_SYMTAB) &&
		    open_table(t, elf, scn, &shdr))
			break;
	return scn;
}

static size_t count_symbols(Elf *elf)
{
	struct elfsymbol_table t;
	size_t count = 0;

	for (Elf_Scn *scn = NULL; (scn = next_table(elf, scn, 0, &t));)
		count += t.symbols->d_size / sizeof(GElf_Sym);
	return count;
}

/* NULL: they are few, or there is no memory. */
static const struct elfsymbol_names *names_of(const struct image *image, Elf *elf)
{
	struct elfsymbol_names **kept = (struct elfsymbol_names **)image_names(image), *names;
	size_t count = *kept ? 0 : count_symbols(elf);
	unsigned log2 = LOG2_LEAST;
	struct elfsymbol_table t;

	if (*kept || count < FEW)
		return *kept;
	while (log2 < LOG2_MOST && 1ul << log2 < count * BITS_OF_NAME)
		log2++;
	names = calloc(1, sizeof(*names) + (1ul << log2) / 8);
	if (!names)
		return NULL;
	names->log2 = log2;
	for (Elf_Scn *scn = NULL; (scn = next_table(elf, scn, 0, &t));)
		elfsymbol_note_names(names, &t);
	return *kept = names;
}

static bool may_have_any(const struct elfsymbol_names *names, const struct elfsymbol_wanted *w)
{
	for (size_t i = 0; names && i < w->count; i++)
		if (may_have(names, w->symbols[i].name))
			return true;
	return !names;
}

static void elfsymbol_search(Elf *elf, uint32_t type, struct elfsymbol_wanted *w, size_t *found)
{
	Elf_Scn *scn = NULL;
	struct elfsymbol_table t;
	GElf_Sym sym;

	while (*found < w->count && (scn = next_table(elf, scn, type, &t)))
		for (int i = 0;
		     *found < w->count && i < SYMBOLS_MAX && gelf_getsym(t.symbols, i, &sym); i++)
			if (sym.st_shndx != SHN_UNDEF)
				elfsymbol_match(&t, &sym, w, found);
}

size_t elfsymbol_find(const struct image *image, struct elfsymbol *symbols, size_t count)
{
	struct elfsymbol_wanted w = { .symbols = symbols, .count = count };
	Elf *elf = image_elf(image);
	size_t found = 0;

	for (size_t i = 0; i < count && i < ELFSYMBOL_MAX; i++) {
		symbols[i].found = false;
		memcpy(&w.words[i], symbols[i].name, sizeof(w.words[i]));
	}
	if (!elf || count > ELFSYMBOL_MAX || !may_have_any(names_of(image, elf), &w))
		return 0;
	elfsymbol_search(elf, SHT_DYNSYM, &w, &found);
	elfsymbol_search(elf, SHT_SYMTAB, &w, &found);
	return found;
}

#ifdef __x86_64__
enum { GLOB_DAT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { GLOB_DAT = R_AARCH64_GLOB_DAT };
#endif

static bool is_slot_of(Elf *elf, Elf_Data *symbols, const GElf_Shdr *of_symbols,
		       const GElf_Rela *rela, const char *name)
{
	const char *found;
	GElf_Sym sym;

	if (GELF_R_TYPE(rela->r_info) != GLOB_DAT ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &sym))
		return false;
	found = elf_strptr(elf, of_symbols->sh_link, sym.st_name);
	return found && !strcmp(found, name);
}

bool elfsymbol_slot(const struct image *image, const char *name, uint64_t *slot)
{
	Elf *elf = image_elf(image);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr, of_symbols;
	GElf_Rela rela;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		Elf_Scn *linked;
		Elf_Data *data, *symbols;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA)
			continue;
		linked = elf_getscn(elf, shdr.sh_link);
		if (!linked || !gelf_getshdr(linked, &of_symbols) ||
		    of_symbols.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(scn, NULL);
		symbols = elf_getdata(linked, NULL);
		for (int i = 0; data && symbols && i < SYMBOLS_MAX && gelf_getrela(data, i, &rela);
		     i++)
			if (is_slot_of(elf, symbols, &of_symbols, &rela, name)) {
				*slot = rela.r_offset;
				return true;
			}
	}
	return false;
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
