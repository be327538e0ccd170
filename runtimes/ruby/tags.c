/*
 * Which C frames of vm_exec execute which frames of Ruby.
 *
 * Each call of vm_exec has a struct rb_vm_tag in its C frame, to which exceptions jump; so have
 * other functions (rb_protect, rb_ensure, …). All are linked, from the execution context outward. A
 * tag holds the place to which it resumes, which is in the function that it belongs to: so a tag of
 * vm_exec is recognized (vm_core.h, eval_intern.h, EC_PUSH_TAG).
 *
 * What the place looks like depends on how Ruby was compiled: __builtin_setjmp stores the place as
 * it is. libc's _setjmp(3) stores it, on x86-64, hidden: exclusive or with a guard, which glibc has
 * in each thread's control block, and rotated by 17 bits (sysdeps/unix/sysv/linux/x86_64/
 * pointer_guard.h); musl does not hide it.
 *
 * Runs and tags are equally many, but for the innermost: a frame is pushed before vm_exec is called
 * for it, and popped before vm_exec returns. So they are counted from the outermost on.
 */

#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/ruby/runtime.h"

enum {
	TAGS_MAX = 1 << 16,
	ANCHORS_MAX = 4096,

	/* struct rb_vm_tag: two values, the buffer of setjmp, the next tag. */
	BUILTIN_PC = 24, /* the frame pointer, the place, the stack pointer, two more */
	BUILTIN_PREV = 56,
	LIBC_PC = 72, /* rbx, rbp, r12 to r15, rsp, the place; and a signal mask: 200 bytes */
	LIBC_PREV = 216,
	TAG_BYTES = 224,
	BUILTIN_BYTES = 64,

	GUARD = 0x30, /* tcbhead_t.pointer_guard */
	GUARD_ROTATES = 17,
};

enum tag_kind { TAG_UNKNOWN, TAG_BUILTIN, TAG_LIBC, TAG_HIDDEN };

struct ruby_tags {
	const struct ruby_loop *loop;
	struct interp_copy *copy;
	enum tag_kind kind;
	uint64_t guard;
	uint64_t of_exec[ANCHORS_MAX]; /* tags of vm_exec, innermost first */
	size_t count;
};

static bool ruby_tags_is_in(uint64_t addr, uint64_t start, uint64_t end)
{
	return addr - start < end - start;
}

static uint64_t ruby_tags_shown(const struct ruby_tags *t, uint64_t hidden)
{
	return (hidden >> GUARD_ROTATES | hidden << (64 - GUARD_ROTATES)) ^ t->guard;
}

/* All tags are of the same kind, and belong to functions of Ruby itself. */
static enum tag_kind ruby_tags_kind_of(const struct ruby_tags *t, const char *bytes)
{
	const struct ruby_loop *loop = t->loop;

	if (ruby_tags_is_in(memory_word(bytes, BUILTIN_PC), loop->text, loop->text_end))
		return TAG_BUILTIN;
#ifdef __x86_64__
	if (ruby_tags_is_in(memory_word(bytes, LIBC_PC), loop->text, loop->text_end))
		return TAG_LIBC;
	if (t->guard && ruby_tags_is_in(ruby_tags_shown(t, memory_word(bytes, LIBC_PC)), loop->text,
					loop->text_end))
		return TAG_HIDDEN;
#endif
	return TAG_UNKNOWN;
}

static bool is_of_exec(const struct ruby_tags *t, const char *bytes)
{
	uint64_t pc = memory_word(bytes, t->kind == TAG_BUILTIN ? BUILTIN_PC : LIBC_PC);

	pc = t->kind == TAG_HIDDEN ? ruby_tags_shown(t, pc) : pc;
	return ruby_tags_is_in(pc, t->loop->exec, t->loop->exec_end);
}

/* The guard is the same for all threads of a process. A pthread_t points to the control block. */
static void find_guard(struct ruby_tags *t, struct ruby_shared *shared, uint64_t pthread)
{
	t->guard = atomic_load_explicit(&shared->guard, memory_order_relaxed);
#ifdef __x86_64__
	if (!t->guard && pthread && interp_copy_word(t->copy, pthread + GUARD, &t->guard))
		atomic_store_explicit(&shared->guard, t->guard, memory_order_relaxed);
#else
	(void)pthread;
#endif
}

/* Follows the tags. False: they do not lead to the outermost one. */
static bool ruby_tags_follow(struct ruby_tags *t, uint64_t tag)
{
	for (unsigned i = 0; tag && i < TAGS_MAX; i++) {
		size_t len = t->kind == TAG_BUILTIN ? BUILTIN_BYTES : TAG_BYTES;
		const char *bytes = tag & 7 ? NULL : interp_copy_need(t->copy, tag, len);

		if (!bytes)
			return false;
		if (t->kind == TAG_UNKNOWN)
			t->kind = ruby_tags_kind_of(t, bytes);
		if (t->kind == TAG_UNKNOWN)
			return false;
		if (is_of_exec(t, bytes)) {
			if (t->count == ANCHORS_MAX)
				return false;
			t->of_exec[t->count++] = tag;
		}
		tag = memory_word(bytes, t->kind == TAG_BUILTIN ? BUILTIN_PREV : LIBC_PREV);
	}
	return !tag;
}

void ruby_set_anchors(const struct ruby_runtime *rt, struct interp_copy *copy, uint64_t pthread,
		      uint64_t tag, size_t runs, struct interp_walk *out)
{
	struct ruby_tags t = { .loop = &rt->loop, .copy = copy };

	for (size_t i = out->count; i-- && out->frames[i].own >= runs;)
		out->frames[i].anchor = RUBY_OUTSIDE;
	if (!rt->loop.exec || !runs || !tag)
		return;
	find_guard(&t, rt->shared, pthread);
	if (!ruby_tags_follow(&t, tag) || t.count + 1 < runs || t.count > runs + 1)
		return;
	for (size_t i = 0; i < out->count; i++) {
		uint64_t run = out->frames[i].own, from_outermost;

		if (run >= runs)
			continue;
		from_outermost = runs - run;
		if (from_outermost <= t.count)
			out->frames[i].anchor = t.of_exec[t.count - from_outermost];
	}
}
