/* chain.h has the releases' forms of the chain. walk_objects, walk_cframes and walk_shims follow
 * one each. A chain that leads back to itself is detected by Brent's algorithm: one frame is
 * remembered, a later one after 1, 2, 4, … steps, and the walk ends when it comes to that frame
 * again. */
#include "runtimes/cpython/chain.h"

#include <stddef.h>

#include "base/process/memory.h"
#include "runtimes/cpython/frame.h"
#include "unwind/table/regs.h"

enum {
	CHUNKS_MAX = 128,
	CHUNK_LEAST = 16 << 10, /* DATA_STACK_CHUNK_SIZE in Python/pystate.c */
	CHUNK_STEP = 4096,
	FRAMES_MAX = 20000,
	STATE_SPAN = 2048, /* _PyThreadStateImpl up to its base_frame is smaller */
	FRAME_BYTES = 256,
	HEAP_BLOCK = 4096,
	HEAP_DOUBLINGS = 3,
	CFRAMES_APART = 1 << 20, /* bytes of stack between two calls of the loop, at most */
	CFRAME_FAR = 4096,	 /* bytes between a cframe and the shim of the same call, at most */
};

/* struct _stack_chunk (Include/cpython/pystate.h): previous, size in bytes, top as an index of
 * words in data. */
enum { CHUNK_PREVIOUS = 0, CHUNK_SIZE = 8, CHUNK_TOP = 16, CHUNK_DATA = 24 };

struct chain_reader {
	const struct cpython *python;
	struct interp_copy *copy;
	struct interp_walk *out;
	const struct regs *regs;
	size_t first;	      /* index of the chain's first frame in out->frames */
	uint64_t root_cframe; /* the one in the thread's state, which belongs to no frame */
	uint64_t chunk;	      /* the newest one */
	uint64_t top;	      /* where its used part ends */
	uint64_t chunk_size;  /* 0: not known */
	uint64_t brake;	      /* address of the remembered frame (Brent's algorithm) */
	unsigned steps, misses;
};

/* Chunks. */

/* How many bytes to copy of a chunk of `size` bytes of which `used` are in use: whole steps. A
 * false length costs no more than INTERP_BYTES_MAX. */
static size_t bytes_to_copy(uint64_t used, uint64_t size)
{
	uint64_t len = used < INTERP_BYTES_MAX ? used : INTERP_BYTES_MAX;

	len = (len + CHUNK_STEP - 1) / CHUNK_STEP * CHUNK_STEP;
	return len < size ? len : size;
}

/* How many bytes of a chunk to read first. `used` is known of the newest chunk; 0: not known. */
static size_t first_part(uint64_t used)
{
	return used && used < CHUNK_LEAST ? bytes_to_copy(used, CHUNK_LEAST) : CHUNK_LEAST;
}

/* Copies the used parts of all chunks. A part that cannot be copied is no error here: the walk ends
 * at the first frame that it does not find. */
static void chain_copy_chunks(struct chain_reader *c)
{
	uint64_t used = c->top - c->chunk, next;
	size_t part = first_part(used);

	for (uint64_t n = 0, at = c->chunk; at && n < CHUNKS_MAX; n++, at = next) {
		const uint8_t *head = interp_copy_need(c->copy, at, part);
		uint64_t size;

		head = head ? head : interp_copy_need(c->copy, at, CHUNK_DATA);
		if (!head)
			return;
		next = memory_word(head, CHUNK_PREVIOUS);
		size = memory_word(head, CHUNK_SIZE);
		if (n)
			used = CHUNK_DATA + 8 * memory_word(head, CHUNK_TOP);
		else
			c->chunk_size = size;
		if (bytes_to_copy(used, size) > part &&
		    !interp_copy_need(c->copy, at, bytes_to_copy(used, size)))
			return;
		part = CHUNK_LEAST;
	}
}

/* Does the frame lie behind the used part of the newest chunk? Then its call has ended. */
static bool is_unused_room(const struct chain_reader *c, uint64_t frame)
{
	return frame >= c->top && frame - c->chunk < c->chunk_size;
}

/* Frames. */

/* The bytes of a frame that is in another piece than the last one. Frames on the heap are near to
 * each other, so the block around a missing frame is read with it, a larger one each time. */
static const void *search_frame(struct chain_reader *c, uint64_t addr)
{
	const struct memory *copied = &c->copy->memory;
	size_t size = c->python->layout.frame.size, block = HEAP_BLOCK << c->misses;
	uint64_t start = addr & ~(uint64_t)(block - 1);
	uint8_t bytes[FRAME_BYTES];

	if (size <= sizeof(bytes) && addr + size <= start + block &&
	    copied->read(copied, addr, bytes, size)) {
		c->misses += c->misses < HEAP_DOUBLINGS;
		interp_copy_need(c->copy, start, block);
	}
	return interp_copy_need(c->copy, addr, size);
}

/* False: the frame cannot be read, or the chain has led back to an earlier one. */
static inline bool chain_read_frame(struct chain_reader *c, uint64_t addr, struct cpython_frame *f)
{
	const void *bytes = NULL;

	if (!(addr & 7) && addr != c->brake && c->steps < FRAMES_MAX) {
		bytes = interp_copy_near(c->copy, addr, c->python->layout.frame.size);
		bytes = bytes ? bytes : search_frame(c, addr);
	}
	if (!bytes) {
		c->out->broken |= !c->copy->walk.cut;
		return false;
	}
	if (!(c->steps & (c->steps - 1)))
		c->brake = addr;
	c->steps++;
	cpython_frame_decode(c->python, bytes, f);
	return true;
}

/* In a free-threaded build, a thread may run a copy of the byte code: co_tlbc points to the number
 * of copies and their addresses (_PyCodeArray in Include/cpython/code.h). */
static bool copy_start(struct chain_reader *c, const struct cpython_frame *f, uint64_t *start)
{
	const struct cpython_code_layout *l = &c->python->layout.code;
	uint64_t copies, count;

	return interp_copy_word(c->copy, f->code + l->tlbc, &copies) &&
	       interp_copy_word(c->copy, copies, &count) && f->copy < count &&
	       interp_copy_word(c->copy, copies + 8 + 8 * (uint64_t)f->copy, start);
}

/* False: the walk ends, without room for the frame or without the copy of the byte code that it
 * runs. */
static bool chain_push(struct chain_reader *c, uint64_t addr, const struct cpython_frame *f)
{
	struct interp_frame *frame;
	uint64_t start = f->code + c->python->layout.code.adaptive;

	if (c->python->version >= CPYTHON_3_11 && is_unused_room(c, addr)) {
		c->out->dropped++;
		return true;
	}
	if (f->copy && !copy_start(c, f, &start)) {
		c->out->broken |= !c->copy->walk.cut;
		return false;
	}
	frame = interp_walk_add(c->out);
	if (!frame)
		return false;
	frame->code = f->code;
	frame->at = cpython_frame_position(c->python, f, start);
	frame->self = addr;
	return true;
}

static void set_anchor(struct chain_reader *c, size_t first, uint64_t anchor)
{
	for (size_t i = first; i < c->out->count; i++)
		c->out->frames[i].anchor = anchor;
}

/* Appends one run of frames: up to a shim, which becomes *shim (0: none), or (3.11) up to the frame
 * with which the loop was entered. *behind is the frame that follows. False: the walk ends. */
static bool walk_run(struct chain_reader *c, uint64_t at, uint64_t *shim, uint64_t *behind)
{
	struct cpython_frame f;

	*shim = 0;
	for (; at; at = f.previous) {
		if (!chain_read_frame(c, at, &f) || (!f.is_shim && !chain_push(c, at, &f)))
			return false;
		*behind = f.previous;
		if (f.is_shim)
			*shim = at;
		if (f.is_last)
			return true;
	}
	*behind = 0;
	return true;
}

/* 3.13 and later. */
static void walk_shims(struct chain_reader *c, uint64_t at)
{
	while (at) {
		size_t first = c->out->count;
		uint64_t shim;

		if (!walk_run(c, at, &shim, &at))
			return;
		set_anchor(c, first, shim);
	}
}

/* Reads a cframe: the newest frame of its run, and the cframe before. */
static bool read_cframe(struct chain_reader *c, uint64_t cframe, uint64_t *current,
			uint64_t *previous)
{
	const struct cpython_layout *l = &c->python->layout;
	bool has_current = l->cframe_current != CPYTHON_NONE;
	uint32_t last = has_current && l->cframe_current > l->cframe_previous ? l->cframe_current :
										l->cframe_previous;
	const void *bytes = interp_copy_need(c->copy, cframe, last + 8);

	if (!bytes || c->steps >= FRAMES_MAX) {
		c->out->broken |= !c->copy->walk.cut;
		return false;
	}
	c->steps++;
	*current = has_current ? memory_word(bytes, l->cframe_current) : 0;
	*previous = memory_word(bytes, l->cframe_previous);
	return true;
}

/* True if each cframe lies further out on the C stack than the one before, up to the one in the
 * thread's state. The loop makes its cframe the newest one some instructions before it has written
 * the members (_PyEval_EvalFrameDefault in Python/ceval.c); a compiler may write all of them
 * later. Until then they hold old bytes of the stack. */
static bool is_chain_of_cframes(struct chain_reader *c, uint64_t newest)
{
	uint64_t current, previous;

	for (uint64_t at = newest; at != c->root_cframe; at = previous) {
		if (!read_cframe(c, at, &current, &previous))
			return c->copy->walk.cut;
		if (previous != c->root_cframe && previous <= at)
			return false;
	}
	return true;
}

/* Finds the cframe before the newest one, whose members are not written yet. The loop still has its
 * address in a register, and no other cframe's. 0: not found. */
static uint64_t cframe_before(struct chain_reader *c, uint64_t newest)
{
	uint64_t before = 0;

	for (unsigned i = 0; c->regs && i < REGS_COUNT; i++) {
		uint64_t at = c->regs->r[i];

		if (c->regs->unknown >> i & 1 || at & 7 || at - newest - 1 >= CFRAMES_APART)
			continue;
		if (before && at >= before)
			continue;
		c->steps = 0;
		if (is_chain_of_cframes(c, at) && !c->copy->walk.cut)
			before = at;
	}
	return before;
}

/* 3.11 and 3.12. The frame behind a run must be the newest frame of the cframe before. If it is
 * not, and the run is the newest one, the loop has just been entered, and the run is left out. */
static void walk_cframes(struct chain_reader *c, uint64_t cframe)
{
	uint64_t at, previous, next = 0, before = 0, shim, behind;
	bool has_shims = c->python->version >= CPYTHON_3_12;

	if (!cframe) /* the state is being made */
		return;
	if (!is_chain_of_cframes(c, cframe)) {
		c->out->dropped++;
		cframe = cframe_before(c, cframe);
		c->out->broken = !cframe;
		if (!cframe)
			return;
	}
	if (!read_cframe(c, cframe, &at, &previous))
		return;
	for (bool newest = true; cframe != c->root_cframe; newest = false) {
		size_t first = c->out->count;
		bool whole;

		if (!read_cframe(c, previous, &next, &before))
			return;
		whole = walk_run(c, at, &shim, &behind) && behind == next &&
			(!has_shims || !at || shim - cframe + CFRAME_FAR < 2 * CFRAME_FAR);
		set_anchor(c, first, cframe);
		if (!whole && c->copy->walk.cut)
			return;
		if (!whole && !newest) {
			c->out->broken = true;
			return;
		}
		if (!whole) {
			c->out->count = first;
			c->out->broken = false;
			c->out->dropped++;
			c->brake = 0; /* the frames that follow may have been passed */
			c->steps = 0;
		}
		cframe = previous;
		previous = before;
		at = next;
	}
}

/* Up to 3.10: all frames, without anchors. */
static void walk_objects(struct chain_reader *c, uint64_t at)
{
	struct cpython_frame f;

	for (; at; at = f.previous)
		if (!chain_read_frame(c, at, &f) || !chain_push(c, at, &f))
			return;
}

/* 3.10. From the copied C stack only: what lies behind it has no C frame to be merged with. */
static bool copied_previous(struct chain_reader *c, uint64_t cframe, uint64_t *previous)
{
	const struct memory *m = &c->copy->memory;

	return !m->read(m, cframe + c->python->layout.cframe_previous, previous,
			sizeof(*previous)) &&
	       (*previous == c->root_cframe || *previous > cframe);
}

/* Gives each frame its cframe as its anchor. Both lists end with their outermost entries, but for
 * the root, which belongs to no frame. In the loop's prologue and epilogue the innermost frame may
 * have no cframe, or the innermost cframe no frame. */
static void set_cframes(struct chain_reader *c, uint64_t newest)
{
	struct interp_frame *frames = c->out->frames + c->first;
	size_t count = 0, has = c->out->count - c->first;
	uint64_t previous;

	if (c->out->cut || c->out->broken || c->copy->walk.cut)
		return;
	for (uint64_t at = newest; at != c->root_cframe; at = previous, count++)
		if (count > has || !copied_previous(c, at, &previous))
			return;
	if (has > count + 1)
		return;
	if (count > has)
		copied_previous(c, newest, &newest);
	for (size_t i = has > count; i < has; i++, newest = previous) {
		frames[i].anchor = newest;
		copied_previous(c, newest, &previous);
	}
}

/* 3.15's outermost frame, which belongs to no function, is part of the state (base_frame). */
bool cpython_chain_any(const struct cpython *python, struct interp_copy *copy, uint64_t addr,
		       const uint8_t *state)
{
	const struct cpython_layout *l = &python->layout;
	uint64_t current = 0;

	if (l->thread.frame != CPYTHON_NONE) {
		current = memory_word(state, l->thread.frame);
		return current && current - addr >= STATE_SPAN;
	}
	return interp_copy_word(copy, memory_word(state, l->thread.cframe) + l->cframe_current,
				&current) &&
	       current;
}

void cpython_chain_walk(const struct cpython *python, struct interp_copy *copy, uint64_t addr,
			const uint8_t *state, const struct regs *regs, struct interp_walk *out)
{
	const struct cpython_thread_layout *l = &python->layout.thread;
	struct chain_reader c = {
		.python = python, .copy = copy, .out = out, .regs = regs, .first = out->count
	};

	if (python->version >= CPYTHON_3_11) {
		c.chunk = memory_word(state, l->chunk);
		c.top = memory_word(state, l->chunk_top);
		chain_copy_chunks(&c);
	}
	c.root_cframe = addr + l->root_cframe;
	if (l->frame == CPYTHON_NONE) {
		walk_cframes(&c, memory_word(state, l->cframe));
	} else if (python->version >= CPYTHON_3_11) {
		walk_shims(&c, memory_word(state, l->frame));
	} else {
		walk_objects(&c, memory_word(state, l->frame));
		if (l->cframe != CPYTHON_NONE)
			set_cframes(&c, memory_word(state, l->cframe));
	}
}
