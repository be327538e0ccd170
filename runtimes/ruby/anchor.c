/*
 * What the C stack tells of Ruby's frames, once it is walked.
 *
 * vm_exec, whose tag is a run's anchor, has called vm_exec_core, and that is at an instruction of
 * the run's innermost frame: in it, or in a C function that the instruction has called. Both C
 * frames together are the loop.
 *
 * Code that a JIT compiler has made does not move the pc on. It stores it before it calls a
 * function that pushes a frame or may raise an exception (yjit/src/codegen.rs, jit_save_pc()). So
 * where a thread is in such code, the pc of its innermost frame may be that of a call before, and
 * is not used.
 */
#include "base/process/image.h"
#include "runtimes/ruby/runtime.h"
#include "unwind/stack.h"

struct ruby_anchor_run {
	struct interp_frame *frames;
	size_t count;
	size_t at; /* its native frame; stack->count: none */
};

/* The native frame that holds the address, from number `from` on; stack->count: none does. */
static size_t ruby_anchor_frame_of(const struct stack *stack, size_t from, uint64_t address)
{
	for (size_t i = from; i + 1 < stack->count; i++)
		if (stack->sps[i + 1] > stack->sps[i] &&
		    address - stack->sps[i] < stack->sps[i + 1] - stack->sps[i])
			return i;
	return stack->count;
}

/* Code that a JIT compiler has made is in memory that no file backs. */
static bool is_made(const struct frame *f)
{
	return !f->image || image_is_memory(f->image);
}

static bool ruby_anchor_is_own(const struct ruby_loop *loop, uint64_t pc)
{
	return pc - loop->text < loop->text_end - loop->text;
}

static bool is_in_core(const struct ruby_loop *loop, uint64_t pc)
{
	return pc - loop->core < loop->core_end - loop->core;
}

/* The run's innermost frame of Ruby: C functions that it has called stand before it. */
static struct interp_frame *first_of_ruby(struct interp_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(frames[i].flags & INTERP_C_FUNCTION))
			return &frames[i];
	return NULL;
}

/* The innermost frame of Ruby executes in code that does not move the pc on. */
static void forget_pc(struct interp_frame *f)
{
	if (f->flags & INTERP_C_FUNCTION)
		return;
	f->flags |= INTERP_INEXACT;
	f->at = 0;
}

/* Made code counts a C function's frame before it fills it in (yjit_codegen.c, gen_send_cfunc()),
 * so it may be another function's. No C function executes where the innermost C frame is of made
 * code. */
static void hide_unfinished(const struct stack *stack, struct interp_frame *frames, size_t count)
{
	if (count && stack->count && frames->flags & INTERP_C_FUNCTION &&
	    is_made(&stack->frames[0]))
		frames->at = UINT64_MAX; /* in front of any code */
}

/* vm_exec itself is at work, or what handles exceptions for it, which sets the pc to where the
 * frame is to go on. */
static void note_between(const struct ruby_anchor_run *r)
{
	if (r->frames->flags & (INTERP_C_FUNCTION | INTERP_WRAPPED))
		return;
	r->frames->at |= (uint64_t)AT_BETWEEN << AT_SHIFT;
}

/* Is any native frame inside of number `end` made by a JIT compiler? */
static bool any_made(const struct stack *stack, size_t end)
{
	for (size_t i = 0; i < end; i++)
		if (is_made(&stack->frames[i]))
			return true;
	return false;
}

/* The native frame r->at is vm_exec's. */
static void look_inside(const struct ruby_loop *loop, const struct stack *stack,
			const struct ruby_anchor_run *r)
{
	struct interp_frame *f = first_of_ruby(r->frames, r->count);
	size_t inside = r->at - 1;
	uint64_t anchor = stack->sps[r->at], number;
	bool wrapped = r->at && is_in_core(loop, stack->pcs[inside]);

	if (wrapped) {
		anchor = stack->sps[inside];
		number = ruby_loop_insn(
			loop, frame_code_address(stack->pcs[inside], stack->frames[inside].kind));
		if (f && number)
			f->at |= (number | (inside ? AT_CALLS : 0)) << AT_SHIFT;
	}
	for (size_t i = 0; i < r->count; i++) {
		r->frames[i].anchor = anchor;
		r->frames[i].flags |= wrapped ? INTERP_WRAPPED : 0;
	}
}

/* The innermost run has no tag while vm_exec is about to be called for it, is being entered, or is
 * being left. If vm_exec's C frame is there, it is inside of that of the next run, at `end`. If
 * not, the innermost C frame is one of those that the run will be executed by. */
static void place_without_tag(const struct ruby_loop *loop, const struct stack *stack, size_t end,
			      struct ruby_anchor_run *r)
{
	for (size_t i = 0; i < end; i++)
		if (stack->pcs[i] - loop->exec < loop->exec_end - loop->exec) {
			r->at = i;
			return;
		}
	if (end && ruby_anchor_is_own(loop, stack->pcs[0]))
		for (size_t i = 0; i < r->count; i++)
			r->frames[i].anchor = stack->sps[0];
}

/* A fiber that a C function made, such as Enumerator#next, begins with C functions that no vm_exec
 * has called. Its two outermost C frames are those that start a fiber (cont.c, fiber_entry() and
 * rb_fiber_start()). The inner one of these has called the functions. A thread's are libc's. */
static void place_outside(const struct ruby_loop *loop, const struct stack *stack,
			  struct ruby_anchor_run *r)
{
	size_t count = stack->count;
	bool in_fiber = stack->end == STACK_OUTERMOST && count >= 2 &&
			ruby_anchor_is_own(loop, stack->pcs[count - 1]) &&
			ruby_anchor_is_own(loop, stack->pcs[count - 2]);

	for (size_t i = 0; i < r->count; i++)
		r->frames[i].anchor = in_fiber ? stack->sps[count - 2] : 0;
}

static struct ruby_anchor_run run_at(const struct stack *stack, struct interp_frame *frames,
				     size_t count, size_t from)
{
	struct ruby_anchor_run r = { .frames = frames, .at = stack->count };

	while (r.count < count && frames[r.count].own == frames->own)
		r.count++;
	if (r.count && frames->anchor)
		r.at = ruby_anchor_frame_of(stack, from, frames->anchor);
	return r;
}

void ruby_anchor(const void *of, const struct modmap *maps, const struct stack *stack,
		 const struct memory *memory, struct interp_frame *frames, size_t count)
{
	const struct ruby_runtime *rt = of;
	struct ruby_anchor_run r, next;
	size_t from = 0;

	(void)maps, (void)memory;
	hide_unfinished(stack, frames, count);
	for (r = run_at(stack, frames, count, 0); r.count; r = next) {
		struct interp_frame *end = r.frames + r.count;

		from = r.at < stack->count ? r.at : from;
		next = run_at(stack, end, count - (size_t)(end - frames), from);
		if (r.frames->anchor == RUBY_OUTSIDE)
			place_outside(&rt->loop, stack, &r);
		else if (r.frames == frames && !frames->anchor && next.at < stack->count)
			place_without_tag(&rt->loop, stack, next.at, &r);
		if (r.at < stack->count)
			look_inside(&rt->loop, stack, &r);
		if (r.frames == frames && any_made(stack, r.at))
			forget_pc(frames);
		else if (r.frames == frames && rt->loop.core && r.at < stack->count)
			note_between(&r);
	}
}
