/*
 * Ruby's control frames, while their thread is held.
 *
 * They lie side by side at the end of the stack that the execution context names, the innermost one
 * lowest; at the other end of it are their values, and in these, for most frames, the flags that
 * tell what kind of frame it is (vm_core.h, rb_control_frame_t, VM_FRAME_MAGIC_…). Both ends are
 * copied in pieces that are the same at each look, so that they are planned as a whole. A block's
 * environment may have moved to the heap.
 *
 * A thread's execution context is that of the fiber that it runs, so it is read in the hold.
 *
 * What Ruby's own backtraces do not show is left out (vm_backtrace.c): the dummy frames at the
 * outermost end; blocks written in C; and from 3.4 on the frame whose rescue or ensure clause
 * executes, because that clause has a frame of its own with the same label.
 *
 * A dummy frame elsewhere is of a method whose arguments are refused (vm_args.c,
 * raise_argument_error()). It executes no line.
 *
 * No vm_exec executes a frame without a pc, though it may have VM_FRAME_FLAG_FINISH: that of an
 * extension that is being loaded (vm.c, rb_vm_call_cfunc()), which stays if loading it fails; and,
 * from 3.4 on, that of a file which is being parsed (vm_insnhelper.c, rb_vm_push_frame_fname()).
 */
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/common/pthread.h"
#include "runtimes/ruby/runtime.h"

enum {
	STACK_WORDS_MAX = 1 << 23,
	PIECE = 2048,
	PIECES_MAX = 512,
	BATCH = 256, /* environments on the heap, and new code objects, that are read together */
	/* rb_ractor_t.threads: from the list's head on to gvl.owner or sched.running. */
	GVL_OWNER = 32,
#ifdef __aarch64__
	MUTEX_BYTES = 48,
#else
	MUTEX_BYTES = 40, /* pthread_mutex_t, which stands before it from 3.3 on */
#endif
	GVL_QUEUE = 8 + MUTEX_BYTES, /* behind its owner: rb_global_vm_lock_t.waitq, or */
	SCHED_READY = 16,	     /* behind the thread that runs, from 3.3 on: readyq */
	QUEUE_MAX = 64,		     /* waiting threads of which it is looked for */
	QUEUE_NODE_MAX = 256,	     /* bytes of rb_thread_t in which its node is */
};

struct ruby_capture_walker {
	const struct ruby_runtime *rt;
	struct interp_copy *copy;
	struct interp_walk *out;
	uint64_t base, end, frame; /* of the stack; the innermost frame */
	uint64_t tag;
	uint64_t pthread; /* the thread's pthread_self */
	size_t runs;	  /* that ended so far */
	bool in_run;	  /* a frame that vm_exec executes was met in the present run */
};

/* Reads the thread and its execution context. False: it is not the state of this thread. */
static bool ruby_capture_begin(struct ruby_capture_walker *w, const struct interp_thread *thread,
			       uint64_t *ractor)
{
	const struct ruby_layout *l = w->rt->layout;
	const char *bytes = interp_copy_need(w->copy, thread->state, THREAD_BYTES);
	uint64_t ec, native;

	if (!bytes || memory_word(bytes, THREAD_VM) != w->rt->vm)
		return false;
	*ractor = memory_word(bytes, THREAD_RACTOR);
	ec = memory_word(bytes, l->thread_ec);
	native = memory_word(bytes, THREAD_NATIVE);
	if (l->native) {
		bytes = interp_copy_need(w->copy, native, NATIVE_BYTES);
		if (!bytes)
			return false;
	}
	w->pthread = memory_word(bytes, l->pthread);
	if (l->tid ? (pid_t)memory_u32(bytes, l->tid) != thread->own_tid :
		     PTHREAD_SELF_IS_TP && thread->tp &&
			     memory_word(bytes, l->pthread) != thread->tp)
		return false;
	bytes = ec ? interp_copy_need(w->copy, ec, EC_BYTES) : NULL;
	if (!bytes || memory_word(bytes, l->ec_thread) != thread->state)
		return false;
	w->base = memory_word(bytes, EC_STACK);
	w->end = memory_word(bytes, EC_SIZE);
	w->frame = memory_word(bytes, EC_FRAME);
	w->tag = memory_word(bytes, EC_TAG);
	return true;
}

/* Are the stack's bounds and the innermost frame possible? */
static bool ruby_capture_is_stack(struct ruby_capture_walker *w)
{
	if (!ruby_is_object(w->base) || !w->end || w->end > STACK_WORDS_MAX ||
	    w->base > UINT64_MAX - 8 * w->end)
		return false;
	w->end = w->base + 8 * w->end;
	return w->frame >= w->base && w->frame < w->end &&
	       (w->end - w->frame) % w->rt->layout->frame == 0;
}

/* Is the thread in the queue whose head is at `head`? The threads themselves have its nodes. */
static bool is_queued(const struct ruby_capture_walker *w, uint64_t head, uint64_t thread)
{
	uint64_t node = head;

	for (unsigned i = 0; i < QUEUE_MAX; i++) {
		if (!interp_copy_word(w->copy, node, &node) || node == head)
			return false;
		if (node - thread < QUEUE_NODE_MAX)
			return true;
	}
	return false;
}

static void note_gvl(struct ruby_capture_walker *w, uint64_t ractor, uint64_t thread)
{
	uint64_t at = ractor + w->rt->ractor_threads + GVL_OWNER, owner, queue;

	at += w->rt->layout->release >= 303 ? MUTEX_BYTES : 0;
	queue = at + (w->rt->layout->release >= 303 ? SCHED_READY : GVL_QUEUE);
	if (!interp_copy_word(w->copy, at, &owner))
		return;
	w->out->gil_held = owner == thread;
	w->out->gil_waits = owner && owner != thread && is_queued(w, queue, thread);
	w->out->gil = ractor;
}

/* Copies the control frames: pieces counted from the stack's end. Two pieces overlap by a frame. */
static void copy_frames(struct ruby_capture_walker *w)
{
	uint64_t addrs[PIECES_MAX], size = w->end - w->frame;
	size_t count = (size + PIECE - 1) / PIECE;

	count = count < PIECES_MAX ? count : PIECES_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = w->end - (count - i) * PIECE - w->rt->layout->frame;

		addrs[i] = at > w->base && at < w->end ? at : w->base;
	}
	interp_copy_need_all(w->copy, addrs, count, PIECE + w->rt->layout->frame);
}

static const void *frame_at(const struct ruby_capture_walker *w, uint64_t frame)
{
	return interp_copy_need(w->copy, frame, CFP_BYTES);
}

static bool is_on_stack(const struct ruby_capture_walker *w, uint64_t ep)
{
	return ep - w->base < w->frame - w->base && ep - w->base >= (uint64_t)-ENV_METHOD;
}

/* Copies the environments of all frames: pieces of the stack, counted from its base, and what is on
 * the heap. The addresses ascend as the frames go inward, so pieces come one after the other. */
static void copy_environments(struct ruby_capture_walker *w)
{
	uint64_t pieces[PIECES_MAX], heap[BATCH], last = 0, len = PIECE + ENV_BYTES;
	size_t piece_count = 0, heap_count = 0, size = w->rt->layout->frame;

	for (uint64_t at = w->end - size; at >= w->frame; at -= size) {
		const char *bytes = frame_at(w, at);
		uint64_t ep = bytes ? memory_word(bytes, CFP_EP) : 0, piece;

		if (!bytes)
			return;
		if (!is_on_stack(w, ep)) {
			if (ruby_is_object(ep) && heap_count < BATCH)
				heap[heap_count++] = ep + (uint64_t)ENV_METHOD;
			continue;
		}
		piece = w->base + (ep + (uint64_t)ENV_METHOD - w->base) / PIECE * PIECE;
		piece = piece > w->end - len ? w->end - len : piece;
		if (piece != last && piece_count < PIECES_MAX)
			pieces[piece_count++] = last = piece;
	}
	if (w->end - w->base > len)
		interp_copy_need_all(w->copy, pieces, piece_count, len);
	interp_copy_need_all(w->copy, heap, heap_count, ENV_BYTES);
}

static bool environment(const struct ruby_capture_walker *w, uint64_t ep, struct ruby_env *env)
{
	const char *bytes = ep >= 4096 && !(ep & 7) ?
				    interp_copy_need(w->copy, ep + (uint64_t)ENV_METHOD,
						     ENV_BYTES) :
				    NULL;

	if (bytes)
		memcpy(env, bytes, sizeof(*env));
	return bytes;
}

static bool is_ruby_magic(uint32_t magic)
{
	return magic == MAGIC_METHOD || magic == MAGIC_BLOCK || magic == MAGIC_CLASS ||
	       magic == MAGIC_TOP || magic == MAGIC_EVAL || magic == MAGIC_RESCUE ||
	       magic == MAGIC_DUMMY;
}

static bool ruby_capture_push(struct ruby_capture_walker *w, uint64_t code, uint64_t pc,
			      uint64_t self, uint16_t flags)
{
	return interp_walk_push(w->out, &(struct interp_frame){ .code = code,
								.at = pc & AT_PC,
								.self = self,
								.own = w->runs,
								.flags = flags });
}

/* A frame of an iseq. */
static bool push_iseq(struct ruby_capture_walker *w, uint64_t iseq, uint64_t pc, uint64_t self,
		      const struct ruby_env *env)
{
	pc = (env->flags & MAGIC_MASK) == MAGIC_DUMMY ? 0 : pc;
	if (!ruby_capture_push(w, iseq, pc, self, 0))
		return false;
	if (ruby_knows_classes(w->rt))
		ruby_note_method(env, &w->out->frames[w->out->count - 1]);
	return true;
}

/* One frame; *hide: the next one is not shown. False: the walk ends here. */
static bool ruby_capture_step(struct ruby_capture_walker *w, uint64_t at, bool *hide)
{
	const char *bytes = frame_at(w, at);
	bool hidden = *hide, shown = true;
	struct ruby_env env;
	uint64_t iseq, pc;
	uint32_t magic;

	if (!bytes || !environment(w, memory_word(bytes, CFP_EP), &env)) {
		w->out->dropped += at == w->frame;
		w->out->broken |= at != w->frame && !w->copy->walk.cut;
		return at == w->frame;
	}
	magic = env.flags & MAGIC_MASK;
	iseq = memory_word(bytes, CFP_ISEQ);
	pc = memory_word(bytes, CFP_PC);
	if (magic == MAGIC_C && !iseq) {
		shown = ruby_capture_push(w, env.method, 0, at, INTERP_C_FUNCTION);
	} else if (is_ruby_magic(magic)) {
		*hide = magic == MAGIC_RESCUE && w->rt->layout->qualified;
		w->in_run |= iseq && pc;
		if (iseq && pc && !hidden)
			shown = push_iseq(w, iseq, pc, at, &env);
	} else if (magic != MAGIC_IFUNC) {
		w->out->dropped += at == w->frame;
		w->out->broken |= at != w->frame;
		return at == w->frame;
	}
	if (env.flags & FLAG_FINISH && w->in_run) {
		w->runs++;
		w->in_run = false;
	}
	return shown;
}

/* Copies what identifies the code objects that have no names yet. */
static void copy_new(struct ruby_capture_walker *w)
{
	struct interp_identity ids[BATCH];
	size_t count = 0;

	for (size_t i = 0; i < w->out->count && count < BATCH; i++) {
		const struct interp_frame *f = &w->out->frames[i];
		size_t k = 0;

		if (!interp_copy_is_new(w->copy, interp_code_key(f->code, f->method)))
			continue;
		while (k < count && (ids[k].code != f->code || ids[k].method != f->method))
			k++;
		if (k == count)
			ids[count++] = (struct interp_identity){ .code = f->code,
								 .method = f->method };
	}
	ruby_copy_identity(w->rt, w->copy, ids, count);
}

void ruby_capture(const void *rt, struct interp_copy *copy, const struct interp_thread *thread,
		  struct interp_walk *out)
{
	struct ruby_capture_walker w = { .rt = rt, .copy = copy, .out = out };
	bool hide = false, on = true;
	uint64_t ractor;

	if (!ruby_capture_begin(&w, thread, &ractor)) {
		out->lost = true;
		return;
	}
	note_gvl(&w, ractor, thread->state);
	if (!w.base && !w.frame) /* a thread or fiber that has not begun, or has ended */
		return;
	if (!ruby_capture_is_stack(&w)) {
		out->broken = true;
		return;
	}
	copy_frames(&w);
	copy_environments(&w);
	/* The outermost frame is a dummy, even if it has the iseq of "<main>" (vm.c, Init_VM()). */
	for (uint64_t at = w.frame; on && at < w.end - w.rt->layout->frame;
	     at += w.rt->layout->frame)
		on = ruby_capture_step(&w, at, &hide);
	ruby_find_methods(copy, out);
	if (on)
		ruby_set_anchors(rt, copy, w.pthread, w.tag, w.runs, out);
	copy_new(&w);
}
