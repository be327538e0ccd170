/*
 * Methods: Method -> ConstMethod -> ConstantPool -> the class that holds them, and the names.
 *
 * Unloading a class frees all of them, and another class's may lie there soon. What the VM never
 * uses again is no part of them, so a method's id is a digest of all that makes it this one: where
 * its parts are, its numbers, and the texts of the names of class, method and signature. They are
 * read by one system call, and each pointer must lead to the part that was read. The parts of a
 * method that was met before are looked up by its address, so that each later look is that one
 * call.
 *
 * Not part of the id: what the VM changes while the method lives (counters, compiled code,
 * reference counts of symbols, resolved entries of the pool).
 */
#include "runtimes/hotspot/vm/methods.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	METHODS_MAX = 1 << 16, /* then they are looked for anew */
	HEAD_MAX = 640,	       /* bytes of a part: InstanceKlass has 472 */
	WORD = 8,
	NAMES = 3,
	OVERLOADS_MAX = 0xffff, /* methods of a class */
};

#define OFFSET(T, F, AT, NEEDED) \
	{ VMPLACE_OFFSET, T, F, offsetof(struct hotspot_method_layout, AT), NEEDED }
#define SIZE(T, AT) { VMPLACE_SIZE, T, NULL, offsetof(struct hotspot_method_layout, AT), true }
#define CONSTANT(N, AT) \
	{ VMPLACE_CONSTANT, NULL, N, offsetof(struct hotspot_method_layout, AT), false }

static const struct vmplace places[] = {
	OFFSET("Method", "_constMethod", method_const, true),
	OFFSET("Method", "_access_flags", method_access, true),
	OFFSET("ConstMethod", "_constants", const_pool, true),
	OFFSET("ConstMethod", "_constMethod_size", const_size, true),
	OFFSET("ConstMethod", "_flags", const_flags, false),
	OFFSET("ConstMethod", "_flags._flags", const_flags_word, false),
	OFFSET("ConstMethod", "_code_size", const_code_size, true),
	OFFSET("ConstMethod", "_name_index", const_name, true),
	OFFSET("ConstMethod", "_signature_index", const_signature, true),
	OFFSET("ConstMethod", "_method_idnum", const_idnum, true),
	SIZE("ConstMethod", const_bytes),
	CONSTANT("ConstMethod::_has_linenumber_table", has_lines),
	CONSTANT("ConstMethodFlags::_misc_has_linenumber_table", has_lines_word),
	OFFSET("ConstantPool", "_cache", pool_cache, true),
	OFFSET("ConstantPool", "_pool_holder", pool_holder, true),
	OFFSET("ConstantPool", "_tags", pool_tags, true),
	OFFSET("ConstantPool", "_length", pool_length, true),
	OFFSET("ConstantPool", "_source_file_name_index", pool_source, false),
	SIZE("ConstantPool", pool_bytes),
	OFFSET("Klass", "_name", klass_name, true),
	OFFSET("InstanceKlass", "_source_file_name_index", klass_source, false),
	OFFSET("InstanceKlass", "_methods", klass_methods, true),
	SIZE("InstanceKlass", klass_bytes),
	OFFSET("Klass", "_class_loader_data", klass_loader, false),
	OFFSET("ClassLoaderData", "_is_anonymous", loader_anonymous, false),
	OFFSET("Symbol", "_length", symbol_length, false),
	OFFSET("Symbol", "_length_and_refcount", symbol_length_and_refcount, false),
	OFFSET("Symbol", "_body", symbol_body, true),
	OFFSET("Array<Klass*>", "_length", array_length, true),
	OFFSET("Array<Method*>", "_data", array_data, false),
};

static bool vm_methods_fits(const struct hotspot_method_layout *l)
{
	return l->const_bytes <= HEAD_MAX && l->pool_bytes <= HEAD_MAX &&
	       l->klass_bytes <= HEAD_MAX && l->method_const + WORD <= HEAD_MAX &&
	       l->method_access + WORD <= HEAD_MAX && l->symbol_body <= 16 && l->symbol_body >= 4;
}

int hotspot_methods_init(struct hotspot_methods *m, const struct vmstructs *tables,
			 struct error *why)
{
	struct hotspot_method_layout *l = &m->l;
	int rc = vmstructs_resolve(tables, places, sizeof(places) / sizeof(*places), l, why);

	if (rc)
		return rc;
	/* The length is the upper half of a word, or a field of its own. */
	if (l->symbol_length < 0)
		l->symbol_length = l->symbol_length_and_refcount + 2;
	if (l->array_data < 0)
		l->array_data = WORD;
	if ((l->const_flags < 0 && l->const_flags_word < 0) || !vm_methods_fits(l))
		return error_set(why, ERR_FORMAT, "this HotSpot's methods are not known to us");
	return 0;
}

void hotspot_methods_release(struct hotspot_methods *m)
{
	free(m->at);
	hashindex_release(&m->by_address);
}

/* What is read of a method by one call. */
struct vm_methods_look {
	uint8_t method[HEAD_MAX], constant[HEAD_MAX], pool[HEAD_MAX], klass[HEAD_MAX];
	uint64_t entries[2]; /* of the pool: name, signature */
	uint8_t symbols[NAMES][16 + HOTSPOT_SYMBOL_MAX];
};

static size_t method_bytes(const struct hotspot_method_layout *l)
{
	int32_t last = l->method_const > l->method_access ? l->method_const : l->method_access;

	return (size_t)last + WORD;
}

static uint64_t entry_at(const struct hotspot_method_layout *l, uint64_t pool, uint16_t index)
{
	return pool + (uint64_t)l->pool_bytes + (uint64_t)index * WORD;
}

/* Bit 0 of an entry that is a symbol says whether the pool was ever resolved there. */
static uint64_t symbol_of(uint64_t entry)
{
	return entry & ~1ull;
}

static size_t symbol_bytes(const struct hotspot_method_layout *l, uint16_t length)
{
	return (size_t)l->symbol_body + (length < HOTSPOT_SYMBOL_MAX ? length : HOTSPOT_SYMBOL_MAX);
}

/* Takes what the ConstMethod and the pool say. False: they cannot be those of a method. */
static bool vm_methods_take_numbers(const struct hotspot_method_layout *l,
				    const struct vm_methods_look *look, struct hotspot_parts *p)
{
	uint32_t pool_length = memory_u32(look->pool, l->pool_length);
	uint32_t flags = l->const_flags_word >= 0 ?
				 memory_u32(look->constant, l->const_flags_word) :
				 memory_u16(look->constant, l->const_flags);
	int32_t bit = l->const_flags_word >= 0 ? l->has_lines_word : l->has_lines;

	p->const_size = memory_u32(look->constant, l->const_size) * WORD;
	p->code_size = memory_u16(look->constant, l->const_code_size);
	p->name_index = memory_u16(look->constant, l->const_name);
	p->signature_index = memory_u16(look->constant, l->const_signature);
	p->access = memory_u16(look->method, l->method_access);
	p->has_lines = flags & (bit > 0 ? (uint32_t)bit : 1);
	p->cache = memory_word(look->pool, l->pool_cache);
	p->source_index = l->pool_source >= 0  ? memory_u16(look->pool, l->pool_source) :
			  l->klass_source >= 0 ? memory_u16(look->klass, l->klass_source) :
						 0;
	/* The small pool of a method handle's intrinsic has the number of the large one that it is
	 * made by. */
	if (p->source_index >= pool_length)
		p->source_index = 0;
	return p->name_index && p->name_index < pool_length && p->signature_index &&
	       p->signature_index < pool_length &&
	       p->const_size >= (uint32_t)l->const_bytes + p->code_size;
}

static uint64_t vm_methods_digest(const struct hotspot_method_layout *l,
				  const struct vm_methods_look *look, const struct hotspot_parts *p)
{
	const uint16_t lengths[NAMES] = { p->class_length, p->name_length, p->signature_length };
	const uint64_t parts[] = {
		p->method,
		p->const_method,
		p->pool,
		p->holder,
		p->class_symbol,
		p->name_symbol,
		p->signature_symbol,
		p->cache,
		p->name_index,
		p->signature_index,
		p->code_size,
		p->const_size,
		p->source_index,
		lengths[0],
		lengths[1],
		lengths[2],
		memory_word(look->pool, l->pool_tags),
		memory_u16(look->constant, l->const_idnum),
	};
	uint64_t id = hash_bytes(parts, sizeof(parts));

	for (unsigned i = 0; i < NAMES; i++) {
		uint64_t both[] = { id, hash_bytes(look->symbols[i] + l->symbol_body,
						   symbol_bytes(l, lengths[i]) -
							   (size_t)l->symbol_body) };

		id = hash_bytes(both, sizeof(both));
	}
	return id;
}

/* Does each pointer of a look lead to the part that was read? */
static bool vm_methods_leads_on(const struct hotspot_method_layout *l,
				const struct vm_methods_look *look, const struct hotspot_parts *p)
{
	return memory_word(look->method, l->method_const) == p->const_method &&
	       memory_word(look->constant, l->const_pool) == p->pool &&
	       memory_word(look->pool, l->pool_holder) == p->holder &&
	       memory_u16(look->constant, l->const_name) == p->name_index &&
	       memory_u16(look->constant, l->const_signature) == p->signature_index &&
	       symbol_of(look->entries[0]) == p->name_symbol &&
	       symbol_of(look->entries[1]) == p->signature_symbol &&
	       memory_word(look->klass, l->klass_name) == p->class_symbol &&
	       memory_u16(look->symbols[0], l->symbol_length) == p->class_length &&
	       memory_u16(look->symbols[1], l->symbol_length) == p->name_length &&
	       memory_u16(look->symbols[2], l->symbol_length) == p->signature_length;
}

/* Looks at all parts at once. False: they are not there any more. */
static bool vm_methods_look_at(const struct hotspot_method_layout *l, const struct memory *memory,
			       struct vm_methods_look *look, struct hotspot_parts *p)
{
	struct memory_piece pieces[] = {
		{ p->method, look->method, method_bytes(l) },
		{ p->const_method, look->constant, (size_t)l->const_bytes },
		{ p->pool, look->pool, (size_t)l->pool_bytes },
		{ entry_at(l, p->pool, p->name_index), &look->entries[0], WORD },
		{ entry_at(l, p->pool, p->signature_index), &look->entries[1], WORD },
		{ p->holder, look->klass, (size_t)l->klass_bytes },
		{ p->class_symbol, look->symbols[0], symbol_bytes(l, p->class_length) },
		{ p->name_symbol, look->symbols[1], symbol_bytes(l, p->name_length) },
		{ p->signature_symbol, look->symbols[2], symbol_bytes(l, p->signature_length) },
	};
	enum { PIECES = sizeof(pieces) / sizeof(*pieces) };

	memory_gather(memory, pieces, PIECES);
	for (unsigned i = 0; i < PIECES; i++)
		if (!pieces[i].len)
			return false;
	if (!vm_methods_leads_on(l, look, p) || !vm_methods_take_numbers(l, look, p))
		return false;
	p->id = vm_methods_digest(l, look, p);
	return true;
}

static bool vm_methods_is_there(const struct memory *memory, uint64_t addr, void *to, size_t len)
{
	return addr && !(addr % WORD) && !memory->read(memory, addr, to, len);
}

/* The lengths of the three symbols. */
static bool find_lengths(const struct hotspot_method_layout *l, const struct memory *memory,
			 struct vm_methods_look *look, struct hotspot_parts *p)
{
	struct memory_piece pieces[NAMES] = {
		{ p->class_symbol, look->symbols[0], (size_t)l->symbol_body },
		{ p->name_symbol, look->symbols[1], (size_t)l->symbol_body },
		{ p->signature_symbol, look->symbols[2], (size_t)l->symbol_body },
	};

	memory_gather(memory, pieces, NAMES);
	for (unsigned i = 0; i < NAMES; i++)
		if (!pieces[i].len)
			return false;
	p->class_length = memory_u16(look->symbols[0], l->symbol_length);
	p->name_length = memory_u16(look->symbols[1], l->symbol_length);
	p->signature_length = memory_u16(look->symbols[2], l->symbol_length);
	return p->class_length && p->name_length && p->signature_length;
}

/* Follows the pointers, one part after the other. */
static bool vm_methods_find_parts(const struct hotspot_method_layout *l,
				  const struct memory *memory, struct vm_methods_look *look,
				  struct hotspot_parts *p)
{
	if (!vm_methods_is_there(memory, p->method, look->method, method_bytes(l)))
		return false;
	p->const_method = memory_word(look->method, l->method_const);
	if (!vm_methods_is_there(memory, p->const_method, look->constant, (size_t)l->const_bytes))
		return false;
	p->pool = memory_word(look->constant, l->const_pool);
	if (!vm_methods_is_there(memory, p->pool, look->pool, (size_t)l->pool_bytes))
		return false;
	p->holder = memory_word(look->pool, l->pool_holder);
	if (!vm_methods_is_there(memory, p->holder, look->klass, (size_t)l->klass_bytes) ||
	    !vm_methods_take_numbers(l, look, p))
		return false;
	if (memory_read_u64(memory, entry_at(l, p->pool, p->name_index), &look->entries[0]) ||
	    memory_read_u64(memory, entry_at(l, p->pool, p->signature_index), &look->entries[1]))
		return false;
	p->class_symbol = memory_word(look->klass, l->klass_name);
	p->name_symbol = symbol_of(look->entries[0]);
	p->signature_symbol = symbol_of(look->entries[1]);
	return find_lengths(l, memory, look, p);
}

/* The entry of a method's address, made if there is none. NULL: no memory. */
static struct hotspot_parts *entry_of(struct hotspot_methods *m, uint64_t method)
{
	uint32_t id = HASHINDEX_NUMBER(&m->by_address, m->at, method, method);

	if (id != HASHINDEX_NONE)
		return &m->at[id];
	if (m->count == METHODS_MAX) {
		m->count = 0;
		hashindex_clear(&m->by_address);
	}
	if (room_for((void **)&m->at, &m->room, m->count + 1, sizeof(*m->at)) ||
	    hashindex_add_number(&m->by_address, method, (uint32_t)m->count))
		return NULL;
	m->at[m->count] = (struct hotspot_parts){ .method = method };
	return &m->at[m->count++];
}

int hotspot_parts_read(struct hotspot *hs, const struct memory *memory, uint64_t method,
		       const struct hotspot_parts **parts)
{
	const struct hotspot_method_layout *l = &hs->methods->l;
	struct hotspot_parts *p = entry_of(hs->methods, method);
	struct vm_methods_look look;

	if (!p)
		return ERR_NOMEM;
	*parts = p;
	if (p->id && vm_methods_look_at(l, memory, &look, p))
		return 0;
	*p = (struct hotspot_parts){ .method = method };
	if (vm_methods_find_parts(l, memory, &look, p) && vm_methods_look_at(l, memory, &look, p))
		return 0;
	p->id = 0;
	return ERR_FORMAT;
}

int hotspot_method_read(struct hotspot *hs, uint64_t method, struct hotspot_method *m)
{
	const struct hotspot_parts *p;
	int rc = hotspot_parts_read(hs, hs->seen, method, &p);

	if (!rc)
		*m = (struct hotspot_method){
			.const_method = p->const_method,
			.code = p->const_method + (uint64_t)hs->methods->l.const_bytes,
			.code_size = p->code_size,
			.cache = p->cache,
			.id = p->id,
		};
	return rc;
}

uint64_t hotspot_pool_entry(const struct hotspot *hs, uint64_t pool, uint16_t index)
{
	return entry_at(&hs->methods->l, pool, index);
}

int hotspot_symbol_read(const struct hotspot *hs, uint64_t symbol, struct arena *arena,
			uint8_t **text, size_t *len)
{
	const struct hotspot_method_layout *l = &hs->methods->l;
	uint8_t head[16];

	if (!symbol || hs->memory->read(hs->memory, symbol, head, (size_t)l->symbol_body))
		return ERR_FORMAT;
	*len = memory_u16(head, l->symbol_length);
	*text = arena_alloc(arena, *len + 1);
	if (!*text)
		return ERR_NOMEM;
	return hs->memory->read(hs->memory, symbol + (uint64_t)l->symbol_body, *text, *len) ?
		       ERR_FORMAT :
		       0;
}

bool hotspot_symbol_is(const struct hotspot *hs, uint64_t symbol, const char *text)
{
	const struct hotspot_method_layout *l = &hs->methods->l;
	uint8_t bytes[16 + HOTSPOT_SYMBOL_MAX];
	size_t len = strlen(text);

	return symbol && len <= HOTSPOT_SYMBOL_MAX &&
	       !hs->memory->read(hs->memory, symbol, bytes, (size_t)l->symbol_body + len) &&
	       memory_u16(bytes, l->symbol_length) == len &&
	       !memcmp(bytes + l->symbol_body, text, len);
}

/* The name of another method of the class, or 0. */
static uint64_t vm_methods_name_of(struct hotspot *hs, uint64_t method, uint64_t holder)
{
	const struct hotspot_parts *p;

	return !hotspot_parts_read(hs, hs->memory, method, &p) && p->holder == holder ?
		       p->name_symbol :
		       0;
}

bool hotspot_is_overloaded(struct hotspot *hs, const struct hotspot_parts *parts)
{
	const struct hotspot_method_layout *l = &hs->methods->l;
	const struct hotspot_parts p = *parts; /* reading others moves them */
	uint64_t array, *methods;
	uint32_t count, i = 0;
	bool found = false;

	if (memory_read_u64(hs->memory, p.holder + (uint64_t)l->klass_methods, &array) ||
	    hs->memory->read(hs->memory, array + (uint64_t)l->array_length, &count,
			     sizeof(count)) ||
	    !count || count > OVERLOADS_MAX)
		return false;
	methods = calloc(count, sizeof(*methods));
	if (!methods || hs->memory->read(hs->memory, array + (uint64_t)l->array_data, methods,
					 count * sizeof(*methods)))
		count = 0;
	/* Methods of the same name are neighbours: the VM sorts them by their names' addresses. */
	while (i < count && methods[i] != p.method)
		i++;
	if (i < count)
		found = (i && vm_methods_name_of(hs, methods[i - 1], p.holder) == p.name_symbol) ||
			(i + 1 < count &&
			 vm_methods_name_of(hs, methods[i + 1], p.holder) == p.name_symbol);
	free(methods);
	return found;
}
