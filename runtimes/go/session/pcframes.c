/* The frames are in an arena, so a frame's address holds while the table grows. */
#include "runtimes/go/session/pcframes.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/room.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/frames.h"

enum { MORE_FOR_PRINT = 8 }; /* bytes by which printing may lengthen a name */

void pcframes_init(struct pcframes *t, const struct pcframes_source *source)
{
	*t = (struct pcframes){ .source = *source };
}

void pcframes_release(struct pcframes *t)
{
	arena_release(&t->arena);
	free(t->all);
	hashindex_release(&t->index);
	pcframes_init(t, &t->source);
}

static bool pcframes_is_at(const void *owner, uint32_t id, const void *key)
{
	return ((const struct pcframes *)owner)->all[id]->pc == *(const uint64_t *)key;
}

/* True if frames of the function are hidden at the beginning of stacks (runtime/pprof,
 * printStackRecord, writeHeapProto). */
static bool is_runtime(const char *function, unsigned minor)
{
	return begins_with(function, "runtime.") ||
	       (minor >= 24 && begins_with(function, "internal/runtime/"));
}

/* Fills a frame. For a pc outside Go functions runtime/pprof makes up the frame's pc: pc - 1
 * (proto.go, allFrames). */
static void pcframes_look_up(struct pcframes *t, struct pcframe *f)
{
	struct gocallers_frame c = { 0 };

	f->at = f->pc - 1;
	f->function = f->file = "";
	f->go = t->source.frame(t->source.ctx, f->pc, &c);
	if (!f->go)
		return;
	if (f->pc <= c.entry) /* Frames.Next: pc - 1 is outside the function */
		f->at = f->pc;
	f->entry = c.entry;
	f->function = c.function ? c.function : "";
	f->file = c.file ? c.file : "";
	f->line = c.line;
	f->start_line = c.start_line;
	f->inlined = c.inlined;
	f->exit = !strcmp(f->function, "runtime.goexit");
	f->runtime = is_runtime(f->function, t->source.minor);
}

struct pcframe *pcframes_find(struct pcframes *t, uint64_t pc)
{
	uint64_t hash = hash_bytes(&pc, sizeof(pc));
	uint32_t id = hashindex_find(&t->index, hash, pcframes_is_at, t, &pc);
	struct pcframe *f;

	if (id != HASHINDEX_NONE)
		return t->all[id];
	f = arena_alloc(&t->arena, sizeof(*f));
	if (!f || room_for((void **)&t->all, &t->room, t->count + 1, sizeof(*t->all)) ||
	    hashindex_add(&t->index, hash, (uint32_t)t->count))
		return NULL;
	f->pc = pc;
	pcframes_look_up(t, f);
	t->all[t->count++] = f;
	return f;
}

bool pcframes_runtime_at_pc(struct pcframes *t, struct pcframe *f)
{
	struct gocallers_frame c = { 0 };

	if (!f->knows_at_pc) {
		/* The source looks at pc - 1. */
		f->runtime_at_pc = t->source.frame(t->source.ctx, f->pc + 1, &c) && c.function &&
				   is_runtime(c.function, t->source.minor);
		f->knows_at_pc = true;
	}
	return f->runtime_at_pc;
}

int pcframes_print(const char *function, unsigned minor, struct buffer *out)
{
	size_t from = out->len;

	if (buffer_add(out, function, strlen(function) + 1) || buffer_reserve(out, MORE_FOR_PRINT))
		return ERR_NOMEM;
	goframes_for_print((char *)out->data + from, minor);
	out->len = from + strlen((char *)out->data + from);
	return 0;
}

bool pcframes_same_printed(const char *a, const char *b, unsigned minor)
{
	struct buffer x = { 0 }, y = { 0 };
	bool same = !pcframes_print(a, minor, &x) && !pcframes_print(b, minor, &y) &&
		    x.len == y.len && !memcmp(x.data, y.data, x.len);

	buffer_release(&x);
	buffer_release(&y);
	return same;
}
