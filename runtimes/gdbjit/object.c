/* Header, sections and symbols are read with bounds from the registered bytes, without libelf: the
 * bytes are a JIT compiler's and may be anything. */
#include "runtimes/gdbjit/object.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/machine.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "base/sorted.h"
#include "base/strset.h"
#include "unwind/table/cfi.h"
#include "unwind/table/table.h"

enum {
	SECTIONS_MAX = 4096,
	SYMBOLS_MAX = 1 << 18,
	NAME_MAX_LEN = 4096,
	CFI_MAX = 16 << 20,
	CFI_SECTIONS = 4,
};

struct file {
	const uint8_t *bytes;
	size_t len;
	const struct memory *memory;
	struct strset *names;
	bool relative; /* symbols are relative to their section */
	uint64_t sections, names_section;
	unsigned count;
	struct jit_object *object;
};

struct gdbjit_object_section {
	uint32_t name, type, link;
	uint64_t addr, offset, size;
};

/* Sets *c to a part of the file; to nothing, if some of the part lies outside of the file. */
static void gdbjit_object_part(const struct file *f, uint64_t offset, uint64_t size,
			       struct cursor *c)
{
	bool lies_in = offset <= f->len && size <= f->len - offset;

	cursor_init(c, lies_in ? f->bytes + offset : NULL, lies_in ? size : 0, "registered file");
}

static bool gdbjit_object_read_header(struct file *f)
{
	struct cursor c;
	uint64_t type, entry;

	gdbjit_object_part(f, 0, sizeof(Elf64_Ehdr), &c);
	if (cursor_uint(&c, 4) != 0x464c457f || cursor_byte(&c) != ELFCLASS64 ||
	    cursor_byte(&c) != ELFDATA2LSB)
		return false;
	cursor_bytes(&c, EI_NIDENT - 6);
	type = cursor_uint(&c, 2);
	if (cursor_uint(&c, 2) != MACHINE_ELF)
		return false;
	cursor_bytes(&c, 4 + 8 + 8); /* version, entry, program headers */
	f->relative = type == ET_REL;
	f->sections = cursor_uint(&c, 8);
	cursor_bytes(&c, 4 + 2 + 2 + 2); /* flags, sizes of the headers */
	entry = cursor_uint(&c, 2);
	f->count = (unsigned)cursor_uint(&c, 2);
	f->names_section = cursor_uint(&c, 2);
	return !c.failed && entry == sizeof(Elf64_Shdr) && f->count <= SECTIONS_MAX;
}

static bool section_at(const struct file *f, uint64_t i, struct gdbjit_object_section *s)
{
	struct cursor c;

	if (i >= f->count)
		return false;
	gdbjit_object_part(f, f->sections + i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr), &c);
	s->name = (uint32_t)cursor_uint(&c, 4);
	s->type = (uint32_t)cursor_uint(&c, 4);
	cursor_uint(&c, 8); /* flags */
	s->addr = cursor_uint(&c, 8);
	s->offset = cursor_uint(&c, 8);
	s->size = cursor_uint(&c, 8);
	s->link = (uint32_t)cursor_uint(&c, 4);
	return !c.failed;
}

/* A text in section `table`, a table of strings; NULL: there is no text that ends in it. */
static const char *gdbjit_object_text_at(const struct file *f, uint64_t table, uint64_t at)
{
	struct gdbjit_object_section s;
	struct cursor c;
	const char *text;

	if (!section_at(f, table, &s) || s.type != SHT_STRTAB || at >= s.size)
		return NULL;
	gdbjit_object_part(f, s.offset, s.size, &c);
	cursor_bytes(&c, at);
	text = (const char *)c.pos;
	return memchr(text ? text : "x", 0, text ? cursor_left(&c) : 1) ? text : NULL;
}

static int gdbjit_object_add_function(struct file *f, uint64_t start, uint64_t size,
				      const char *name)
{
	struct jit_object *o = f->object;
	struct jit_function function = { .start = start, .end = start + size };
	struct buffer text = { 0 };
	int rc = buffer_add_utf8(&text, name, strnlen(name, NAME_MAX_LEN));

	rc = rc ? rc : strset_add(f->names, (char *)text.data, text.len, &function.name);
	buffer_release(&text);
	if (rc || room_for((void **)&o->functions, &o->room, o->count + 1, sizeof(function)))
		return ERR_NOMEM;
	o->functions[o->count++] = function;
	return 0;
}

/* One symbol. Without a size it reaches to its section's end. */
static int gdbjit_object_take_symbol(struct file *f, struct cursor *c, uint64_t strings)
{
	uint32_t name = (uint32_t)cursor_uint(c, 4);
	uint8_t info = cursor_byte(c);
	uint64_t other = cursor_uint(c, 1), index = cursor_uint(c, 2), start = cursor_uint(c, 8),
		 size = cursor_uint(c, 8), offset;
	const char *text = gdbjit_object_text_at(f, strings, name);
	struct gdbjit_object_section s;

	(void)other;
	if (c->failed || ELF64_ST_TYPE(info) != STT_FUNC || !text || !*text ||
	    !section_at(f, index, &s) || !s.addr)
		return 0;
	offset = f->relative ? start : start - s.addr;
	if (offset >= s.size || s.addr > UINT64_MAX - s.size)
		return 0;
	if (!size || size > s.size - offset)
		size = s.size - offset;
	return gdbjit_object_add_function(f, s.addr + offset, size, text);
}

static int gdbjit_object_take_symbols(struct file *f, const struct gdbjit_object_section *s)
{
	struct cursor c;
	int rc = 0;

	gdbjit_object_part(f, s->offset, s->size, &c);
	for (unsigned i = 0; !rc && i < SYMBOLS_MAX && cursor_left(&c) >= sizeof(Elf64_Sym); i++)
		rc = gdbjit_object_take_symbol(f, &c, s->link);
	return rc;
}

static int take_functions(struct file *f)
{
	struct jit_object *o = f->object;
	struct gdbjit_object_section s;
	int rc = 0;

	for (unsigned i = 0; !rc && i < f->count; i++)
		if (section_at(f, i, &s) && s.type == SHT_SYMTAB)
			rc = gdbjit_object_take_symbols(f, &s);
	if (o->count)
		qsort(o->functions, o->count, sizeof(*o->functions), sorted_order);
	o->low = o->count ? o->functions[0].start : 0;
	for (size_t i = 0; i < o->count; i++)
		o->high = o->functions[i].end > o->high ? o->functions[i].end : o->high;
	return rc;
}

/* CFI. */

struct sections {
	struct cfi_section at[CFI_SECTIONS];
	void *copies[CFI_SECTIONS]; /* owned; NULL: in the file */
	size_t count;
};

/* A copy of the section where it was loaded, where it is relocated; NULL: it was not loaded, or
 * cannot be read. */
static void *loaded(const struct file *f, const struct gdbjit_object_section *s)
{
	void *copy = s->addr ? malloc(s->size) : NULL;

	if (copy && f->memory->read(f->memory, s->addr, copy, s->size)) {
		free(copy);
		copy = NULL;
	}
	return copy;
}

static void take_cfi(const struct file *f, const struct gdbjit_object_section *s, bool eh_frame,
		     struct sections *to)
{
	struct cursor c;
	void *copy;

	if (to->count == CFI_SECTIONS || !s->size || s->size > CFI_MAX)
		return;
	copy = loaded(f, s);
	gdbjit_object_part(f, s->offset, s->size, &c);
	if (!copy && (s->type == SHT_NOBITS || !cursor_left(&c)))
		return;
	to->copies[to->count] = copy;
	to->at[to->count++] = (struct cfi_section){
		.data = copy ? copy : c.pos,
		.len = s->size,
		.vaddr = s->addr,
		.text_base = f->object->low,
		.eh_frame = eh_frame,
		.ident = f->bytes,
	};
}

static int make_table(const struct file *f)
{
	struct sections found = { .count = 0 };
	struct jit_object *o = f->object;
	struct gdbjit_object_section s;
	int rc = 0;

	for (unsigned i = 0; i < f->count; i++) {
		const char *name = section_at(f, i, &s) ?
					   gdbjit_object_text_at(f, f->names_section, s.name) :
					   NULL;

		if (name && (!strcmp(name, ".eh_frame") || !strcmp(name, ".debug_frame")))
			take_cfi(f, &s, name[1] == 'e', &found);
	}
	if (found.count)
		rc = cfi_table_compile(found.at, found.count, o->low, o->high, &o->table, NULL);
	for (size_t i = 0; i < found.count; i++)
		free(found.copies[i]);
	return rc;
}

int jitobject_read(struct jit_object *o, const void *bytes, size_t len, const struct memory *memory,
		   struct strset *names)
{
	struct file f = {
		.bytes = bytes, .len = len, .memory = memory, .names = names, .object = o
	};

	if (!gdbjit_object_read_header(&f))
		return ERR_FORMAT;
	if (take_functions(&f))
		return ERR_NOMEM;
	return o->count ? make_table(&f) : 0;
}

void jitobject_release(struct jit_object *o)
{
	free(o->functions);
	cfi_table_free(o->table);
	*o = (struct jit_object){ 0 };
}

const struct jit_function *jitobject_find(const struct jit_object *o, uint64_t addr)
{
	size_t count = SORTED_UPTO(o->functions, o->count, start, addr);

	return count && addr < o->functions[count - 1].end ? &o->functions[count - 1] : NULL;
}
