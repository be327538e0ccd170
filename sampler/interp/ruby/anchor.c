/*
 * What the C stack tells of Ruby's frames, once it is walked.
 *
 * vm_exec, whose tag is a run's anchor, has called vm_exec_core, and that is at an instruction of the
 * run's innermost frame: in it, or in a C function that the instruction has called. Both C frames
 * together are the loop.
 *
 * Where vm_exec has called other code, a JIT compiler's, the innermost frame's pc is that of its last
 * call out of that code, or older (yjit/src/codegen.rs, jit_save_pc()), so it is marked.
 */
#include "base/process/image.h"
#include "sampler/interp/ruby/runtime.h"
#include "sampler/unwind/stack.h"

/* The native frame that holds the address, from number `from` on; stack->count: none does. */
static size_t frame_of(const struct stack *stack, size_t from, uint64_t address)
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

/* The native frame `at` is vm_exec's. */
static void look_inside(const struct ruby_loop *loop, const struct stack *stack, size_t at,
			struct interp_frame *frames, size_t count)
{
	struct interp_frame *f = first_of_ruby(frames, count);
	uint64_t number;

	if (!at)
		return;
	if (f && is_made(&stack->frames[at - 1]))
		f->flags |= INTERP_INEXACT;
	if (!is_in_core(loop, stack->pcs[at - 1]))
		return;
	number = ruby_loop_insn(loop,
				frame_code_address(stack->pcs[at - 1], stack->frames[at - 1].kind));
	if (f && number)
		f->at |= (number | (at > 1 ? AT_CALLS : 0)) << AT_SHIFT;
	for (size_t i = 0; i < count; i++) {
		frames[i].anchor = stack->sps[at - 1];
		frames[i].flags |= INTERP_WRAPPED;
	}
}

void ruby_anchor(const void *of, const struct modmap *maps, const struct stack *stack,
		 const struct memory *memory, struct interp_frame *frames, size_t count)
{
	const struct ruby_runtime *rt = of;
	size_t at = 0, end;

	(void)maps, (void)memory;
	for (size_t first = 0; first < count; first = end) {
		size_t found;

		for (end = first + 1; end < count && frames[end].own == frames[first].own;)
			end++;
		found = frames[first].anchor ? frame_of(stack, at, frames[first].anchor) :
					       stack->count;
		if (found < stack->count) {
			at = found;
			look_inside(&rt->loop, stack, found, frames + first, end - first);
		} else if (stack->count && is_made(&stack->frames[stack->count - 1])) {
			struct interp_frame *f = first_of_ruby(frames + first, end - first);

			if (f)
				f->flags |= INTERP_INEXACT;
		}
	}
}
