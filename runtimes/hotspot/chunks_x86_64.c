/* Steps from the return barrier into the copied chunks, through them, and to the carrier. */
#include "runtimes/hotspot/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/elfsymbol.h"
#include "runtimes/hotspot/vm/invokes.h"
#include "runtimes/hotspot/chunkcopy.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/vm/blobs.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/oops.h"
#include "runtimes/hotspot/steps.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	WORD = 8,
	ENTRY_WORDS = 32,	/* behind the barrier's rsp: arguments, then the entry */
	COMPARED_MAX = 1 << 14, /* bytes of the frame that returns to the barrier */
	FRAME_MAX = 1 << 20,
};

static const struct vmplace places[] = {
	{ VMPLACE_OFFSET, "Klass", "_super", offsetof(struct chunk_layout, super), false },
	{ VMPLACE_OFFSET, "Klass", "_layout_helper", offsetof(struct chunk_layout, layout_helper),
	  false },
};

int hotspot_chunks_init(struct hotspot *hs)
{
	struct elfsymbol return_pc = { .name = "_ZN17ContinuationEntry10_return_pcE" };
	struct hotspot_chunks *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return ERR_NOMEM;
	hs->chunks = c;
	if (elfsymbol_find(hs->image, &return_pc, 1) == 1)
		c->return_pc = return_pc.addr + hs->bias;
	rc = vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), &c->l, NULL);
	if (!rc)
		rc = hotspot_invokes_init(hs, &c->invokes);
	return rc ? rc : hotspot_oops_init(hs, &c->oops);
}

void hotspot_chunks_free(struct hotspot_chunks *c)
{
	if (!c)
		return;
	free(c->bytes);
	free(c);
}

void hotspot_chunks_begin(struct hotspot *hs)
{
	hs->chunks->count = hs->chunks->now = 0;
	hs->chunks->used = 0;
}

bool hotspot_is_barrier(struct hotspot *hs, uint64_t addr)
{
	static const char *const names[] = { "StubRoutines::cont_returnBarrier",
					     "StubRoutines::Cont thaw return barrier" };
	struct hotspot_chunks *c = hs->chunks;

	for (unsigned i = 0; !c->barrier && i < sizeof(names) / sizeof(*names); i++)
		c->barrier = hotspot_routine_find(hs, names[i]);
	return c->barrier && addr == c->barrier;
}

/* Is the frame that returns to the barrier as it was in the copy of the stack? */
static bool is_untouched(const struct site *s)
{
	uint8_t was[COMPARED_MAX], is[COMPARED_MAX];
	uint64_t start = s->hs->chunks->last_sp;
	size_t len = s->sp - start;

	return start < s->sp && len <= COMPARED_MAX &&
	       !s->w->memory->read(s->w->memory, start, was, len) &&
	       !s->hs->memory->read(s->hs->memory, start, is, len) && !memcmp(was, is, len);
}

/* A frame in a chunk. */
struct heap_frame {
	uint64_t sp; /* then that of the next older one */
	struct managed_frame key;
	uint64_t outer; /* the method that has the frame, */
	uint64_t inner; /* and the one inlined there that calls, */
	int32_t bci;	/* where */
};

static uint64_t chunks_slot(const struct hotspot_chunks *c, const struct copied_chunk *chunk,
			    uint64_t fp, enum interpreter_slot slot)
{
	return chunkcopy_word(c, chunk, fp + (uint64_t)(WORD * slot));
}

/* The interpreter's frame, with distances. Those of releases that have chunks have a mirror. */
static bool take_interpreted(struct hotspot *hs, const struct copied_chunk *chunk,
			     struct heap_frame *f)
{
	const struct hotspot_chunks *c = hs->chunks;
	uint64_t fp = f->sp - CHUNK_HEAD + WORD * chunkcopy_word(c, chunk, f->sp - CHUNK_HEAD), bci,
		 locals;
	struct hotspot_method m;

	if (fp % WORD || fp < f->sp + 8 * WORD || fp > chunk->bottom - CHUNK_HEAD)
		return false;
	f->inner = f->outer = chunks_slot(c, chunk, fp, SLOT_METHOD);
	locals = fp + WORD * chunks_slot(c, chunk, fp, SLOT_LOCALS);
	if (hotspot_method_read(hs, f->outer, &m) ||
	    (m.cache && m.cache != chunks_slot(c, chunk, fp, SLOT_CACHE)) || locals % WORD ||
	    locals < fp + WORD || locals - fp > FRAME_MAX)
		return false;
	bci = chunks_slot(c, chunk, fp, SLOT_BYTECODE) - m.code;
	f->key = (struct managed_frame){ .kind = HOTSPOT_INTERPRETED,
					 .code = f->outer,
					 .id = m.id,
					 .at = bci < m.code_size ? bci : HOTSPOT_NO_BCI };
	f->bci = (int32_t)f->key.at;
	/* The oldest one's arguments are behind the bottom. */
	f->sp = locals + WORD >= chunk->bottom ? chunk->bottom : fp + CHUNK_HEAD;
	return true;
}

static bool take_compiled(struct hotspot *hs, const struct hotspot_blob *blob, uint64_t pc,
			  struct heap_frame *f)
{
	struct hotspot_place methods[MANAGED_NAMES_MAX];
	size_t count;

	f->key = (struct managed_frame){ .kind = HOTSPOT_COMPILED,
					 .code = blob->start,
					 .id = blob->id,
					 .at = HOTSPOT_AT(pc - blob->code, false) };

	f->sp += (uint64_t)blob->frame_size;
	if (blob->frame_size < CHUNK_HEAD || hotspot_places(hs, &f->key, methods, &count) || !count)
		return false;
	f->inner = methods[0].method;
	f->bci = methods[0].bci;
	f->outer = methods[count - 1].method;
	return true;
}

static bool take_frame(struct hotspot *hs, const struct copied_chunk *chunk, struct heap_frame *f)
{
	uint64_t pc = chunkcopy_word(hs->chunks, chunk, f->sp - WORD);
	const struct hotspot_blob *found;
	struct hotspot_blob blob;

	if (hotspot_blob_find(hs, pc - 1, &found))
		return false;
	blob = *found;
	if (blob.kind == BLOB_INTERPRETER)
		return take_interpreted(hs, chunk, f);
	return blob.kind == BLOB_NMETHOD && take_compiled(hs, &blob, pc, f);
}

static bool have_one_name(struct hotspot *hs, uint64_t one, uint64_t other)
{
	const struct hotspot_parts *p;
	struct hotspot_parts first;

	if (hotspot_parts_read(hs, hs->memory, one, &p))
		return true;
	first = *p;
	return hotspot_parts_read(hs, hs->memory, other, &p) ||
	       (p->name_symbol == first.name_symbol &&
		p->signature_symbol == first.signature_symbol);
}

/* Finds the frame in the heap that calls the oldest one on the stack: the youngest, or, where the
 * thread has been unmounted meanwhile, the one behind that frame. The walk goes on there. False: it
 * is not certain. Where more frames are of methods with that name, only a stack that is untouched
 * is. */
static bool chunks_find_caller(const struct site *s)
{
	struct hotspot *hs = s->hs;
	struct hotspot_chunks *c = hs->chunks;
	bool next = true, found = false; /* next: this frame must be the one */
	struct heap_frame f;

	for (unsigned i = 0; i < c->count; i++)
		for (f.sp = c->at[i].sp; f.sp < c->at[i].bottom;) {
			uint64_t sp = f.sp;

			if (!take_frame(hs, &c->at[i], &f))
				return false;
			if (next &&
			    hotspot_invokes(hs, &c->invokes, f.inner, f.bci, c->last_method)) {
				found = true;
				c->now = i;
				c->first_sp = sp;
			}
			next = have_one_name(hs, f.outer, c->last_method);
			if (found && next)
				return c->first_sp == c->at[0].sp && is_untouched(s);
		}
	return found;
}

/* enterSpecial: the address in it that the continuation returns to, and the size of its frame. */
static bool find_enter(struct site *s)
{
	struct hotspot_chunks *c = s->hs->chunks;
	const struct hotspot_blob *blob;

	if (!c->return_pc || memory_read_u64(s->hs->memory, c->return_pc, &c->enter_pc) ||
	    !c->enter_pc || hotspot_blob_find(s->hs, c->enter_pc - 1, &blob) ||
	    blob->kind != BLOB_NATIVE)
		return false;
	c->enter_size = (uint64_t)blob->frame_size;
	return c->enter_size >= CHUNK_HEAD;
}

/* Is this enterSpecial's frame? */
static bool chunks_is_entry(struct site *s, uint64_t entry)
{
	uint64_t ra;

	return entry >= s->sp &&
	       !memory_read_u64(s->w->memory, entry + s->hs->chunks->enter_size - WORD, &ra) &&
	       site_returns_to(s, ra, true);
}

/* Finds the entry by its Continuation, and that one's youngest chunk. 0; the end of the walk. */
static int chunks_find_entry(struct site *s, uint64_t *chunk)
{
	struct hotspot_chunks *c = s->hs->chunks;

	for (uint64_t at = s->sp + WORD; at < s->sp + ENTRY_WORDS * WORD; at += WORD) {
		uint64_t cont;
		int rc = memory_read_u64(s->w->memory, at, &cont);

		if (rc)
			return site_unreadable(rc);
		if (!cont || !chunkcopy_find_tail(s->hs, cont, chunk))
			continue;
		for (c->entry = at - WORD; c->entry >= at - 2 * WORD; c->entry -= WORD)
			if (chunks_is_entry(s, c->entry))
				return 0;
	}
	return STACK_RUNTIME_IN_DOUBT;
}

/* Steps. */

/* Arrives at a frame of the present chunk. */
static int chunks_arrive(struct site *s, uint64_t sp)
{
	const struct hotspot_chunks *c = s->hs->chunks;
	const struct copied_chunk *chunk = &c->at[c->now];
	uint64_t rbp = chunkcopy_word(c, chunk, sp - CHUNK_HEAD);

	s->w->changed_stack = true;
	return site_arrive(s, chunkcopy_word(c, chunk, sp - WORD), sp, &rbp);
}

int step_from_barrier(struct site *s)
{
	struct hotspot_chunks *c = s->hs->chunks;
	uint64_t chunk;
	int end, rc;

	s->frame->kind = HOTSPOT_CONTINUATION;
	hotspot_chunks_begin(s->hs);
	end = find_enter(s) ? chunks_find_entry(s, &chunk) : STACK_RUNTIME_IN_DOUBT;
	if (end)
		return end;
	rc = chunkcopy_all(s->hs, chunk);
	if (!rc && c->count && chunkcopy_holds(s->hs) && chunks_find_caller(s))
		return chunks_arrive(s, c->first_sp);
	hotspot_chunks_begin(s->hs);
	return rc == ERR_NOMEM ? rc : STACK_RUNTIME_IN_DOUBT;
}

bool step_is_in_chunk(const struct site *s)
{
	const struct hotspot_chunks *c = s->hs->chunks;
	const struct copied_chunk *chunk = &c->at[c->now];

	return c->now < c->count && s->sp >= chunk->sp && s->sp < chunk->bottom;
}

void step_was_on_stack(const struct site *s)
{
	s->hs->chunks->last_sp = s->sp;
	s->hs->chunks->last_method = s->frame->kind == HOTSPOT_INTERPRETED ? s->frame->code :
									     s->blob.method;
}

static int step_by_distances(struct site *s)
{
	const struct hotspot_chunks *c = s->hs->chunks;
	const struct copied_chunk *chunk = &c->at[c->now];
	struct heap_frame f = { .sp = s->sp };
	uint64_t rbp;

	if (!take_interpreted(s->hs, chunk, &f))
		return STACK_RUNTIME_IN_DOUBT;
	*s->frame = f.key;
	if (f.sp == chunk->bottom)
		return site_arrive(s, 0, f.sp, NULL);
	rbp = chunkcopy_word(c, chunk, f.sp - CHUNK_HEAD);
	return site_arrive(s, chunkcopy_word(c, chunk, f.sp - WORD), f.sp, &rbp);
}

/* Behind the oldest frame of a chunk, which has no return address: the older chunk, or the
 * carrier's frames. */
static int leave_chunk(struct site *s)
{
	struct hotspot_chunks *c = s->hs->chunks;
	uint64_t rbp;

	s->w->changed_stack = true;
	if (++c->now < c->count)
		return chunks_arrive(s, c->at[c->now].sp);
	rbp = c->entry + c->enter_size - CHUNK_HEAD;
	return site_arrive(s, c->enter_pc, c->entry, &rbp);
}

/* From the oldest compiled frame of a chunk. */
static int step_from_oldest(struct site *s)
{
	if (!site_has_pcdesc(s->hs, &s->blob, s->pc))
		return STACK_RUNTIME_IN_DOUBT;
	return site_arrive(s, 0, s->sp + (uint64_t)s->blob.frame_size, NULL);
}

int step_in_chunk(struct site *s)
{
	struct hotspot_chunks *c = s->hs->chunks;
	const struct copied_chunk *chunk = &c->at[c->now];
	const struct memory *memory = s->w->memory;
	struct memory_bytes copied;
	int end;

	memory_bytes_init(&copied, c->bytes + chunk->at, chunk->sp - CHUNK_HEAD,
			  chunk->bottom - chunk->sp + CHUNK_HEAD);
	s->w->changed_stack = true;
	s->w->memory = &copied.memory;
	if (s->blob.kind == BLOB_INTERPRETER)
		end = step_by_distances(s);
	else if (s->blob.kind == BLOB_NMETHOD &&
		 s->sp + (uint64_t)s->blob.frame_size >= chunk->bottom)
		end = step_from_oldest(s);
	else
		end = step_nmethod(s);
	s->w->memory = memory;
	return end == STEP_ON && s->w->regs.r[DWARF_RSP] >= chunk->bottom ? leave_chunk(s) : end;
}
