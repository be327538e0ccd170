/* A function is found by a binary search of the table, its record and its tables of values through
 * lazyfile. What 1.16 to 1.27 lay out differently is asked of m.format at each read. */
#include "base/process/gopclntab.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/lazyfile.h"
#include "base/process/relocs.h"

enum {
	RECORD_MAX = 44,     /* bytes of a _func without what follows it */
	WINDOW = 64,	     /* bytes of a table of values read at a time */
	NUMBER_MAX = 5,	     /* bytes of a number in such a table */
	STEPS_MAX = 1 << 20, /* pairs in such a table; no function has as many instructions */
	FILES_MAX = 1 << 24,
	TABLE_INLINED = 2, /* PCDATA_InlTreeIndex */
	DATA_INLINED = 3,  /* FUNCDATA_InlTree */
	INLINED_MAX = 1 << 20,
};

struct gopclntab {
	struct lazyfile *file;
	struct gomodule m;
	struct relocs relocs; /* GO_1_16, position-independent: of all pointers in pclntab */
	uint64_t first, end;  /* the address range of its functions */
};

static bool gopclntab_read_part(struct gopclntab *t, uint64_t part, uint64_t at, void *buf,
				size_t len)
{
	return at <= t->m.size && lazyfile_read_at(t->file, t->m.pclntab + part + at, buf, len);
}

/* One entry of the table of functions: the function's address, and its record's offset in the
 * table. The last entry is the end of all functions and has no record. */
static bool gopclntab_read_entry(struct gopclntab *t, uint64_t i, uint64_t *addr, uint64_t *record)
{
	uint64_t at = t->m.pclntab + t->m.table;
	uint64_t pair = 0;
	uint32_t half = 0;
	bool last = i == t->m.functions;

	if (t->m.format == GO_1_16) {
		if (!relocs_word(&t->relocs, t->file, at + i * 16, addr))
			return false;
		return last || lazyfile_read_at(t->file, at + i * 16 + 8, record, 8);
	}
	if (last ? !lazyfile_read_at(t->file, at + i * 8, &half, 4) :
		   !lazyfile_read_at(t->file, at + i * 8, &pair, 8))
		return false;
	*addr = t->m.text + (last ? half : (uint32_t)pair);
	*record = pair >> 32;
	return true;
}

int gopclntab_open(const struct image *image, struct gopclntab **out)
{
	struct gopclntab *t = calloc(1, sizeof(*t));
	uint64_t record;
	int rc;

	if (!t)
		return ERR_NOMEM;
	rc = lazyfile_open(image, &t->file);
	if (!rc)
		rc = gomodule_find(image, t->file, &t->m);
	if (!rc && t->m.format == GO_1_16)
		rc = relocs_load(&t->relocs, image, t->file, t->m.pclntab,
				 t->m.pclntab + t->m.size);
	if (!rc &&
	    (!gopclntab_read_entry(t, 0, &t->first, &record) ||
	     !gopclntab_read_entry(t, t->m.functions, &t->end, &record) || t->first >= t->end))
		rc = ERR_FORMAT;
	if (rc) {
		gopclntab_close(t);
		return rc;
	}
	*out = t;
	return 0;
}

void gopclntab_close(struct gopclntab *t)
{
	if (!t)
		return;
	relocs_release(&t->relocs);
	lazyfile_close(t->file);
	free(t);
}

const struct gomodule *gopclntab_module(const struct gopclntab *t)
{
	return &t->m;
}

/* The layouts are those of type _func in runtime/runtime2.go of each release. */
static bool gopclntab_read_record(struct gopclntab *t, uint64_t record, struct go_function *f)
{
	size_t len = t->m.format == GO_1_18 ? 40 : 44;
	uint8_t bytes[RECORD_MAX];
	struct cursor c;

	if (!gopclntab_read_part(t, t->m.table, record, bytes, len))
		return false;
	cursor_init(&c, bytes, len, "a function's record");
	cursor_bytes(&c, t->m.format == GO_1_16 ? 8 : 4); /* entry */
	f->record = t->m.pclntab + t->m.table + record;
	f->name = (uint32_t)cursor_uint(&c, 4);
	cursor_uint(&c, 8); /* args, deferreturn */
	f->pcsp = (uint32_t)cursor_uint(&c, 4);
	f->pcfile = (uint32_t)cursor_uint(&c, 4);
	f->pcline = (uint32_t)cursor_uint(&c, 4);
	f->tables = (uint32_t)cursor_uint(&c, 4);
	f->unit = (uint32_t)cursor_uint(&c, 4);
	f->start_line = t->m.format == GO_1_20 ? (uint32_t)cursor_uint(&c, 4) : 0;
	f->id = (uint8_t)cursor_uint(&c, 1);
	f->flags = (uint8_t)cursor_uint(&c, 1);
	cursor_uint(&c, 1);
	f->datas = (uint8_t)cursor_uint(&c, 1);
	return !c.failed;
}

bool gopclntab_find(struct gopclntab *t, uint64_t addr, struct go_function *f)
{
	uint64_t low = 0, high = t->m.functions, at, record, next;

	if (addr < t->first || addr >= t->end)
		return false;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (!gopclntab_read_entry(t, middle, &at, &record))
			return false;
		if (at <= addr)
			low = middle;
		else
			high = middle;
	}
	return gopclntab_read_entry(t, low, &f->entry, &record) &&
	       gopclntab_read_entry(t, low + 1, &f->end, &next) && f->entry <= addr &&
	       addr < f->end && gopclntab_read_record(t, record, f);
}

bool gopclntab_name(struct gopclntab *t, uint32_t name, char *buf, size_t room)
{
	size_t len = 0;

	if (name >= t->m.units - t->m.names)
		return false;
	while (len + 1 < room) {
		size_t part = room - 1 - len < 32 ? room - 1 - len : 32;
		const char *nul;

		/* Reading on behind the name is harmless: pclntab has other parts there. */
		if (!gopclntab_read_part(t, t->m.names, name + len, buf + len, part))
			return false;
		nul = memchr(buf + len, 0, part);
		if (nul)
			return nul != buf;
		len += part;
	}
	buf[len] = 0;
	return true;
}

size_t gopclntab_named_all(struct gopclntab *t, const char *const *names, size_t count,
			   struct go_function *found)
{
	char name[64];
	size_t done = 0;

	memset(found, 0, count * sizeof(*found));
	for (uint64_t i = 0; i < t->m.functions && done < count; i++) {
		uint64_t record, next;
		struct go_function f;
		size_t at = 0;

		if (!gopclntab_read_entry(t, i, &f.entry, &record) ||
		    !gopclntab_read_record(t, record, &f) ||
		    !gopclntab_name(t, f.name, name, sizeof(name)))
			continue;
		while (at < count && strcmp(names[at], name))
			at++;
		if (at == count || found[at].end || !gopclntab_read_entry(t, i + 1, &f.end, &next))
			continue;
		found[at] = f;
		done++;
	}
	return done;
}

bool gopclntab_named(struct gopclntab *t, const char *name, struct go_function *f)
{
	return gopclntab_named_all(t, &name, 1, f) == 1;
}

/* A table of values, read through a window of a few bytes. */
struct values {
	struct gopclntab *t;
	uint64_t at; /* of the window, from the start of all values */
	uint8_t bytes[WINDOW];
	struct cursor c;
};

static bool gopclntab_fill(struct values *v, uint64_t at)
{
	uint64_t size = v->t->m.size - v->t->m.values;
	uint64_t left = at < size ? size - at : 0;
	size_t len = left < WINDOW ? (size_t)left : WINDOW;

	v->at = at;
	cursor_init(&v->c, v->bytes, len, "a table of values");
	return len && gopclntab_read_part(v->t, v->t->m.values, at, v->bytes, len);
}

/* The next pair: by how much the value grows, and for how many bytes of code it holds. False at the
 * end of the table: that is a zero that is not the first number. */
static bool gopclntab_next_pair(struct values *v, bool first, int32_t *grows, uint32_t *bytes)
{
	uint32_t number;

	if (cursor_left(&v->c) < 2 * NUMBER_MAX && !gopclntab_fill(v, v->at + cursor_offset(&v->c)))
		return false;
	number = (uint32_t)cursor_uleb(&v->c);
	if (!number && !first)
		return false;
	*grows = (int32_t)(-(number & 1) ^ number >> 1);
	*bytes = (uint32_t)cursor_uleb(&v->c);
	return !v->c.failed;
}

/* The value of one of a function's tables at an address (runtime/symtab.go, pcvalue). */
static bool value_at(struct gopclntab *t, const struct go_function *f, uint32_t table,
		     uint64_t addr, int32_t *value)
{
	struct values v = { .t = t };
	uint64_t upto = f->entry;
	uint32_t bytes, now = UINT32_MAX;
	int32_t grows;

	if (!table || !gopclntab_fill(&v, table))
		return false;
	for (unsigned i = 0; i < STEPS_MAX && gopclntab_next_pair(&v, !i, &grows, &bytes); i++) {
		now += (uint32_t)grows;
		upto += bytes;
		if (addr < upto) {
			*value = (int32_t)now;
			return true;
		}
		if (upto >= f->end)
			return false;
	}
	return false;
}

bool gopclntab_stack(struct gopclntab *t, const struct go_function *f, uint64_t addr,
		     int32_t *delta)
{
	return value_at(t, f, f->pcsp, addr, delta) && *delta >= 0 && *delta % 8 == 0;
}

bool gopclntab_code(struct gopclntab *t, uint64_t addr, void *buf, size_t len)
{
	return lazyfile_read_at(t->file, addr, buf, len);
}

/* The name of a file, by its number in the compilation unit. */
static bool file_name(struct gopclntab *t, const struct go_function *f, int32_t number, char *buf,
		      size_t room)
{
	uint64_t at, end = t->m.values - t->m.files;
	uint32_t offset;
	size_t len;

	if (number < 0 || number > FILES_MAX)
		return false;
	at = ((uint64_t)f->unit + (uint64_t)number) * 4;
	if (at + 4 > t->m.files - t->m.units ||
	    !gopclntab_read_part(t, t->m.units, at, &offset, 4) || offset >= end)
		return false;
	len = end - offset < room ? (size_t)(end - offset) : room;
	if (!gopclntab_read_part(t, t->m.files, offset, buf, len))
		return false;
	buf[len - 1] = 0;
	return *buf != 0;
}

bool gopclntab_line(struct gopclntab *t, const struct go_function *f, uint64_t addr, char *file,
		    size_t room, uint32_t *line)
{
	int32_t number, value;

	if (!value_at(t, f, f->pcfile, addr, &number) || !value_at(t, f, f->pcline, addr, &value) ||
	    value < 0 || !file_name(t, f, number, file, room))
		return false;
	*line = (uint32_t)value;
	return true;
}

/* What follows a _func: the offsets of its tables, then its data. The data are aligned pointers up
 * to 1.17, else distances from go:func.*, with all ones for none (runtime/symtab.go, funcdata). */
static uint64_t behind_record(const struct gopclntab *t, const struct go_function *f)
{
	return f->record + (t->m.format == GO_1_18 ? 40 : 44);
}

uint64_t gopclntab_data(struct gopclntab *t, const struct go_function *f, unsigned number)
{
	uint64_t after = behind_record(t, f), pointer;
	uint32_t distance;

	if (f->datas <= number || f->tables > UINT16_MAX)
		return 0;
	after += f->tables * 4;
	if (t->m.format == GO_1_16) {
		after = (after + 7) & ~7ull;
		return relocs_word(&t->relocs, t->file, after + number * 8, &pointer) ? pointer : 0;
	}
	if (!t->m.gofunc || !lazyfile_read_at(t->file, after + number * 4, &distance, 4) ||
	    distance == UINT32_MAX)
		return 0;
	return t->m.gofunc + distance;
}

bool gopclntab_value(struct gopclntab *t, const struct go_function *f, unsigned number,
		     uint64_t addr, int32_t *value)
{
	uint32_t table;

	return f->tables > number &&
	       lazyfile_read_at(t->file, behind_record(t, f) + number * 4, &table, 4) &&
	       value_at(t, f, table, addr, value);
}

/* runtime/symtab.go or symtabinl.go, inlinedCall. */
static bool gopclntab_read_inlined(struct gopclntab *t, uint64_t addr, const struct go_function *f,
				   struct go_inlined *inlined)
{
	uint32_t words[5];

	if (t->m.format == GO_1_20) {
		if (!lazyfile_read_at(t->file, addr, words, 16))
			return false;
		*inlined = (struct go_inlined){ words[1], words[3], f->entry + words[2],
						(uint8_t)words[0] };
	} else {
		if (!lazyfile_read_at(t->file, addr, words, 20))
			return false;
		*inlined = (struct go_inlined){ words[3], 0, f->entry + words[4],
						(uint8_t)(words[0] >> 16) };
	}
	return inlined->call < f->end;
}

bool gopclntab_inlined(struct gopclntab *t, const struct go_function *f, uint64_t addr,
		       struct go_inlined *inlined)
{
	uint64_t tree = gopclntab_data(t, f, DATA_INLINED);
	int32_t i;

	if (!tree || !gopclntab_value(t, f, TABLE_INLINED, addr, &i) || i < 0 || i > INLINED_MAX)
		return false;
	return gopclntab_read_inlined(t, tree + (uint64_t)i * (t->m.format == GO_1_20 ? 16 : 20), f,
				      inlined);
}
