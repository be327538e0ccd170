/* A class's records are copied whole, up to a bound, and gone through for the field's name and
 * type. The VM's flags take two reads: their heads, then their names. */
#include "runtimes/hotspot/vm/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/unsigned5.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	/* Bytes or slots of their records: enough for the classes that are looked at. */
	FIELDS_MAX = 1 << 12,
	ARRAY_HEAD = 4, /* Array<u1> and Array<u2>: a length, then the data */

	/* Up to JDK 20: u2 numbers of a field. */
	SLOTS = 6,
	SLOT_NAME = 1,
	SLOT_TYPE = 2,
	SLOT_LOW = 4,
	SLOT_HIGH = 5,
	TAG_BITS = 2,

	/* From JDK 21 on: bits of a field's flags, for numbers that follow them. */
	FIELD_INITIALIZED = 1 << 0,
	FIELD_GENERIC = 1 << 2,
	FIELD_CONTENDED = 1 << 4,

	OFFSET_MAX = 1 << 16,
	FLAG_MAX = 4096,
	FLAG_HEAD = 64,
	FLAG_NAME = 48,
};

#define PLACE(KIND, T, F, AT) { KIND, T, F, offsetof(struct hotspot_field_layout, AT), false }

static const struct vmplace places[] = {
	PLACE(VMPLACE_OFFSET, "InstanceKlass", "_fields", array),
	PLACE(VMPLACE_OFFSET, "InstanceKlass", "_java_fields_count", count),
	PLACE(VMPLACE_OFFSET, "InstanceKlass", "_fieldinfo_stream", stream),
	PLACE(VMPLACE_OFFSET, "InstanceKlass", "_constants", constants),
	PLACE(VMPLACE_ADDRESS, "JVMFlag", "flags", flags),
	PLACE(VMPLACE_ADDRESS, "JVMFlag", "numFlags", flag_count),
	PLACE(VMPLACE_OFFSET, "JVMFlag", "_name", flag_name),
	PLACE(VMPLACE_OFFSET, "JVMFlag", "_addr", flag_addr),
	PLACE(VMPLACE_SIZE, "JVMFlag", NULL, flag_bytes),
};

/* JDK 8 calls the class Flag. */
static const struct vmplace old_flags[] = {
	PLACE(VMPLACE_ADDRESS, "Flag", "flags", flags),
	PLACE(VMPLACE_ADDRESS, "Flag", "numFlags", flag_count),
	PLACE(VMPLACE_OFFSET, "Flag", "_name", flag_name),
	PLACE(VMPLACE_OFFSET, "Flag", "_addr", flag_addr),
	PLACE(VMPLACE_SIZE, "Flag", NULL, flag_bytes),
};

int hotspot_fields_init(const struct hotspot *hs, struct hotspot_field_layout *l)
{
	int rc = vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), l, NULL);

	if (!rc && !l->flags)
		rc = vmstructs_resolve(hs->tables, old_flags,
				       sizeof(old_flags) / sizeof(*old_flags), l, NULL);
	return rc;
}

/* Is this the text of the symbol in a class's pool? */
static bool vm_fields_is_text(const struct hotspot *hs, uint64_t pool, uint32_t index,
			      const char *text)
{
	uint64_t symbol;

	return index && index <= UINT16_MAX &&
	       !memory_read_u64(hs->memory, hotspot_pool_entry(hs, pool, (uint16_t)index),
				&symbol) &&
	       hotspot_symbol_is(hs, symbol & ~1ull, text);
}

/* A class's pool, and the records of its fields: `width` bytes each. *count: how many, at most
 * FIELDS_MAX. False: they cannot be read. */
static bool vm_fields_read_records(const struct hotspot *hs, uint64_t array, size_t width,
				   void *records, uint32_t *count)
{
	if (hs->memory->read(hs->memory, array, count, sizeof(*count)))
		return false;
	if (*count > FIELDS_MAX)
		*count = FIELDS_MAX;
	return !hs->memory->read(hs->memory, array + ARRAY_HEAD, records, *count * width);
}

struct vm_fields_wanted {
	const struct hotspot *hs;
	uint64_t pool;
	const char *name, *type;
};

static int32_t offset_if(const struct vm_fields_wanted *w, uint32_t name, uint32_t type,
			 uint32_t offset)
{
	return offset && offset < OFFSET_MAX && vm_fields_is_text(w->hs, w->pool, name, w->name) &&
			       vm_fields_is_text(w->hs, w->pool, type, w->type) ?
		       (int32_t)offset :
		       -1;
}

static int32_t find_in_slots(const struct vm_fields_wanted *w, uint64_t array, uint16_t fields)
{
	uint16_t slots[FIELDS_MAX];
	uint32_t count;
	int32_t offset = -1;

	if (!vm_fields_read_records(w->hs, array, sizeof(*slots), slots, &count))
		return -1;
	for (uint32_t i = 0; i < fields && (i + 1) * SLOTS <= count && offset < 0; i++) {
		const uint16_t *s = slots + i * SLOTS;

		offset = offset_if(w, s[SLOT_NAME], s[SLOT_TYPE],
				   (s[SLOT_LOW] | (uint32_t)s[SLOT_HIGH] << 16) >> TAG_BITS);
	}
	return offset;
}

static int32_t find_in_stream(const struct vm_fields_wanted *w, uint64_t array)
{
	uint8_t bytes[FIELDS_MAX];
	int32_t offset = -1;
	uint32_t count;
	struct cursor c;

	if (!vm_fields_read_records(w->hs, array, sizeof(*bytes), bytes, &count))
		return -1;
	cursor_init(&c, bytes, count, "fields");
	uint32_t fields = unsigned5_read(&c, UNSIGNED5_NO_ZERO);

	unsigned5_read(&c, UNSIGNED5_NO_ZERO); /* the number of those that the VM adds */
	for (uint32_t i = 0; i < fields && !c.failed && offset < 0; i++) {
		uint32_t name = unsigned5_read(&c, UNSIGNED5_NO_ZERO);
		uint32_t type = unsigned5_read(&c, UNSIGNED5_NO_ZERO);
		uint32_t at = unsigned5_read(&c, UNSIGNED5_NO_ZERO);
		uint32_t flags;

		unsigned5_read(&c, UNSIGNED5_NO_ZERO); /* as in the class file */
		flags = unsigned5_read(&c, UNSIGNED5_NO_ZERO);
		if (flags & FIELD_INITIALIZED)
			unsigned5_read(&c, UNSIGNED5_NO_ZERO);
		if (flags & FIELD_GENERIC)
			unsigned5_read(&c, UNSIGNED5_NO_ZERO);
		if (flags & FIELD_CONTENDED)
			unsigned5_read(&c, UNSIGNED5_NO_ZERO);
		if (!c.failed)
			offset = offset_if(w, name, type, at);
	}
	return offset;
}

int32_t hotspot_field_find(const struct hotspot *hs, const struct hotspot_field_layout *l,
			   uint64_t klass, const char *name, const char *type)
{
	struct vm_fields_wanted w = { .hs = hs, .name = name, .type = type };
	uint64_t array;
	uint16_t fields;

	if (!klass || l->constants < 0 || (l->array < 0 && l->stream < 0) ||
	    memory_read_u64(hs->memory, klass + (uint64_t)l->constants, &w.pool) ||
	    memory_read_u64(hs->memory, klass + (uint64_t)(l->array < 0 ? l->stream : l->array),
			    &array))
		return -1;
	if (l->array < 0)
		return find_in_stream(&w, array);
	if (l->count < 0 ||
	    hs->memory->read(hs->memory, klass + (uint64_t)l->count, &fields, sizeof(fields)))
		return -1;
	return find_in_slots(&w, array, fields);
}

/* Flags. */

struct vm_fields_flag {
	char head[FLAG_HEAD], name[FLAG_NAME];
};

/* Reads the table: the heads, and then the names. */
static void vm_fields_read_flags(const struct hotspot *hs, const struct hotspot_field_layout *l,
				 uint64_t table, struct vm_fields_flag *flags, size_t count,
				 struct memory_piece *pieces)
{
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct memory_piece){ table + i * (uint64_t)l->flag_bytes,
						   flags[i].head, (size_t)l->flag_bytes };
	memory_gather(hs->memory, pieces, count);
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct memory_piece){ memory_word(flags[i].head, (size_t)l->flag_name),
						   flags[i].name, sizeof(flags[i].name) };
	memory_gather(hs->memory, pieces, count);
}

static void take_flag(const struct hotspot *hs, const struct hotspot_field_layout *l,
		      const struct vm_fields_flag *f, const char *const *names, bool *values,
		      size_t count)
{
	uint8_t value = 0;

	for (size_t i = 0; i < count; i++)
		if (!strncmp(f->name, names[i], sizeof(f->name)) &&
		    !hs->memory->read(hs->memory, memory_word(f->head, (size_t)l->flag_addr),
				      &value, sizeof(value)))
			values[i] = value;
}

int hotspot_flags_read(const struct hotspot *hs, const struct hotspot_field_layout *l,
		       const char *const *names, bool *values, size_t count)
{
	struct memory_piece *pieces;
	struct vm_fields_flag *flags;
	uint64_t table, n;
	int rc = ERR_NOMEM;

	memset(values, 0, count * sizeof(*values));
	if (!l->flags || !l->flag_count || l->flag_name < 0 || l->flag_addr < 0 ||
	    l->flag_bytes < l->flag_name + 8 || l->flag_bytes < l->flag_addr + 8 ||
	    l->flag_bytes > FLAG_HEAD || memory_read_u64(hs->memory, l->flags, &table) ||
	    memory_read_u64(hs->memory, l->flag_count, &n) || !n || n > FLAG_MAX)
		return ERR_FORMAT;
	flags = calloc(n, sizeof(*flags));
	pieces = calloc(n, sizeof(*pieces));
	if (flags && pieces) {
		vm_fields_read_flags(hs, l, table, flags, n, pieces);
		for (size_t i = 0; i < n; i++)
			take_flag(hs, l, &flags[i], names, values, count);
		rc = 0;
	}
	free(flags);
	free(pieces);
	return rc;
}
