/*
 * gdb's JIT interface (gdb manual, "JIT Compilation Interface"): the compiler keeps a list of
 * entries, each with an ELF file in memory, that begins in the variable __jit_debug_descriptor. New
 * entries are put in front. So the list is read from its beginning to the first entry that is
 * known.
 *
 * Entries are taken away at any time, and their memory is used again. So the file of an entry is
 * read again, once in each walk that meets its code: only if its bytes are the same, what was read
 * of it holds.
 *
 * Rejected: reading the files at the end, when the code and its names are gone; a breakpoint in
 * __jit_debug_register_code, as gdb sets it.
 */
#include "runtimes/gdbjit/gdbjit.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/process/elfsymbol.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "base/strset.h"
#include "runtimes/gdbjit/object.h"
#include "unwind/step.h"
#include "unwind/table/table.h"

enum {
	DESCRIPTOR_BYTES = 24,
	ENTRY_BYTES = 32,
	ENTRIES_MAX = 1 << 14,
	FILE_MAX = 64 << 20,
	PROOF_BYTES = 1 << 16, /* of a file: what proves that it is still there */
};

struct gdbjit_entry {
	uint64_t addr, file, size;
	uint64_t hash;	  /* of its first bytes */
	uint64_t checked; /* the walk in which they were the same */
	bool gone;
	struct jit_object object;
};

struct gdbjit {
	char version[32]; /* first: see struct interp_ops */
	const struct memory *memory;
	uint64_t descriptor;		/* its address */
	uint8_t last[DESCRIPTOR_BYTES]; /* as it was when the list was read */
	struct gdbjit_entry *entries;	/* the oldest first; owned */
	size_t count, room;
	struct strset names; /* names stay, so that a frame's key is true for ever */
	uint64_t walk;
};

static void gdbjit_release(void *data)
{
	struct gdbjit *rt = data;

	for (size_t i = 0; i < rt->count; i++)
		jitobject_release(&rt->entries[i].object);
	free(rt->entries);
	strset_release(&rt->names);
	free(rt);
}

static bool copy_file(const struct gdbjit *rt, const struct gdbjit_entry *e, uint64_t most,
		      void **bytes, size_t *len)
{
	*len = e->size < most ? e->size : most;
	*bytes = malloc(*len ? *len : 1);
	if (*bytes && !rt->memory->read(rt->memory, e->file, *bytes, *len))
		return true;
	free(*bytes);
	return false;
}

static uint64_t hash_file(const void *bytes, size_t len)
{
	return hash_bytes(bytes, len < PROOF_BYTES ? len : PROOF_BYTES);
}

/* What cannot be read is an entry without functions. ERR_FORMAT: it is no ELF file. */
static int gdbjit_read_file(struct gdbjit *rt, struct gdbjit_entry *e)
{
	void *bytes;
	size_t len;
	int rc;

	if (e->size > FILE_MAX || !copy_file(rt, e, e->size, &bytes, &len))
		return 0;
	e->hash = hash_file(bytes, len);
	rc = jitobject_read(&e->object, bytes, len, rt->memory, &rt->names);
	free(bytes);
	return rc;
}

static bool gdbjit_is_known(const struct gdbjit *rt, const struct gdbjit_entry *e)
{
	for (size_t i = rt->count; i--;)
		if (rt->entries[i].addr == e->addr && rt->entries[i].file == e->file &&
		    rt->entries[i].size == e->size && !rt->entries[i].gone)
			return true;
	return false;
}

static int gdbjit_add_entry(struct gdbjit *rt, struct gdbjit_entry *e)
{
	int rc = room_for((void **)&rt->entries, &rt->room, rt->count + 1, sizeof(*e)) ?
			 ERR_NOMEM :
			 gdbjit_read_file(rt, e);

	if (rc)
		jitobject_release(&e->object);
	else
		rt->entries[rt->count++] = *e;
	return rc;
}

/* Those that are gone make room for new ones. */
static void drop_gone(struct gdbjit *rt)
{
	size_t kept = 0;

	for (size_t i = 0; i < rt->count; i++)
		if (rt->entries[i].gone)
			jitobject_release(&rt->entries[i].object);
		else
			rt->entries[kept++] = rt->entries[i];
	rt->count = kept;
}

/* Reads the entries from `at` on, up to the first one that is known. 0, ERR_FORMAT: the first one
 * is no ELF file, but of a format of the compiler's own (Erlang's); ERR_NOMEM. */
static int gdbjit_read_entries(struct gdbjit *rt, uint64_t at)
{
	int first = 0;

	drop_gone(rt);
	for (unsigned i = 0; at && rt->count < ENTRIES_MAX && i < ENTRIES_MAX; i++) {
		uint8_t bytes[ENTRY_BYTES];
		struct gdbjit_entry e = { .addr = at };
		int rc;

		if (rt->memory->read(rt->memory, at, bytes, sizeof(bytes)))
			break;
		at = memory_word(bytes, 0);
		e.file = memory_word(bytes, 16);
		e.size = memory_word(bytes, 24);
		if (gdbjit_is_known(rt, &e))
			break;
		rc = gdbjit_add_entry(rt, &e);
		if (rc == ERR_NOMEM)
			return rc;
		first = i ? first : rc;
	}
	return first;
}

/* Has the list changed? Then what is new is read. */
static int gdbjit_refresh(struct gdbjit *rt)
{
	uint8_t now[DESCRIPTOR_BYTES];

	if (rt->memory->read(rt->memory, rt->descriptor, now, sizeof(now)) ||
	    memory_u32(now, 0) != 1)
		return ERR_NOTFOUND;
	if (!memory_word(now, 16))
		return ERR_BUSY; /* nothing is registered yet */
	if (!memcmp(now, rt->last, sizeof(now)))
		return 0;
	memcpy(rt->last, now, sizeof(now));
	return gdbjit_read_entries(rt, memory_word(now, 16));
}

static int gdbjit_find(void **result, const struct image *image, uint64_t bias,
		       const struct memory *memory, struct error *why)
{
	struct elfsymbol symbol = { .name = "__jit_debug_descriptor" };
	struct gdbjit *rt;
	int rc;

	(void)why;
	if (!elfsymbol_find(image, &symbol, 1))
		return ERR_NOTFOUND;
	rt = calloc(1, sizeof(*rt));
	if (!rt)
		return ERR_NOMEM;
	strcpy(rt->version, "code registered for gdb");
	rt->memory = memory;
	rt->descriptor = symbol.addr + bias;
	rc = strset_init(&rt->names) ? ERR_NOMEM : gdbjit_refresh(rt);
	if (!rc)
		*result = rt;
	else
		gdbjit_release(rt);
	return rc == ERR_FORMAT ? ERR_NOTFOUND : rc;
}

static void gdbjit_begin(void *data)
{
	struct gdbjit *rt = data;

	rt->walk++;
	gdbjit_refresh(rt);
}

/* Is the entry's file still what was read? */
static bool gdbjit_holds(struct gdbjit *rt, struct gdbjit_entry *e)
{
	void *bytes;
	size_t len;

	if (e->checked == rt->walk)
		return true;
	e->gone = true;
	if (!copy_file(rt, e, PROOF_BYTES, &bytes, &len))
		return false;
	e->gone = hash_file(bytes, len) != e->hash;
	e->checked = rt->walk;
	free(bytes);
	if (e->gone)
		memset(rt->last, 0, sizeof(rt->last)); /* the list is read again */
	return !e->gone;
}

static const struct jit_object *object_at(struct gdbjit *rt, uint64_t addr)
{
	for (size_t i = rt->count; i--;) {
		struct gdbjit_entry *e = &rt->entries[i];

		if (addr >= e->object.low && addr < e->object.high && !e->gone &&
		    gdbjit_holds(rt, e))
			return &e->object;
	}
	return NULL;
}

static int step_by_table(struct walk *w, const struct cfi_table *table, uint64_t addr,
			 const struct short_rule *rule)
{
	const struct code *before = w->at;
	struct code code = {
		.addr = addr, .table = table, .kind = CODE_BY_SHORT_RULE, .rule = *rule
	};
	int end;

	if (rule->cfa_reg == RULE_IS_LONG) {
		code.kind = CODE_BY_LONG_RULE;
		code.long_rule = cfi_table_long_rule(table, rule);
	}
	w->at = &code;
	end = step_by_cfi(w);
	w->at = before;
	w->source = FRAME_BY_RUNTIME;
	return end;
}

static int gdbjit_step(void *data, struct walk *w, enum frame_kind *kind,
		       struct managed_frame *frame)
{
	uint64_t addr = frame_code_address(w->regs.r[DWARF_PC], *kind);
	const struct jit_object *o = object_at(data, addr);
	const struct jit_function *f = o ? jitobject_find(o, addr) : NULL;
	const struct short_rule *rule;

	if (!f)
		return MANAGED_PASS;
	frame->code = f->start;
	frame->id = f->name;
	*kind = FRAME_RETURN;
	rule = o->table ? cfi_table_find(o->table, addr) : NULL;
	return rule ? step_by_table(w, o->table, addr, rule) : step_by_guess(w);
}

static int gdbjit_names(void *data, const struct managed_frame *frame, struct arena *arena,
			struct managed_names *to)
{
	const char *name = strset_get(&((const struct gdbjit *)data)->names, (uint32_t)frame->id);

	to->at[0] = (struct managed_name){ .name = arena_copy(arena, name, strlen(name)),
					   .file = "" };
	to->count = 1;
	return to->at[0].name ? 0 : ERR_NOMEM;
}

const struct managed_ops gdbjit_ops = {
	.mapping = "[jit]",
	.find = gdbjit_find,
	.free = gdbjit_release,
	.begin = gdbjit_begin,
	.step = gdbjit_step,
	.names = gdbjit_names,
};
