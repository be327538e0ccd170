/*
 * Which method entry each frame belongs to, while its thread is held.
 *
 * An iseq may be the body of methods of several classes: of a class and its copy (dup), of what
 * module_function or define_method with a method makes. Which one is called, only the method entry
 * tells. As in rb_vm_frame_method_entry() it is in the environment of the method's frame, or in
 * that of a block which is a method itself. A block's leads there by the environments around it,
 * which may be on the heap.
 *
 * A method that uses $~ has a struct vm_svar in the entry's place, made anew in each call, which
 * leads to it; some frames have a class reference. So what is there is looked at, unless the iseq
 * is known with it: then it is a method entry. If it has become something else since, the proof
 * fails.
 */

#include "runtimes/common/copy.h"
#include "runtimes/ruby/runtime.h"

enum {
	BLOCKS_MAX = 8, /* environments around a block's that are followed */
	BATCH = 256,	/* addresses that are read together */
	ENTRY_BYTES = 16,
	LOOKS = 2, /* at what is in an entry's place, and at where that leads */
};

/* Leads nowhere. */
static const struct ruby_env none = { .flags = ENV_LOCAL };

void ruby_note_method(const struct ruby_env *env, struct interp_frame *f)
{
	uint32_t magic = env->flags & MAGIC_MASK;
	bool own = env->flags & FLAG_BMETHOD || magic == MAGIC_METHOD || magic == MAGIC_DUMMY;
	bool around = !(env->flags & (ENV_LOCAL | FLAG_BMETHOD));
	uint64_t at = around ? env->prev & ~3ull : own ? env->method : 0;

	f->method = ruby_is_object(at) ? at : 0;
	f->flags &= (uint16_t)~RUBY_AROUND;
	if (around && f->method)
		f->flags |= RUBY_AROUND;
}

static bool copied(const struct interp_copy *copy, uint64_t addr, void *to, size_t len)
{
	return !copy->memory.read(&copy->memory, addr, to, len);
}

/* Addresses to be read together. */
struct ruby_methods_wanted {
	struct interp_copy *copy;
	uint64_t addrs[BATCH];
	size_t count;
	size_t len; /* of each */
};

static void ruby_methods_want(struct ruby_methods_wanted *w, uint64_t addr)
{
	char bytes[ENV_BYTES];

	if (w->count == BATCH || (w->count && w->addrs[w->count - 1] == addr) ||
	    copied(w->copy, addr, bytes, w->len))
		return;
	w->addrs[w->count++] = addr;
}

/* Goes on to the next environment of all frames that have none of a method yet. False: none has. */
static bool go_outward(struct interp_copy *copy, struct interp_walk *out)
{
	struct ruby_methods_wanted w = { .copy = copy, .len = ENV_BYTES };
	struct ruby_env env;
	bool any = false;

	for (size_t i = 0; i < out->count; i++)
		if (out->frames[i].flags & RUBY_AROUND)
			ruby_methods_want(&w, out->frames[i].method + (uint64_t)ENV_METHOD);
	interp_copy_need_all(copy, w.addrs, w.count, w.len);
	for (size_t i = 0; i < out->count; i++) {
		struct interp_frame *f = &out->frames[i];

		if (!(f->flags & RUBY_AROUND))
			continue;
		if (!copied(copy, f->method + (uint64_t)ENV_METHOD, &env, sizeof(env)))
			env = none;
		ruby_note_method(&env, f);
		any |= f->flags & RUBY_AROUND;
	}
	return any;
}

static bool ruby_methods_is_new(const struct interp_copy *copy, const struct interp_frame *f)
{
	return f->method && interp_copy_is_new(copy, interp_code_key(f->code, f->method));
}

/* Of those that are not known: a method entry stays, what leads to one is followed. */
static void ruby_methods_look(struct interp_copy *copy, struct interp_walk *out)
{
	struct ruby_methods_wanted w = { .copy = copy, .len = ENTRY_BYTES };
	uint64_t entry[ENTRY_BYTES / 8];

	for (size_t i = 0; i < out->count; i++)
		if (ruby_methods_is_new(copy, &out->frames[i]))
			ruby_methods_want(&w, out->frames[i].method);
	interp_copy_need_all(copy, w.addrs, w.count, w.len);
	for (size_t i = 0; i < out->count; i++) {
		struct interp_frame *f = &out->frames[i];

		if (!ruby_methods_is_new(copy, f) ||
		    !copied(copy, f->method, entry, sizeof(entry)) ||
		    ruby_is_imemo(entry[0], IMEMO_METHOD))
			continue;
		f->method = ruby_is_imemo(entry[0], IMEMO_SVAR) &&
					    ruby_is_object(entry[IMEMO_SVAR_METHOD / 8]) ?
				    entry[IMEMO_SVAR_METHOD / 8] :
				    0;
	}
}

void ruby_find_methods(struct interp_copy *copy, struct interp_walk *out)
{
	bool any = out->count;

	for (unsigned i = 0; any && i < BLOCKS_MAX; i++)
		any = go_outward(copy, out);
	for (size_t i = 0; any && i < out->count; i++)
		if (out->frames[i].flags & RUBY_AROUND)
			ruby_note_method(&none, &out->frames[i]);
	for (unsigned i = 0; i < LOOKS; i++)
		ruby_methods_look(copy, out);
}
