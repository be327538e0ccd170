/*
 * The ancestors of a goroutine: its creator, the creator's creator, and so on, with their stacks at
 * the time of creation. The runtime keeps them with GODEBUG=tracebackancestors=N and prints them
 * behind the goroutine's own stack (runtime/traceback.go, printAncestorTraceback; proc.go,
 * saveAncestors; Go 1.18 to 1.27).
 *
 * They count only if the g still has the same goid and the same array afterwards.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "goparse/text.h"
#include "runtimes/go/live.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/traceback.h"
#include "runtimes/go/session/traced.h"
#include "runtimes/go/stacks/goroutines.h"

enum {
	MOST = 64, /* ancestors of a goroutine; programs keep few, as each delays its creation */
	PCS = 100, /* _TracebackMaxFrames, up to 1.20 */
	NEWER_PCS = 50, /* tracebackInnerFrames */
};

/* runtime.ancestorInfo. */
struct ancestor_info {
	uint64_t pcs, pc_count, pc_room, goid, go_pc;
};

void ancestry_release(struct ancestry *a)
{
	free(a->stacks);
	free(a->frames);
}

/* The runtime uses these pcs as they are, so the line is that of the instruction behind the call.
 * The physical function decides whether the frame is shown; the name is that of the function
 * inlined there. */
static int ancestry_add_frame(struct ancestry *a, struct traceback *t, uint64_t pc, bool first)
{
	const struct pcframe *f = traceback_find(t, pc + 1);

	if (!f ||
	    room_for((void **)&a->frames, &a->frame_room, a->frame_count + 1, sizeof(*a->frames)))
		return ERR_NOMEM;
	if (!f->go || (!f->traced->creator.len && (first || !f->traced->boundary)))
		return 0;
	a->frames[a->frame_count++] = (struct goparse_frame){
		.function = f->traced->name,
		.args = { LITERAL("...") },
		.file = f->traced->file,
		.line = f->line,
		.pc_offset = pc > f->entry ? pc - f->entry : 0,
	};
	return 0;
}

static int ancestry_add(struct ancestry *a, struct traceback *t, const struct ancestor_info *info)
{
	const struct memory *memory = t->g->live->memory;
	size_t before = a->frame_count, most = t->g->minor < 21 ? PCS : NEWER_PCS;
	uint64_t pcs[PCS];
	struct goparse_stack *s;
	int rc = 0;

	if (info->pc_count > most ||
	    memory->read(memory, info->pcs, pcs, info->pc_count * sizeof(*pcs)))
		return ERR_IO;
	if (room_for((void **)&a->stacks, &a->room, a->count + 1, sizeof(*a->stacks)))
		return ERR_NOMEM;
	for (size_t i = 0; i < info->pc_count && !rc; i++)
		rc = ancestry_add_frame(a, t, pcs[i], !i);
	s = &a->stacks[a->count++];
	*s = (struct goparse_stack){ .id = info->goid, .count = a->frame_count - before };
	s->elided = info->pc_count == most;
	s->elided_at = s->count;
	return rc ? rc : traceback_creator(t, info->go_pc, info->goid, &s->created_by);
}

/* True if the goroutine still has these ancestors. They are freed when it ends. */
static bool ancestry_is_its_own(const struct golive *live, const struct go_goroutine *r)
{
	uint64_t goid, ancestors;

	return !memory_read_u64(live->memory, r->g + live->fields.g.goid, &goid) &&
	       !memory_read_u64(live->memory, r->g + live->fields.g.ancestors, &ancestors) &&
	       goid == r->goid && ancestors == r->ancestors;
}

int ancestry_read(struct ancestry *a, struct traceback *t, const struct go_goroutine *r)
{
	const struct memory *memory = t->g->live->memory;
	struct ancestor_info all[MOST];
	const struct goparse_frame *at;
	uint64_t slice[2]; /* address, count */
	size_t count;
	int rc = 0;

	a->count = a->frame_count = 0;
	if (!r->ancestors)
		return 0;
	if (memory->read(memory, r->ancestors, slice, sizeof(slice)))
		return 0;
	count = slice[1] < MOST ? (size_t)slice[1] : MOST;
	if (memory->read(memory, slice[0], all, count * sizeof(*all)))
		return 0;
	for (size_t i = 0; i < count && !rc; i++)
		rc = ancestry_add(a, t, &all[i]);
	if (rc == ERR_NOMEM)
		return rc;
	if (rc || !ancestry_is_its_own(t->g->live, r))
		a->count = 0;
	at = a->frames; /* the array does not move any more */
	for (size_t i = 0; i < a->count; i++) {
		a->stacks[i].frames = at;
		at += a->stacks[i].count;
	}
	return 0;
}
