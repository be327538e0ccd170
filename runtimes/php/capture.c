/*
 * Copies and follows the chain of execute_data of a thread that is held.
 *
 * Frames lie on PHP's own stack, in pages of 256 KiB (16 KiB in a fiber), of which the used part is
 * copied whole; generators' frames are on the heap. A call of execute_ex executes the frames up to
 * one with ZEND_CALL_TOP. Calls of internal functions have frames, too. Whether a function is an
 * internal one is known from earlier samples, or is read from a copy of its head.
 *
 * The innermost line. The loop keeps the opline in a register (GCC: r15) and writes it to the frame
 * only before an operation that may need it. So a frame's own opline is old while its function
 * executes, and may even be one of a function that had the frame before. The opline's register is
 * right if the frame's register (GCC: r14) has this frame. A C function that was called may have
 * saved both (php_anchor).
 *
 * An exception replaces a frame's opline by EG(exception_op); EG(opline_before_exception), which
 * stands before that, is the true one.
 */
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/php/runtime.h"
#include "unwind/table/regs.h"

enum {
	BLOCK = 4096, /* the smallest page size */
	STACK_MAX = 64 << 20,
	EG_MAX = 4096,
	STEPS_MAX = 2 * INTERP_FRAMES_MAX, /* frames and generators that are looked at */
	GENERATORS_MAX = 64,		   /* that delegate to each other by "yield from" */
	NEW_MAX = 256,			   /* functions that are identified in a hold */
	ENTRY_BYTES = 48, /* of execute_ex's code, until it has set its registers */
};

#ifdef __x86_64__
enum { REG_FRAME = 14, REG_OPLINE = 15 };
#elif defined(__aarch64__)
enum { REG_FRAME = 27, REG_OPLINE = 28 };
#endif

struct php_capture_chain {
	const struct php_runtime *rt;
	struct interp_copy *copy;
	struct interp_walk *out;
	uint64_t eg;
	uint64_t page;	   /* the page of PHP's stack, or the block, that was copied last */
	uint64_t used;	   /* bytes of it that are in use */
	uint64_t prev;	   /* the page before it; 0: none */
	uint64_t free;	   /* where the newest page's unused part begins */
	uint64_t free_end; /* where it ends */
	bool unlinked;	   /* among a fiber's callers, whose pages are in no list */
	uint64_t passed;   /* the remembered frame (Brent's algorithm) */
	size_t steps, next_pass;
};

struct execute_data {
	uint64_t self, opline, result, func, object, prev;
	uint32_t info;
};

/* PHP's stack. */

static void use_page(struct php_capture_chain *c, uint64_t page, uint64_t top, uint64_t prev)
{
	uint64_t used = top - page;

	if (!page || used > STACK_MAX)
		return;
	c->page = page;
	c->used = used;
	c->prev = prev;
	/* To the end of a block, so that the plan fits while the stack grows and shrinks a
	 * little. */
	interp_copy_need(c->copy, page, ((top - 1) | (BLOCK - 1)) + 1 - page);
}

static void use_newest_page(struct php_capture_chain *c, uint64_t page, uint64_t top)
{
	const char *header;

	use_page(c, page, top, 0);
	header = c->page ? interp_copy_need(c->copy, page, PAGE_HEADER) : NULL;
	if (!header)
		return;
	c->prev = memory_word(header, PAGE_PREV);
	c->free = top;
	c->free_end = memory_word(header, PAGE_END);
}

static bool in_page(const struct php_capture_chain *c, uint64_t addr)
{
	return addr - c->page < c->used;
}

/* Copies the part of the stack in which the frame lies, unless it was copied last: the page before
 * that one, or a block among a fiber's callers. A generator's frame lies in neither. */
static void turn_page(struct php_capture_chain *c, uint64_t addr)
{
	const char *header;

	if (in_page(c, addr))
		return;
	if (c->unlinked) {
		use_page(c, addr & ~(uint64_t)(BLOCK - 1), (addr | (BLOCK - 1)) + 1, 0);
		return;
	}
	header = c->prev ? interp_copy_need(c->copy, c->prev, PAGE_HEADER) : NULL;
	if (header && addr - c->prev < memory_word(header, PAGE_END) - c->prev)
		use_page(c, c->prev, memory_word(header, PAGE_TOP), memory_word(header, PAGE_PREV));
}

static bool php_capture_read_frame(struct php_capture_chain *c, uint64_t addr,
				   struct execute_data *e)
{
	const char *bytes;

	turn_page(c, addr);
	bytes = interp_copy_need(c->copy, addr, FRAME_BYTES);
	if (!bytes)
		return false;
	*e = (struct execute_data){ .self = addr,
				    .opline = memory_word(bytes, FRAME_OPLINE),
				    .result = memory_word(bytes, FRAME_RESULT),
				    .func = memory_word(bytes, FRAME_FUNC),
				    .object = memory_word(bytes, FRAME_THIS),
				    .prev = memory_word(bytes, FRAME_PREV),
				    .info = memory_u32(bytes, FRAME_INFO) };
	return true;
}

/* Frames. */

static bool in_image(const struct php_runtime *rt, uint64_t addr)
{
	return addr - rt->image_start < rt->image_end - rt->image_start;
}

/* A fiber's first frame stands for its start, is at the bottom of the fiber's own stack, and its
 * function is a constant of PHP's (zend_fiber_execute in Zend/zend_fibers.c). */
static bool is_base(const struct php_capture_chain *c, const struct execute_data *e)
{
	return (e->self % BLOCK == PAGE_FIRST || (e->self == c->page + PAGE_FIRST && !c->prev)) &&
	       !e->opline && !e->info && in_image(c->rt, e->func);
}

static uint64_t opline_of(struct php_capture_chain *c, uint64_t opline)
{
	uint64_t before;

	if (opline - c->eg < EG_MAX && interp_copy_word(c->copy, opline - 8, &before))
		return before;
	return opline;
}

static bool php_capture_push_frame(struct php_capture_chain *c, const struct execute_data *e,
				   bool suspended)
{
	bool main = (e->info & INFO_CODE) && (e->info & INFO_TOP) && !e->prev;
	struct interp_frame f = { .self = e->self, .at = opline_of(c, e->opline) };

	f.code = e->func | (main ? CODE_MAIN : 0);
	f.flags = e->info & INFO_TOP && !suspended ? FRAME_TOP : 0;
	f.flags |= e->info & INFO_GENERATOR ? FRAME_GENERATOR : 0;
	f.flags |= e->info & (INFO_CODE | INFO_CLOSURE) && !main ? FRAME_SHORT_LIVED : 0;
	/* A fiber that is being suspended has no caller for a moment, nor has a generator that is
	 * being freed. */
	if (!e->prev && (!(e->info & INFO_TOP) || f.flags & FRAME_GENERATOR) && !suspended)
		c->out->cut = true;
	if (is_base(c, e)) {
		f.flags = FRAME_BASE;
		c->unlinked = true;
		c->used = 0;
	}
	return interp_walk_push(c->out, &f);
}

static bool is_newest(const struct php_capture_chain *c, uint64_t frame)
{
	return c->out->count && c->out->frames[c->out->count - 1].self == frame;
}

/* Pushes the frame of a generator that delegates to another one. If that one has ended just now,
 * this one executes, and its frame is there already. One that cannot be read is dropped. False: no
 * more frames fit. */
static bool push_generator(struct php_capture_chain *c, uint64_t generator)
{
	struct execute_data e;
	uint64_t frame;

	if (!interp_copy_word(c->copy, generator + c->rt->layout->generator_frame, &frame) ||
	    !frame || is_newest(c, frame))
		return true;
	if (!php_capture_read_frame(c, frame, &e) || e.result != generator || !e.func ||
	    e.func % 8) {
		c->out->dropped++;
		return true;
	}
	return php_capture_push_frame(c, &e, true);
}

/* Pushes generators that delegate to each other by "yield from". Only the last one executes. The
 * chain has one placeholder in place of all the others: it stands for the generator that ordinary
 * code has called. From there each leads to the one to which it delegates
 * (zend_generator_check_placeholder_frame()). */
static bool push_delegating(struct php_capture_chain *c, const struct execute_data *placeholder)
{
	uint64_t node = c->rt->layout->generator_node, generators[GENERATORS_MAX], parent, next;
	uint64_t generator = placeholder->object;
	size_t count = 0;

	c->out->cut |= !placeholder->prev; /* not yet */
	if (!interp_copy_word(c->copy, generator + node, &parent))
		return true;
	for (; parent && count < GENERATORS_MAX; parent = next, c->steps++) {
		if (!interp_copy_word(c->copy, parent + node, &next))
			return true;
		generators[count++] = generator;
		generator = parent;
	}
	while (count)
		if (!push_generator(c, generators[--count]))
			return false;
	return true;
}

/* Brent's algorithm: a chain that leads back to itself comes to the remembered frame again. */
static bool leads_back(struct php_capture_chain *c, uint64_t addr)
{
	if (addr == c->passed)
		return true;
	if (c->steps++ >= c->next_pass) {
		c->passed = addr;
		c->next_pass = 2 * c->steps;
	}
	return false;
}

static void php_capture_follow(struct php_capture_chain *c, uint64_t addr)
{
	while (addr) {
		struct execute_data e;
		bool pushed = true;

		/* A generator may still lead to an earlier caller, whose frame is gone. */
		if (addr % 8 || addr - c->free < c->free_end - c->free || leads_back(c, addr)) {
			c->out->broken = true;
			return;
		}
		if (c->steps > STEPS_MAX) {
			c->out->cut = true;
			return;
		}
		if (!php_capture_read_frame(c, addr, &e)) {
			c->out->broken = !c->copy->walk.cut;
			return;
		}
		if (e.func % 8)
			c->out->dropped++;
		else if (e.func)
			pushed = php_capture_push_frame(c, &e, false);
		else if ((e.info & 0xff) == INFO_OBJECT)
			pushed = push_delegating(c, &e);
		if (!pushed)
			return;
		addr = e.prev;
	}
}

/* Kinds and identities of functions. */

static bool php_capture_is_among(const struct interp_identity *ids, size_t count, uint64_t code)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i].code == code)
			return true;
	return false;
}

/* Is it an internal function? *code says so, by what earlier samples have found out. False: they
 * have found out nothing. */
static bool kind_known(const struct php_capture_chain *c, const struct interp_frame *f,
		       uint64_t *code)
{
	uint64_t func = php_function(f->code);
	bool own_known = !interp_copy_is_new(c->copy, f->code);
	bool c_known = !interp_copy_is_new(c->copy, func | CODE_C);

	*code = c_known ? func | CODE_C : f->code;
	return !(f->flags & FRAME_SHORT_LIVED) && own_known != c_known;
}

/* The number of bytes to copy of a function that is not known. */
static size_t head_bytes(const struct php_capture_chain *c, bool short_lived)
{
	return short_lived ? c->rt->layout->line_start + 8u : (size_t)FUNCTION_BYTES;
}

static void need_heads(struct php_capture_chain *c, bool short_lived)
{
	uint64_t addrs[NEW_MAX], code;
	size_t count = 0;

	for (size_t i = 0; i < c->out->count && count < NEW_MAX; i++) {
		const struct interp_frame *f = &c->out->frames[i];

		if (!(f->flags & FRAME_SHORT_LIVED) == !short_lived && !kind_known(c, f, &code))
			addrs[count++] = php_function(f->code);
	}
	interp_copy_need_all(c->copy, addrs, count, head_bytes(c, short_lived));
}

static void read_kind(struct php_capture_chain *c, struct interp_frame *f)
{
	bool short_lived = f->flags & FRAME_SHORT_LIVED;
	const char *head = interp_copy_need(c->copy, php_function(f->code),
					    head_bytes(c, short_lived));

	if (head && *head == TYPE_INTERNAL)
		f->code = php_function(f->code) | CODE_C;
	if (head && short_lived)
		f->code |= php_code_hash(c->rt->layout, head);
}

static void set_kinds(struct php_capture_chain *c)
{
	need_heads(c, false);
	need_heads(c, true);
	for (size_t i = 0; i < c->out->count; i++) {
		struct interp_frame *f = &c->out->frames[i];

		if (!kind_known(c, f, &f->code))
			read_kind(c, f);
		if (f->code & CODE_C) {
			f->flags = (f->flags & (FRAME_BASE | FRAME_SHORT_LIVED)) |
				   INTERP_C_FUNCTION;
			f->at = 0;
		}
	}
}

/* Copies what identifies the functions that are new, or will not be there for long. */
static void identify_new(struct php_capture_chain *c)
{
	struct interp_needing needing = interp_copy_needing(c->copy);
	struct interp_identity ids[NEW_MAX];
	size_t count = 0;

	for (size_t i = 0; i < c->out->count && count < NEW_MAX; i++) {
		const struct interp_frame *f = &c->out->frames[i];
		uint64_t code = f->code;

		if ((f->flags & FRAME_SHORT_LIVED || interp_copy_is_new(c->copy, code)) &&
		    !php_capture_is_among(ids, count, code))
			ids[count++].code = code;
	}
	if (count)
		php_identify(c->rt, &needing.memory, ids, count);
}

/* The innermost opline. */

static bool php_capture_is_known(const struct regs *r, unsigned reg)
{
	return !(r->unknown >> reg & 1);
}

/* The oplines of a function, as interp_frame.own; 0: they cannot be read. */
static uint64_t read_ops(struct php_capture_chain *c, uint64_t code)
{
	const struct php_layout *layout = c->rt->layout;
	const char *function = interp_copy_need(c->copy, php_function(code), layout->opcodes + 8u);
	uint32_t ops;

	if (!function)
		return 0;
	ops = memory_u32(function, layout->last);
	return memory_word(function, layout->opcodes) |
	       (uint64_t)(ops < OWN_OPS_MAX ? ops : OWN_OPS_MAX) << OWN_OPS;
}

static void set_innermost(struct php_capture_chain *c, const struct regs *r)
{
	struct interp_frame *f = c->out->frames;
	bool in_loop, has_frame;

	if (!c->out->count || f->flags & INTERP_C_FUNCTION || c->rt->vm == VM_CALL)
		return;
	if (c->rt->vm != VM_HYBRID) {
		f->flags |= INTERP_INEXACT;
		return;
	}
	in_loop = php_capture_is_known(r, DWARF_PC) && php_in_loop(c->rt, r->r[DWARF_PC]);
	if (in_loop && r->r[DWARF_PC] - c->rt->loop[0].start < ENTRY_BYTES)
		return; /* before it reads the frame's own opline */
	has_frame = php_capture_is_known(r, REG_FRAME) && php_capture_is_known(r, REG_OPLINE) &&
		    r->r[REG_FRAME] == f->self;
	if (in_loop && has_frame) {
		/* It ends by an opline that is a constant of PHP's, hybrid_halt_op. */
		if (!in_image(c->rt, r->r[REG_OPLINE]))
			f->at = opline_of(c, r->r[REG_OPLINE]);
		f->flags |= FRAME_IN_LOOP;
	} else if (!in_loop) {
		uint64_t opline = has_frame ? opline_of(c, r->r[REG_OPLINE]) : 0;

		f->flags |= INTERP_INEXACT | (has_frame ? FRAME_IN_REGISTER : 0);
		f->own = read_ops(c, f->code);
		if (php_is_op(f->own, opline))
			f->at = opline;
	}
	/* Else the loop is about to enter or to leave another frame. This frame's own opline is
	 * that of the call, and right. */
}

static uint64_t globals_of(const struct php_runtime *rt, struct interp_copy *copy, uint64_t tp)
{
	uint64_t cache;

	if (!rt->zts)
		return rt->eg;
	return tp && interp_copy_word(copy, tp + (uint64_t)rt->tls, &cache) && cache ?
		       cache + rt->eg_offset :
		       0;
}

void php_capture(const void *data, struct interp_copy *copy, const struct interp_thread *thread,
		 struct interp_walk *out)
{
	const struct php_runtime *rt = data;
	struct php_capture_chain c = { .rt = rt, .copy = copy, .out = out };
	const char *eg;
	uint64_t current, page_bytes;

	c.eg = globals_of(rt, copy, thread->tp);
	eg = c.eg ? interp_copy_need(copy, c.eg + rt->layout->vm_stack, EG_BYTES) : NULL;
	if (!eg)
		return;
	current = memory_word(eg, EG_CURRENT);
	page_bytes = memory_word(eg, EG_PAGE_BYTES);
	if (!current || !page_bytes || page_bytes & (page_bytes - 1) || page_bytes > STACK_MAX)
		return;
	use_newest_page(&c, memory_word(eg, EG_STACK), memory_word(eg, EG_STACK_TOP));
	php_capture_follow(&c, current);
	if (out->count && (out->cut || out->broken || copy->walk.cut))
		out->frames[out->count - 1].flags |= FRAME_LOST;
	set_kinds(&c);
	set_innermost(&c, thread->regs);
	identify_new(&c);
}
