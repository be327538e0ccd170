/* PT_DYNAMIC leads to the table, which is read in pieces and never kept: one pass collects the
 * pointers of a range, sorted by address, or the places that point to an address. */
#include "base/process/relocs.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/lazyfile.h"
#include "base/room.h"
#include "base/sorted.h"

enum {
	DYNAMIC_MAX = 512, /* entries of the dynamic section */
	CHUNK = 512,	   /* relocations read at a time */
};

/* 100 million pointers; chromium has 2 million. */
static const uint64_t TABLE_MAX = 2400000000u;

struct relocs_table {
	uint64_t at, size; /* DT_RELA, DT_RELASZ */
	uint64_t symbols;  /* DT_SYMTAB */
};

/* Called for each relocation; a nonzero result ends the reading and is returned. */
typedef int visit(void *context, uint64_t at, uint64_t value);

static bool find_dynamic(const struct image *image, GElf_Phdr *ph)
{
	size_t count;

	if (elf_getphdrnum(image_elf(image), &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(image_elf(image), (int)i, ph) && ph->p_type == PT_DYNAMIC)
			return true;
	return false;
}

static bool relocs_find_table(const struct image *image, struct lazyfile *file,
			      struct relocs_table *t)
{
	GElf_Phdr ph;
	Elf64_Dyn d;

	memset(t, 0, sizeof(*t));
	if (!find_dynamic(image, &ph))
		return false;
	for (size_t i = 0; i < DYNAMIC_MAX; i++) {
		if (!lazyfile_read_at(file, ph.p_vaddr + i * sizeof(d), &d, sizeof(d)) ||
		    d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_RELA)
			t->at = d.d_un.d_ptr;
		else if (d.d_tag == DT_RELASZ)
			t->size = d.d_un.d_val;
		else if (d.d_tag == DT_SYMTAB)
			t->symbols = d.d_un.d_ptr;
	}
	return t->at && t->size;
}

/* The value that a relocation writes. False if that is no plain address in this file. */
static bool written(const struct relocs_table *t, struct lazyfile *file, const Elf64_Rela *r,
		    uint64_t *value)
{
	Elf64_Sym sym;

	*value = (uint64_t)r->r_addend;
	if (ELF64_R_TYPE(r->r_info) == R_X86_64_RELATIVE)
		return true;
	if (ELF64_R_TYPE(r->r_info) != R_X86_64_64 || !t->symbols ||
	    !lazyfile_read_at(file, t->symbols + ELF64_R_SYM(r->r_info) * sizeof(sym), &sym,
			      sizeof(sym)) ||
	    sym.st_shndx == SHN_UNDEF)
		return false;
	*value += sym.st_value;
	return true;
}

static int visit_all(const struct image *image, struct lazyfile *file, visit *v, void *context)
{
	Elf64_Rela chunk[CHUNK];
	struct relocs_table t;
	uint64_t count, value;
	int rc = 0;

	if (!relocs_find_table(image, file, &t))
		return 0;
	if (t.size > TABLE_MAX)
		return ERR_LIMIT;
	count = t.size / sizeof(chunk[0]);
	for (uint64_t done = 0; !rc && done < count; done += CHUNK) {
		size_t n = count - done < CHUNK ? (size_t)(count - done) : CHUNK;

		if (!lazyfile_read_at(file, t.at + done * sizeof(chunk[0]), chunk,
				      n * sizeof(chunk[0])))
			return 0;
		for (size_t i = 0; !rc && i < n; i++)
			if (written(&t, file, &chunk[i], &value))
				rc = v(context, chunk[i].r_offset, value);
	}
	return rc;
}

struct relocs_loading {
	struct relocs *r;
	uint64_t start, end;
};

static int load_one(void *context, uint64_t at, uint64_t value)
{
	struct relocs_loading *l = context;
	struct relocs *r = l->r;

	if (at < l->start || at >= l->end)
		return 0;
	if (room_for((void **)&r->all, &r->room, r->count + 1, sizeof(*r->all)))
		return ERR_NOMEM;
	r->all[r->count++] = (struct reloc){ at, value };
	return 0;
}

int relocs_load(struct relocs *r, const struct image *image, struct lazyfile *file, uint64_t start,
		uint64_t end)
{
	struct relocs_loading l = { r, start, end };
	int rc;

	memset(r, 0, sizeof(*r));
	rc = visit_all(image, file, load_one, &l);
	if (rc)
		relocs_release(r);
	else if (r->count)
		qsort(r->all, r->count, sizeof(*r->all), sorted_order);
	return rc;
}

void relocs_release(struct relocs *r)
{
	free(r->all);
	memset(r, 0, sizeof(*r));
}

struct relocs_looking {
	uint64_t value, *places;
	size_t count, room;
};

static int relocs_look_at(void *context, uint64_t at, uint64_t value)
{
	struct relocs_looking *l = context;

	if (value == l->value)
		l->places[l->count++] = at;
	return l->count == l->room;
}

size_t relocs_to(const struct image *image, struct lazyfile *file, uint64_t value, uint64_t *places,
		 size_t room)
{
	struct relocs_looking l = { value, places, 0, room };

	visit_all(image, file, relocs_look_at, &l);
	return l.count;
}

bool relocs_word(const struct relocs *r, struct lazyfile *file, uint64_t addr, uint64_t *word)
{
	const struct reloc *found = sorted_find(r->all, r->count, sizeof(*r->all), addr);

	if (!found)
		return lazyfile_read_at(file, addr, word, sizeof(*word));
	*word = found->value;
	return true;
}
