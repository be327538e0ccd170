/* The tables are copied once through a cache, entry by entry, sorted by name and searched by
 * halves. vmstructs_resolve fills a struct of offsets from a list of what is wanted. */
#include "runtimes/hotspot/vm/vmstructs.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/memcache.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "runtimes/common/text.h"

enum {
	ENTRIES_MAX = 1 << 15, /* of a table; 25 has 3,000 */
	ENTRY_MAX = 256,       /* bytes */
	TEXT_MAX = 512,
	CACHE_BLOCK = 16 << 10,
	CACHE_BLOCKS = 64,
};

struct vmnumber {
	const char *name;
	int64_t value;
};

struct vmstructs_numbers {
	struct vmnumber *at; /* owned; by name, once they are sorted */
	size_t count, room;
};

struct vmstructs {
	struct arena texts;
	struct vmfield *fields; /* owned; by type and name */
	size_t count, room;
	struct vmstructs_numbers sizes, constants;
};

#define NAME(number, name) name,

static const char *const names[VMS_SYMBOLS] = { EACH_VMSYMBOL(NAME) };

int vmstructs_find(const struct image *image, uint64_t bias, struct vmsymbols *symbols)
{
	struct elfsymbol found[VMS_SYMBOLS];

	for (unsigned i = 0; i < VMS_SYMBOLS; i++)
		found[i] = (struct elfsymbol){ .name = names[i] };
	if (elfsymbol_find(image, found, VMS_SYMBOLS) != VMS_SYMBOLS)
		return ERR_NOTFOUND;
	for (unsigned i = 0; i < VMS_SYMBOLS; i++)
		symbols->addr[i] = bias + found[i].addr;
	return 0;
}

/* Reading. */

struct vmstructs_reader {
	struct vmstructs *v;
	const struct memory *memory;
	uint64_t value[VMS_SYMBOLS]; /* of the exported variables */
	uint8_t entry[ENTRY_MAX];    /* the current one */
};

/* A text of the VM's; NULL: it cannot be read or kept. 0 is "". */
static const char *vmstructs_text_at(struct vmstructs_reader *r, uint64_t addr)
{
	char text[TEXT_MAX] = "";

	if (addr && !text_read(r->memory, addr, text, sizeof(text)))
		return NULL;
	return arena_copy(&r->v->texts, text, strlen(text));
}

static uint64_t vmstructs_word(const struct vmstructs_reader *r, enum vmsymbol offset)
{
	return memory_word(r->entry, r->value[offset]);
}

/* Adds the number of the name that the entry has. */
static int vmstructs_add_number(struct vmstructs_reader *r, struct vmstructs_numbers *n,
				enum vmsymbol name, int64_t value)
{
	const char *text = vmstructs_text_at(r, vmstructs_word(r, name));

	if (!text)
		return ERR_FORMAT;
	if (room_for((void **)&n->at, &n->room, n->count + 1, sizeof(*n->at)))
		return ERR_NOMEM;
	n->at[n->count++] = (struct vmnumber){ text, value };
	return 0;
}

static int vmstructs_take_field(struct vmstructs_reader *r)
{
	struct vmstructs *v = r->v;
	struct vmfield f = { .type = vmstructs_text_at(r, vmstructs_word(r, VMS_STRUCT_TYPE_NAME)),
			     .name = vmstructs_text_at(r, vmstructs_word(r, VMS_STRUCT_FIELD_NAME)),
			     .type_string = vmstructs_text_at(
				     r, vmstructs_word(r, VMS_STRUCT_TYPE_STRING)),
			     .is_static = (uint32_t)vmstructs_word(r, VMS_STRUCT_IS_STATIC) };

	f.offset = vmstructs_word(r, f.is_static ? VMS_STRUCT_ADDRESS : VMS_STRUCT_OFFSET);
	if (!f.type || !f.name || !f.type_string)
		return ERR_FORMAT;
	if (room_for((void **)&v->fields, &v->room, v->count + 1, sizeof(*v->fields)))
		return ERR_NOMEM;
	v->fields[v->count++] = f;
	return 0;
}

static int take_size(struct vmstructs_reader *r)
{
	return vmstructs_add_number(r, &r->v->sizes, VMS_TYPE_NAME,
				    (int64_t)vmstructs_word(r, VMS_TYPE_SIZE));
}

static int take_int(struct vmstructs_reader *r)
{
	return vmstructs_add_number(r, &r->v->constants, VMS_INT_NAME,
				    (int32_t)vmstructs_word(r, VMS_INT_VALUE));
}

static int take_long(struct vmstructs_reader *r)
{
	return vmstructs_add_number(r, &r->v->constants, VMS_LONG_NAME,
				    (int64_t)vmstructs_word(r, VMS_LONG_VALUE));
}

/* A table: its entries up to the first without a name. The symbols between the table and its stride
 * are offsets in an entry, the name's the first. */
static int take_table(struct vmstructs_reader *r, enum vmsymbol table, enum vmsymbol stride,
		      int (*take)(struct vmstructs_reader *r))
{
	uint64_t addr = r->value[table], bytes = r->value[stride];

	if (!addr || !bytes)
		return ERR_BUSY;
	if (bytes > ENTRY_MAX)
		return ERR_FORMAT;
	for (unsigned i = table + 1; i < stride; i++)
		if (r->value[i] > ENTRY_MAX - 8 || r->value[i] >= bytes)
			return ERR_FORMAT;
	memset(r->entry, 0, sizeof(r->entry));
	for (unsigned i = 0; i < ENTRIES_MAX; i++, addr += bytes) {
		int rc = r->memory->read(r->memory, addr, r->entry, bytes) ? ERR_FORMAT : 0;

		if (!rc && !vmstructs_word(r, table + 1))
			return 0;
		rc = rc ? rc : take(r);
		if (rc)
			return rc;
	}
	return ERR_FORMAT;
}

static int by_type_and_name(const void *a, const void *b)
{
	const struct vmfield *x = a, *y = b;
	int order = strcmp(x->type, y->type);

	return order ? order : strcmp(x->name, y->name);
}

static int vmstructs_by_name(const void *a, const void *b)
{
	const struct vmnumber *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void sort_numbers(struct vmstructs_numbers *n)
{
	if (n->count)
		qsort(n->at, n->count, sizeof(*n->at), vmstructs_by_name);
}

static int vmstructs_read_tables(struct vmstructs_reader *r, const struct vmsymbols *symbols)
{
	int rc;

	for (unsigned i = 0; i < VMS_SYMBOLS; i++)
		if (memory_read_u64(r->memory, symbols->addr[i], &r->value[i]))
			return ERR_FORMAT;
	rc = take_table(r, VMS_STRUCTS, VMS_STRUCT_STRIDE, vmstructs_take_field);
	if (!rc)
		rc = take_table(r, VMS_TYPES, VMS_TYPE_STRIDE, take_size);
	if (!rc)
		rc = take_table(r, VMS_INTS, VMS_INT_STRIDE, take_int);
	return rc ? rc : take_table(r, VMS_LONGS, VMS_LONG_STRIDE, take_long);
}

int vmstructs_read(const struct vmsymbols *symbols, const struct memory *memory,
		   struct vmstructs **out, struct error *why)
{
	struct vmstructs *v = calloc(1, sizeof(*v));
	struct memcache *cache = NULL;
	struct vmstructs_reader r = { .v = v };
	int rc;

	if (!v || memcache_new(&cache, memory, CACHE_BLOCK, CACHE_BLOCKS)) {
		free(v);
		return error_nomem(why);
	}
	r.memory = memcache_memory(cache);
	rc = vmstructs_read_tables(&r, symbols);
	memcache_free(cache);
	if (rc) {
		vmstructs_free(v);
		return rc == ERR_FORMAT ?
			       error_set(why, rc, "HotSpot's tables (vmStructs) cannot be read") :
			       rc;
	}
	if (v->count)
		qsort(v->fields, v->count, sizeof(*v->fields), by_type_and_name);
	sort_numbers(&v->sizes);
	sort_numbers(&v->constants);
	*out = v;
	return 0;
}

void vmstructs_free(struct vmstructs *v)
{
	if (!v)
		return;
	arena_release(&v->texts);
	free(v->fields);
	free(v->sizes.at);
	free(v->constants.at);
	free(v);
}

/* Searching. */

bool vmstructs_field(const struct vmstructs *v, const char *type, const char *name,
		     struct vmfield *field)
{
	struct vmfield key = { .type = type, .name = name };
	const struct vmfield *f = v->count ? bsearch(&key, v->fields, v->count, sizeof(key),
						     by_type_and_name) :
					     NULL;

	if (f)
		*field = *f;
	return f;
}

static bool vmstructs_number_of(const struct vmstructs_numbers *n, const char *name, int64_t *value)
{
	struct vmnumber key = { .name = name };
	const struct vmnumber *f = n->count ? bsearch(&key, n->at, n->count, sizeof(key),
						      vmstructs_by_name) :
					      NULL;

	if (f)
		*value = f->value;
	return f;
}

static bool vmstructs_value_of(const struct vmstructs *v, const struct vmplace *p, int64_t *value)
{
	struct vmfield f;

	if (p->kind == VMPLACE_SIZE)
		return vmstructs_number_of(&v->sizes, p->type, value);
	if (p->kind == VMPLACE_CONSTANT)
		return vmstructs_number_of(&v->constants, p->name, value);
	if (!vmstructs_field(v, p->type, p->name, &f) ||
	    f.is_static != (p->kind == VMPLACE_ADDRESS))
		return false;
	*value = (int64_t)f.offset;
	return true;
}

int vmstructs_resolve(const struct vmstructs *v, const struct vmplace *places, size_t count,
		      void *layout, struct error *why)
{
	for (const struct vmplace *p = places; p < places + count; p++) {
		int64_t value = p->kind == VMPLACE_ADDRESS ? 0 : -1;
		bool found = vmstructs_value_of(v, p, &value);
		int32_t small = (int32_t)value;

		if ((!found && p->needed) || (p->kind != VMPLACE_ADDRESS && small != value))
			return error_set(why, ERR_FORMAT, "HotSpot's tables do not have %s%s%s",
					 p->type ? p->type : "", p->type && p->name ? "::" : "",
					 p->name ? p->name : "");
		if (p->kind == VMPLACE_ADDRESS)
			memcpy((char *)layout + p->at, &value, sizeof(value));
		else
			memcpy((char *)layout + p->at, &small, sizeof(small));
	}
	return 0;
}
