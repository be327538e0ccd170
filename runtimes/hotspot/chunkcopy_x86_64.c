/* The fields of Continuation and StackChunk are looked up by name in the classes of the live
 * objects. */
#include "runtimes/hotspot/chunkcopy.h"

#include "base/error.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"

enum {
	WORD = 8,
	BYTES_MAX = 1 << 20, /* of all chunks */
	SUPERS_MAX = 4,
};

static bool chunkcopy_is_named(const struct hotspot *hs, uint64_t klass, const char *name)
{
	uint64_t symbol;

	return !memory_read_u64(hs->memory, klass + (uint64_t)hs->methods->l.klass_name, &symbol) &&
	       hotspot_symbol_is(hs, symbol, name);
}

/* The class of an object, or one that it extends, with that name. */
static bool find_class(const struct hotspot *hs, uint64_t oop, const char *name, uint64_t *klass)
{
	const struct hotspot_chunks *c = hs->chunks;

	if (c->l.super < 0 || !hotspot_oop_class(hs, &c->oops, oop, klass))
		return false;
	for (unsigned i = 0; i < SUPERS_MAX && *klass; i++) {
		if (chunkcopy_is_named(hs, *klass, name))
			return true;
		if (memory_read_u64(hs->memory, *klass + (uint64_t)c->l.super, klass))
			return false;
	}
	return false;
}

static bool chunkcopy_take_fields(const struct hotspot *hs, uint64_t klass)
{
	static const char type[] = "Ljdk/internal/vm/StackChunk;";
	const struct hotspot_field_layout *l = &hs->chunks->oops.fields;
	struct chunk_fields *f = &hs->chunks->f;
	int32_t helper;

	if (hs->chunks->l.layout_helper < 0 ||
	    hs->memory->read(hs->memory, klass + (uint64_t)hs->chunks->l.layout_helper, &helper,
			     sizeof(helper)) ||
	    helper <= 0)
		return false;
	f->klass = klass;
	f->start = (uint64_t)helper & ~(uint64_t)(WORD - 1);
	f->parent = hotspot_field_find(hs, l, klass, "parent", type);
	f->size = hotspot_field_find(hs, l, klass, "size", "I");
	f->sp = hotspot_field_find(hs, l, klass, "sp", "I");
	f->bottom = hotspot_field_find(hs, l, klass, "bottom", "I");
	f->argsize = hotspot_field_find(hs, l, klass, "argsize", "I");
	f->ready = f->parent >= 0 && f->size >= 0 && f->sp >= 0 &&
		   (f->bottom >= 0 || f->argsize >= 0);
	return f->ready;
}

bool chunkcopy_find_tail(const struct hotspot *hs, uint64_t cont, uint64_t *chunk)
{
	struct hotspot_chunks *c = hs->chunks;
	uint64_t klass;

	if (!hotspot_oops_ready(hs, &c->oops) ||
	    !find_class(hs, cont, "jdk/internal/vm/Continuation", &klass))
		return false;
	if (!c->f.ready)
		c->f.tail = hotspot_field_find(hs, &c->oops.fields, klass, "tail",
					       "Ljdk/internal/vm/StackChunk;");
	return c->f.tail >= 0 && hotspot_oop_field(hs, &c->oops, cont + (uint64_t)c->f.tail, chunk);
}

static bool read_int(const struct hotspot *hs, uint64_t oop, int32_t field, uint32_t *value)
{
	return !hs->memory->read(hs->memory, oop + (uint64_t)field, value, sizeof(*value)) &&
	       *value <= INT32_MAX / WORD;
}

/* Where the frames of a chunk are. */
static bool read_chunk(const struct hotspot *hs, uint64_t oop, struct copied_chunk *chunk)
{
	const struct hotspot_chunks *c = hs->chunks;
	const struct chunk_fields *f = &c->f;
	uint32_t size, sp, bottom;
	uint64_t klass;

	if (!hotspot_oop_class(hs, &c->oops, oop, &klass))
		return false;
	if (f->ready ? klass != f->klass :
		       !chunkcopy_is_named(hs, klass, "jdk/internal/vm/StackChunk") ||
			       !chunkcopy_take_fields(hs, klass))
		return false;
	if (!read_int(hs, oop, f->size, &size) || !read_int(hs, oop, f->sp, &sp) ||
	    !read_int(hs, oop, f->bottom >= 0 ? f->bottom : f->argsize, &bottom) || bottom > size)
		return false;
	if (f->bottom < 0)
		bottom = size - bottom;
	chunk->oop = oop;
	chunk->sp = oop + f->start + (uint64_t)sp * WORD;
	chunk->bottom = oop + f->start + (uint64_t)bottom * WORD;
	return true;
}

static int copy_chunk(const struct hotspot *hs, struct copied_chunk *chunk)
{
	struct hotspot_chunks *c = hs->chunks;
	size_t len = chunk->bottom - chunk->sp + CHUNK_HEAD;

	if (c->count == CHUNKS_MAX || len > BYTES_MAX - c->used)
		return ERR_LIMIT;
	if (room_for((void **)&c->bytes, &c->room, c->used + len, 1))
		return ERR_NOMEM;
	if (hs->memory->read(hs->memory, chunk->sp - CHUNK_HEAD, c->bytes + c->used, len))
		return ERR_IO;
	chunk->at = c->used;
	c->used += len;
	c->at[c->count++] = *chunk;
	return 0;
}

int chunkcopy_all(const struct hotspot *hs, uint64_t oop)
{
	const struct hotspot_chunks *c = hs->chunks;
	struct copied_chunk chunk;

	for (unsigned i = 0; i < CHUNKS_MAX; i++) {
		int rc = read_chunk(hs, oop, &chunk) ? 0 : ERR_FORMAT;

		if (!rc && chunk.sp < chunk.bottom)
			rc = copy_chunk(hs, &chunk);
		if (rc)
			return rc;
		if (!hotspot_oop_field(hs, &c->oops, oop + (uint64_t)c->f.parent, &oop))
			return 0;
	}
	return ERR_LIMIT;
}

bool chunkcopy_holds(const struct hotspot *hs)
{
	const struct hotspot_chunks *c = hs->chunks;
	struct copied_chunk now;

	for (unsigned i = 0; i < c->count; i++)
		if (!read_chunk(hs, c->at[i].oop, &now) || now.sp != c->at[i].sp ||
		    now.bottom != c->at[i].bottom)
			return false;
	return true;
}

uint64_t chunkcopy_word(const struct hotspot_chunks *c, const struct copied_chunk *chunk,
			uint64_t addr)
{
	return memory_word(c->bytes + chunk->at, addr - (chunk->sp - CHUNK_HEAD));
}
