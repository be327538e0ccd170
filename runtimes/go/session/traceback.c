/* Which functions are shown, how names are cut and which frames are elided follows the release's
 * traceback.go, with the names of its functions in the comments. */
#include "runtimes/go/session/traceback.h"

#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/room.h"
#include "goparse/text.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/labels.h"
#include "runtimes/go/live.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/traced.h"
#include "runtimes/go/stacks/args.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/goroutines.h"

enum {
	PHYSICAL_MAX = 100, /* _TracebackMaxFrames, up to 1.20 */
	INNER = 50,
	OUTER = 50, /* tracebackInnerFrames, tracebackOuterFrames, from 1.21 on */
};

void traceback_init(struct traceback *t, struct goprofile *g)
{
	memset(t, 0, sizeof(*t));
	t->g = g;
}

void traceback_release(struct traceback *t)
{
	labelsets_release(&t->sets);
	buffer_release(&t->text);
	buffer_release(&t->args);
	ancestry_release(&t->ancestry);
	free(t->frames);
	free(t->labels);
}

static bool upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* isExportedRuntime; `name` is what follows "runtime.". From 1.23 on for methods, too. */
static bool is_exported(const char *name, unsigned minor)
{
	const char *last = strrchr(name, '.');

	if (minor < 23 || !last)
		return upper(*name);
	if (begins_with(name, "(*") && last - name >= 3 && last[-1] == ')')
		name += 2;
	return upper(last[1]) && (last == name || upper(*name));
}

/* showfuncinfo, except for wrappers, which are not among our frames. */
static bool traceback_is_shown(const char *name, unsigned minor)
{
	if (minor >= 25 &&
	    (!strcmp(name, "runtime.runFinalizers") || !strcmp(name, "runtime.runCleanups")))
		return true;
	if (begins_with(name, "runtime."))
		return is_exported(name + 8, minor);
	return strchr(name, '.');
}

/* True for functions that are not called but injected: the caller's pc is where it was interrupted
 * (runtimes/go/stacks/sites.c). */
static bool is_injected(const char *name, unsigned minor)
{
	return begins_with(name, "runtime.sigpanic") ||
	       (minor > 20 && (begins_with(name, "runtime.asyncPreempt") ||
			       begins_with(name, "runtime.debugCallV2")));
}

/* Copies t->text as a terminal may show it, so that it stays one line, too. */
static int traceback_keep(struct traceback *t, struct goparse_text *to)
{
	size_t len = printable_bytes((char *)t->text.data, t->text.len);
	char *text = arena_copy(&t->g->frames.arena, t->text.data, len);

	*to = (struct goparse_text){ text, len };
	return text ? 0 : ERR_NOMEM;
}

/* printFuncName */
static int traceback_keep_name(struct traceback *t, const char *name, struct goparse_text *to)
{
	t->text.len = 0;
	if (!strcmp(name, "runtime.gopanic"))
		name = "panic";
	return pcframes_print(name, t->g->minor, &t->text) ? ERR_NOMEM : traceback_keep(t, to);
}

static int keep_creator(struct traceback *t, const struct pcframe *f, struct goparse_text *to)
{
	const struct pcframes_source *source = &t->g->frames.source;
	const char *name = f->go ? source->function(source->ctx, f->entry) : NULL;

	return name && traceback_is_shown(name, t->g->minor) ? traceback_keep_name(t, name, to) : 0;
}

static int trace(struct traceback *t, struct pcframe *f)
{
	struct pcframe_traced *traced = arena_alloc(&t->g->frames.arena, sizeof(*traced));

	if (traced)
		*traced = (struct pcframe_traced){ 0 };
	if (!traced || traceback_keep_name(t, f->function, &traced->name) ||
	    keep_creator(t, f, &traced->creator))
		return ERR_NOMEM;
	t->text.len = 0;
	if (buffer_add(&t->text, f->file, strlen(f->file)) || traceback_keep(t, &traced->file))
		return ERR_NOMEM;
	traced->boundary = !strcmp(f->function, "runtime.gopanic");
	traced->shown = traceback_is_shown(f->function, t->g->minor);
	traced->injected = is_injected(f->function, t->g->minor);
	f->traced = traced;
	return 0;
}

struct pcframe *traceback_find(struct traceback *t, uint64_t pc)
{
	struct pcframe *f = pcframes_find(&t->g->frames, pc);

	return f && !f->traced && trace(t, f) ? NULL : f;
}

/* The current physical frame: the first of its logical frames, and its return address. */
struct physical {
	const struct pcframe *innermost;
	uint64_t pc;
};

/* Appends the frame's arguments, from the goroutine's stack bytes from `end` on, to t->args. The pc
 * at which live arguments are looked up is the physical frame's from 1.21 on (traceback2). Before
 * that it is the pc of `last`, the logical frame that is not inlined (gentraceback). */
static int print_args(struct traceback *t, const struct physical *p, const struct pcframe *last,
		      const struct go_goroutine *r, size_t end)
{
	const struct pcframe *f = t->g->minor < 21 ? last : p->innermost;
	struct goargs **args = &f->traced->args;

	if (!*args) {
		*args = arena_alloc(&t->g->frames.arena, sizeof(**args));
		if (!*args)
			return ERR_NOMEM;
		gocallers_arguments(t->g->callers, f->pc, *args);
	}
	return goargs_print(*args, r->stack + end, r->stack_len - end, &t->args);
}

/* Sets the frames' arguments, now that their text does not move any more. */
static void place_args(struct traceback *t)
{
	const char *at = (const char *)t->args.data;

	for (size_t i = 0; i < t->frame_count; i++) {
		struct goparse_text *args = &t->frames[i].args;

		if (args->at || !args->len)
			continue;
		args->at = at;
		at += args->len;
	}
}

/* Adds the logical frame of r->pcs[i]. */
static int traceback_push(struct traceback *t, const struct pcframe *f, const struct physical *p,
			  const struct go_goroutine *r, size_t i)
{
	size_t before = t->args.len;
	struct goparse_frame *frame;

	if (room_for((void **)&t->frames, &t->frame_room, t->frame_count + 1, sizeof(*t->frames)))
		return ERR_NOMEM;
	frame = &t->frames[t->frame_count++];
	*frame = (struct goparse_frame){
		.function = f->traced->name,
		.args = { LITERAL("...") },
		.file = f->traced->file,
		.line = f->line,
		.pc_offset = !f->inlined && p->pc > f->entry ? p->pc - f->entry : 0,
	};
	if (f->inlined || !r->stack)
		return 0;
	if (print_args(t, p, f, r, r->frame_ends[i]))
		return ERR_NOMEM;
	frame->args = (struct goparse_text){ NULL, t->args.len - before };
	return 0;
}

/* Adds the frames that are shown, or all. The logical frames of a physical frame are consecutive,
 * and the innermost of them has its pc. The last one is not inlined. It is missing if it is a
 * wrapper; then the next frame is of another function. */
static int traceback_push_frames(struct traceback *t, const struct go_goroutine *r, bool all)
{
	const struct pcframe *last = NULL;
	struct physical p = { 0 };
	size_t physical = 0;

	t->frame_count = t->args.len = 0;
	for (size_t i = 0; i < r->pc_count; i++) {
		const struct pcframe *f = traceback_find(t, r->pcs[i]);

		if (!f)
			return ERR_NOMEM;
		if (!f->go)
			continue;
		if (!last || !last->inlined || last->entry != f->entry) {
			bool exact = last ? last->traced->injected : r->exact;

			if (t->g->minor < 21 && physical++ == PHYSICAL_MAX)
				break;
			p = (struct physical){ f, f->pc - exact };
		}
		last = f;
		if ((all || f->traced->shown || (f->traced->boundary && t->frame_count)) &&
		    traceback_push(t, f, &p, r, i))
			return ERR_NOMEM;
	}
	place_args(t);
	return 0;
}

/* From 1.21 on, the frames between the innermost and the outermost ones are left out. If the walk
 * did not reach the end of the stack, no outermost frames are shown. */
static void elide(struct traceback *t, const struct go_goroutine *r, struct goparse_stack *s)
{
	bool whole = r->end == GO_WALK_WHOLE;
	size_t count = t->frame_count;

	/* Up to 1.20: "if n == _TracebackMaxFrames", which is what was printed. */
	s->elided = !whole || (t->g->minor < 21 && count == PHYSICAL_MAX);
	s->elided_at = count;
	if (t->g->minor >= 21 && count > INNER + OUTER) {
		size_t outer = whole ? OUTER : 0;

		s->elided = true;
		s->elided_at = INNER;
		s->elided_count = whole ? count - INNER - OUTER : 0;
		memmove(t->frames + INNER, t->frames + count - outer, outer * sizeof(*t->frames));
		t->frame_count = INNER + outer;
	}
	s->frames = t->frames;
	s->count = t->frame_count;
}

static int traceback_make_stack(struct traceback *t, const struct go_goroutine *r,
				struct goparse_stack *s)
{
	s->id = r->goid;
	s->unavailable = !r->has_stack;
	if (!r->has_stack)
		return 0;
	/* "By default, omits runtime frames. If that means we print nothing at all, repeat
	 * forcing all frames printed." */
	if (traceback_push_frames(t, r, false) ||
	    (!t->frame_count && traceback_push_frames(t, r, true)))
		return ERR_NOMEM;
	elide(t, r, s);
	return 0;
}

int traceback_creator(struct traceback *t, uint64_t go_pc, uint64_t goid, struct goparse_frame *out)
{
	const struct pcframe *f;

	if (!go_pc || goid == 1)
		return 0;
	f = traceback_find(t, go_pc);
	if (!f)
		return ERR_NOMEM;
	if (f->traced->creator.len)
		*out = (struct goparse_frame){
			.function = f->traced->creator,
			.file = f->traced->file,
			.line = f->line,
			.pc_offset = f->pc > f->entry ? f->pc - f->entry : 0,
		};
	return 0;
}

static int make_creator(struct traceback *t, const struct go_goroutine *r, struct goparse_stack *s)
{
	if (traceback_creator(t, r->go_pc, r->goid, &s->created_by))
		return ERR_NOMEM;
	if (s->created_by.function.len)
		s->created_in = r->parent;
	return 0;
}

static int make_ancestors(struct traceback *t, const struct go_goroutine *r,
			  struct goparse_goroutine *out)
{
	if (!r->stack)
		return 0;
	if (ancestry_read(&t->ancestry, t, r))
		return ERR_NOMEM;
	out->ancestors = t->ancestry.stacks;
	out->ancestor_count = t->ancestry.count;
	return 0;
}

/* gStatusStrings */
static struct goparse_text status_text(enum go_status status)
{
	static const struct goparse_text texts[] = {
		[GO_IDLE] = { LITERAL("idle") },
		[GO_RUNNABLE] = { LITERAL("runnable") },
		[GO_RUNNING] = { LITERAL("running") },
		[GO_SYSCALL] = { LITERAL("syscall") },
		[GO_WAITING] = { LITERAL("waiting") },
		[GO_DEAD] = { LITERAL("dead") },
		[GO_COPYSTACK] = { LITERAL("copystack") },
		[GO_PREEMPTED] = { LITERAL("preempted") },
		[GO_LEAKED] = { LITERAL("leaked") },
		[GO_DEADEXTRA] = { LITERAL("waiting for cgo callback") },
	};

	if ((unsigned)status < sizeof(texts) / sizeof(*texts) && texts[status].len)
		return texts[status];
	return (struct goparse_text){ LITERAL("???") };
}

/* isIdleInSynctest, for the reasons that do not contain "(durable)" themselves. */
static bool is_durable(struct goparse_text reason)
{
	static const struct goparse_text reasons[] = {
		{ LITERAL("chan receive (nil chan)") },
		{ LITERAL("chan send (nil chan)") },
		{ LITERAL("select (no cases)") },
		{ LITERAL("sleep") },
		{ LITERAL("sync.Cond.Wait") },
		{ LITERAL("coroutine") },
		{ LITERAL("synctest.Run") },
		{ LITERAL("synctest.Wait") },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (text_equal(reason, reasons[i]))
			return true;
	return false;
}

static uint64_t bubble_id(struct traceback *t, uint64_t bubble)
{
	const struct golive *live = t->g->live;
	uint32_t offset = live->fields.bubble.id;

	if (!bubble || offset == GO_NO_FIELD)
		return 0;
	if (bubble != t->bubble && memory_read_u64(live->memory, bubble + offset, &t->bubble_id))
		t->bubble_id = 0;
	t->bubble = bubble;
	return t->bubble_id;
}

static void make_header(struct traceback *t, const struct go_goroutine *r,
			struct goparse_goroutine *out)
{
	bool waits = (r->status == GO_WAITING || r->status == GO_LEAKED) && *r->wait_reason;

	out->state = waits ? (struct goparse_text){ r->wait_reason, strlen(r->wait_reason) } :
			     status_text(r->status);
	if (r->status == GO_LEAKED)
		out->flags |= GOPARSE_LEAKED;
	if (r->scan)
		out->flags |= GOPARSE_SCAN;
	if (text_take_end(&out->state, LITERAL(" (durable)")) ||
	    (r->bubble && waits && is_durable(out->state)))
		out->flags |= GOPARSE_DURABLE;
	if (text_take_end(&out->state, LITERAL(" (synctest)")))
		out->flags |= GOPARSE_SYNCTEST;
	out->locked = r->locked;
	out->bubble = bubble_id(t, r->bubble);
}

static int traceback_make_labels(struct traceback *t, uint32_t number,
				 struct goparse_goroutine *out)
{
	const struct labelset *set;

	if (!number)
		return 0;
	set = &t->sets.sets[number - 1];
	if (room_for((void **)&t->labels, &t->label_room, set->count, sizeof(*t->labels)))
		return ERR_NOMEM;
	for (size_t i = 0; i < set->count; i++) {
		const struct golabel *l = &set->labels[i];

		t->labels[i].key = (struct goparse_text){ l->key, l->key_len };
		t->labels[i].value = (struct goparse_text){ l->value, l->value_len };
	}
	out->labels = t->labels;
	out->label_count = set->count;
	return 0;
}

int traceback_make(struct traceback *t, const struct go_goroutine *r, uint32_t set,
		   struct goparse_goroutine *out)
{
	memset(out, 0, sizeof(*out));
	make_header(t, r, out);
	if (traceback_make_stack(t, r, &out->stack) || make_creator(t, r, &out->stack) ||
	    make_ancestors(t, r, out) || traceback_make_labels(t, set, out))
		return ERR_NOMEM;
	return 0;
}
