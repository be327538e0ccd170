/* A walk goes by the sites' frame sizes through a copy of the stack, and puts the logical frames of
 * each site; the rules for wrappers and skips are those of tracebackPCs. */
#include "runtimes/go/stacks/callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/stacks/args.h"
#include "runtimes/go/stacks/frames.h"
#include "runtimes/go/stacks/sites.h"

struct gocallers {
	struct gosites sites;
	struct goframes frames;
};

int gocallers_new(struct gocallers **out, const struct golive *live)
{
	struct gocallers *c = calloc(1, sizeof(*c));
	int rc = c ? gosites_init(&c->sites, live) : ERR_NOMEM;

	if (!rc)
		rc = goframes_init(&c->frames, &c->sites);
	if (rc) {
		gocallers_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void gocallers_free(struct gocallers *c)
{
	if (!c)
		return;
	goframes_release(&c->frames);
	gosites_release(&c->sites);
	free(c);
}

/* Receives the logical frames. */
struct callers_output {
	uint64_t *pcs;
	size_t *ends, no_end; /* of a walk; `ends` may be NULL */
	size_t room, count, skip;
	bool after_panic; /* the last frame, shown or not, was of a panic function */
};

/* runtime/traceback.go, tracebackPCs and elideWrapperCalling: wrappers are left out, except one
 * that called a panic function instead of the function that it wraps. False: there is no more
 * room. */
static bool callers_put(struct callers_output *o, const struct gosite_frame *f)
{
	if (f->wrapper && !o->after_panic)
		return true;
	if (o->skip) {
		o->skip--;
	} else if (o->count == o->room) {
		return false;
	} else {
		if (o->ends)
			o->ends[o->count] = o->no_end;
		o->pcs[o->count++] = f->pc;
	}
	return true;
}

static bool callers_put_all(struct callers_output *o, const struct gosites *s,
			    const struct gosite *site)
{
	for (uint32_t i = 0; i < site->count; i++) {
		const struct gosite_frame *f = &s->frames[site->first + i];

		if (!callers_put(o, f))
			return false;
		o->after_panic = f->panic;
	}
	return true;
}

static bool callers_word_at(const struct gocallers_stack *s, uint64_t at, uint64_t *value)
{
	if (at > s->len || s->len - at < sizeof(*value))
		return false;
	memcpy(value, s->bytes + at, sizeof(*value));
	return true;
}

/* Finds where the walk begins; *sp is in bytes from s->sp on. A pc of 0 comes from a call of nil:
 * the first frame is that of the caller (initAt). */
static bool callers_begin(const struct gocallers_stack *s, uint64_t *pc, uint64_t *sp)
{
	*pc = s->pc;
	*sp = s->pc ? 0 : sizeof(*pc);
	return s->pc || callers_word_at(s, 0, pc);
}

/* How a walk ends at this frame, or GO_WALK_ENDS: it continues. A function that sets the stack
 * pointer by hand (GOSITE_MOVES_SP) ends it unless `may_move`, which is true in two cases. The
 * function of the first frame stopped by its own decision (resolveInternal: isSyscall, and
 * innermost). If the thread is held, the function has not changed to another stack yet or has come
 * back; otherwise sp would not be on this stack. */
static enum gocallers_end end_at(const struct gosite *site, bool may_move)
{
	switch ((enum gosite_kind)site->kind) {
	case GOSITE_TOP:
		return GO_WALK_WHOLE;
	case GOSITE_MOVES_SP:
		return may_move ? GO_WALK_ENDS : GO_WALK_UNKNOWN;
	case GOSITE_BROKEN:
		return GO_WALK_BROKEN;
	case GOSITE_FOREIGN:
		return GO_WALK_UNKNOWN;
	case GOSITE_CALLED:
	case GOSITE_INJECTED:
		break;
	}
	return GO_WALK_ENDS;
}

/* Each turn goes up by at least one frame, so that a walk ends. */
static int callers_walk(struct gosites *sites, const struct gocallers_stack *s,
			struct callers_output *o)
{
	enum gosite_sense sense = s->exact ? GOSITE_EXACT : GOSITE_RETURN;
	uint64_t pc, sp;
	bool first = true;

	if (!callers_begin(s, &pc, &sp))
		return GO_WALK_SHORT;
	for (;; first = false) {
		int rc;
		const struct gosite *site = gosites_at(sites, pc, sense, &rc);
		enum gocallers_end end;
		size_t before = o->count;

		if (!site)
			return rc ? rc : GO_WALK_UNKNOWN;
		if (site->kind == GOSITE_FOREIGN) /* these are not shown */
			return GO_WALK_UNKNOWN;
		if (!callers_put_all(o, sites, site))
			return GO_WALK_DEEP;
		end = end_at(site, first || s->exact);
		if (end != GO_WALK_ENDS)
			return (int)end;
		sp += (uint64_t)site->depth;
		if (!callers_word_at(s, sp, &pc))
			return GO_WALK_SHORT;
		if (!pc)
			return GO_WALK_BROKEN;
		sp += sizeof(pc);
		/* The frames from `before` on belong to one physical frame. */
		for (size_t i = before; o->ends && i < o->count; i++)
			o->ends[i] = sp;
		sense = site->kind == GOSITE_INJECTED ? GOSITE_EXACT : GOSITE_RETURN;
	}
}

int gocallers_walk(struct gocallers *c, const struct gocallers_stack *s, uint64_t *pcs,
		   size_t *ends, size_t room, size_t *count)
{
	struct callers_output o = { .pcs = pcs, .ends = ends, .no_end = s->len, .room = room };
	int end = callers_walk(&c->sites, s, &o);

	*count = o.count;
	return end;
}

int gocallers_expand(struct gocallers *c, const uint64_t *physical, size_t physical_count,
		     size_t skip, uint64_t *pcs, size_t room, size_t *count)
{
	struct callers_output o = { .pcs = pcs, .room = room, .skip = skip };
	bool fits = true;
	int rc = 0;

	for (size_t i = 0; !rc && fits && i < physical_count; i++) {
		const struct gosite *site = gosites_at(&c->sites, physical[i], GOSITE_PHYSICAL,
						       &rc);
		/* C's frames are kept and have no wrappers. */
		struct gosite_frame foreign = { .pc = physical[i] };

		if (site)
			fits = callers_put_all(&o, &c->sites, site);
		else if (!rc)
			fits = callers_put(&o, &foreign);
	}
	*count = o.count;
	return rc;
}

bool gocallers_frame(struct gocallers *c, uint64_t pc, struct gocallers_frame *f)
{
	return goframes_at(&c->frames, pc, f);
}

void gocallers_arguments(struct gocallers *c, uint64_t pc, struct goargs *args)
{
	goargs_load(&c->sites, pc, args);
}

const char *gocallers_function(struct gocallers *c, uint64_t address)
{
	return goframes_function(&c->frames, address);
}
