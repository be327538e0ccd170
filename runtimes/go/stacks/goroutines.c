/*
 * allgs is read in batches: the gs of a batch in a few calls, their stacks in a few more. Pieces of
 * memory are copied one after the other. So the state of a g is copied right before and right after
 * its stack, a few microseconds apart. The stack is used when both copies and the state by which it
 * was found are the same. If all states of a batch were copied before and after all of its stacks,
 * a goroutine might run 256 times in between, and trackingSeq would be the same again.
 *
 * Since 1.26 system calls do not count in trackingSeq; there the thread's syscalltick is compared.
 */
#include "runtimes/go/stacks/goroutines.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "runtimes/go/debug.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/stacks/allgs.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/held.h"
#include "runtimes/go/stacks/state.h"
#include "runtimes/go/stacks/waitreasons.h"

enum {
	BATCH = 4096,		 /* goroutines */
	STACKS_BYTES = 16 << 20, /* of a batch; stacks beyond this are read one by one */
	STACK_FIRST = 32 << 10,	 /* first copy of one stack, nearly always all of it */
	STACK_MAX = 64 << 20,	 /* largest copy; a walk that needs more is SHORT */
	PIECES = 5,		 /* pieces of memory for a stack */
	SECOND_LOOK = 16 << 10,	 /* bytes compared at a time */
	TRIES = 8,
	PATIENT = 4, /* after this many tries, wait before each */
	WAIT_NS = 50000,
	FRAMES_MAX = 1 << 22,
	/* Bounds for all goroutines, so that a process cannot keep us busy: */
	WAITS_MAX = 2000,
	AGAIN_MAX = 1 << 20,
};

static const uint64_t LONG_STACKS_MAX = 16ull << 30; /* bytes of all long stacks */

enum have { NOTHING, NO_G, STATE, STACK, MOVED };

struct goroutines_slot {
	uint64_t g;	/* address in the process */
	uint8_t *bytes; /* copy of the g */
	struct gostate state;
	uint64_t pc, sp;
	bool exact, system;
	bool deferred; /* read again because there was no room, not because it has moved */
	enum have have;
	uint8_t *stack;
	size_t len;		 /* bytes copied */
	uint8_t *before, *after; /* copies of the state around that of the stack */
	uint32_t ticks[2];
	struct memory_piece *piece; /* the stack's piece */
};

struct goroutines_reader {
	const struct golive *live;
	struct gocallers *callers;
	const struct gogoroutines_options *options;
	struct gogoroutines_stats *stats;
	struct error *err;
	size_t g_bytes, state_bytes;
	size_t batch, stacks_room;
	uint64_t *gs;
	struct goroutines_slot *slots;
	uint8_t *copies; /* for each slot: the g, and two copies of its state */
	struct memory_piece *pieces;
	uint8_t *stacks, *long_stack;
	size_t long_room;
	uint64_t long_bytes;
	unsigned waits, agains;
	uint64_t *pcs;
	size_t *frame_ends;
	size_t max_frames;
	struct goreasons reasons;
};

static size_t copy_bytes(const struct goroutines_reader *r)
{
	return r->g_bytes + 2 * r->state_bytes;
}

static void goroutines_gather(struct goroutines_reader *r, size_t count)
{
	r->stats->reads += memory_gather(r->live->memory, r->pieces, count);
	for (size_t i = 0; i < count; i++)
		r->stats->bytes += r->pieces[i].len;
}

/* runtime/traceback.go, isSystemGoroutine, up to 1.27. */
static bool is_system(struct goroutines_reader *r, const uint8_t *g)
{
	const struct gofields *f = &r->live->fields;
	const char *name = gocallers_function(r->callers, memory_word(g, f->g.start_pc));
	uint32_t fing = 0;

	if (!name || strncmp(name, "runtime.", 8) != 0)
		return false;
	name += 8;
	if (!strcmp(name, "main") || !strcmp(name, "corostart") ||
	    !strcmp(name, "handleAsyncEvent"))
		return false;
	if (!strcmp(name, "runfinq") || !strcmp(name, "runFinalizers")) {
		bool old = r->live->vars.layout->minor < 20; /* a bool, later bits: mfinal.go */

		if (!r->live->places.fing_status ||
		    r->live->memory->read(r->live->memory, r->live->places.fing_status, &fing,
					  old ? 1 : 4))
			return true;
		return !(fing & (old ? 1 : 2));
	}
	if (!strcmp(name, "runCleanups") && f->g.running_cleanups != GO_NO_FIELD)
		return !g[f->g.running_cleanups];
	return true;
}

/* Reads the gs of all slots together. */
static void read_gs(struct goroutines_reader *r, struct goroutines_slot *slots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		r->pieces[i] = (struct memory_piece){ slots[i].g, slots[i].bytes, r->g_bytes };
	goroutines_gather(r, count);
	for (size_t i = 0; i < count; i++) {
		struct goroutines_slot *s = &slots[i];

		s->have = NO_G;
		s->deferred = false;
		if (!r->pieces[i].len || s->g % 8)
			continue;
		gostate_load(&s->state, &r->live->fields, s->bytes);
		if (gostate_dead(&s->state))
			s->have = NOTHING;
		else if (gostate_lives(&s->state))
			s->have = STATE;
		if (s->have == STATE)
			s->system = is_system(r, s->bytes);
	}
}

static bool is_wanted(const struct goroutines_reader *r, const struct goroutines_slot *s)
{
	return r->options->system || !s->system;
}

/* Finds where the stack is to be read from. False: the goroutine has none now. */
static bool find_start(struct goroutines_reader *r, struct goroutines_slot *s)
{
	s->exact = false;
	if (r->options->held && s->state.status == GO_RUNNING && !s->state.syscall_sp)
		return goheld_find(r->live, r->callers, r->options, &s->state, &s->pc, &s->sp,
				   &s->exact);
	return gostate_rests(&s->state, &s->pc, &s->sp);
}

static size_t put_piece(struct goroutines_reader *r, size_t at, uint64_t addr, void *to, size_t len)
{
	r->pieces[at] = (struct memory_piece){ addr, to, len };
	return at + 1;
}

/* Adds the pieces for a slot: state, stack, state. */
static size_t put_pieces(struct goroutines_reader *r, size_t at, struct goroutines_slot *s)
{
	uint32_t tick = r->live->fields.m.syscall_tick;
	bool ticks = s->state.syscall_sp && s->state.m && tick != GO_NO_FIELD;

	s->before = s->bytes + r->g_bytes;
	s->after = s->before + r->state_bytes;
	s->ticks[0] = s->ticks[1] = 0;
	at = put_piece(r, at, s->g, s->before, r->state_bytes);
	if (ticks)
		at = put_piece(r, at, s->state.m + tick, &s->ticks[0], sizeof(s->ticks[0]));
	s->piece = &r->pieces[at];
	at = put_piece(r, at, s->sp, s->stack, s->len);
	if (ticks)
		at = put_piece(r, at, s->state.m + tick, &s->ticks[1], sizeof(s->ticks[1]));
	return put_piece(r, at, s->g, s->after, r->state_bytes);
}

/* A running goroutine was stopped only as long as its thread was held. */
static bool has_run_on(const struct goroutines_reader *r, const struct goroutines_slot *s)
{
	return s->state.status == GO_RUNNING && !s->state.syscall_sp && r->options->let_go &&
	       atomic_load(r->options->let_go);
}

static bool goroutines_is_whole(const struct goroutines_reader *r, const struct goroutines_slot *s)
{
	struct gostate before, after;

	if (!s->piece->len || s->ticks[0] != s->ticks[1] || has_run_on(r, s))
		return false;
	gostate_load(&before, &r->live->fields, s->before);
	gostate_load(&after, &r->live->fields, s->after);
	return gostate_same(&before, &s->state) && gostate_same(&after, &s->state);
}

/* Reads the stacks of the slots that have one, up to `each` bytes of each, as far as there is
 * room. */
static void read_stacks(struct goroutines_reader *r, struct goroutines_slot *slots, size_t count,
			uint8_t *room, size_t left, size_t each)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		struct goroutines_slot *s = &slots[i];

		s->piece = NULL;
		if (s->have != STATE || !is_wanted(r, s))
			continue;
		s->have = MOVED;
		if (!find_start(r, s))
			continue;
		s->len = s->state.high - s->sp < each ? (size_t)(s->state.high - s->sp) : each;
		s->deferred = s->len > left;
		if (s->deferred)
			continue;
		s->stack = room;
		room += s->len;
		left -= s->len;
		at = put_pieces(r, at, s);
	}
	goroutines_gather(r, at);
	for (size_t i = 0; i < count; i++)
		if (slots[i].piece && goroutines_is_whole(r, &slots[i]))
			slots[i].have = STACK;
}

/* Reads one goroutine, up to `bytes` of its stack, until it was at rest during the reading. */
static int read_again(struct goroutines_reader *r, struct goroutines_slot *s, size_t bytes)
{
	if (room_for((void **)&r->long_stack, &r->long_room, bytes, 1))
		return error_nomem(r->err);
	for (unsigned i = 0; i < TRIES && r->agains < AGAIN_MAX; i++) {
		if (i >= PATIENT && !r->options->held && r->waits++ < WAITS_MAX)
			nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
		if (!s->deferred) {
			r->stats->again++;
			r->agains++;
		}
		read_gs(r, s, 1);
		if (s->have != STATE)
			return 0;
		read_stacks(r, s, 1, r->long_stack, bytes, bytes);
		if (s->have != MOVED)
			return 0;
	}
	return 0;
}

static uint64_t goroutines_field(const struct goroutines_slot *s, uint32_t offset)
{
	return offset == GO_NO_FIELD ? 0 : memory_word(s->bytes, offset);
}

static void goroutines_describe(struct goroutines_reader *r, const struct goroutines_slot *s,
				struct go_goroutine *g)
{
	const struct gofields *f = &r->live->fields;
	bool waits = s->state.status == GO_WAITING || s->state.status == GO_LEAKED;

	*g = (struct go_goroutine){
		.goid = s->state.goid,
		.g = s->g,
		.parent = goroutines_field(s, f->g.parent),
		.go_pc = goroutines_field(s, f->g.go_pc),
		.start_pc = goroutines_field(s, f->g.start_pc),
		.labels = goroutines_field(s, f->g.labels),
		.bubble = goroutines_field(s, f->g.bubble),
		.ancestors = goroutines_field(s, f->g.ancestors),
		.wait_since = (int64_t)goroutines_field(s, f->g.wait_since),
		.status = (enum go_status)s->state.status,
		.wait_reason = waits ? goreasons_text(&r->reasons, r->live->memory,
						      r->live->places.wait_reasons,
						      s->bytes[f->g.wait_reason]) :
				       "",
		.scan = s->state.scan,
		.tracking_seq = s->state.tracking_seq,
		.locked = goroutines_field(s, f->g.locked_m) != 0,
		.system = s->system,
		.pcs = r->pcs,
	};
}

static int goroutines_walk(struct goroutines_reader *r, const struct goroutines_slot *s,
			   struct go_goroutine *g)
{
	struct gocallers_stack stack = { s->pc, s->exact, s->stack, s->len };
	int end = gocallers_walk(r->callers, &stack, r->pcs, r->frame_ends, r->max_frames,
				 &g->pc_count);

	if (end < 0)
		return error_nomem(r->err);
	g->has_stack = true;
	g->pc = s->pc;
	g->stack_used = s->state.high - s->sp;
	g->exact = s->exact;
	g->syscall_tick = s->ticks[0];
	g->end = end;
	g->stack = s->stack;
	g->stack_len = s->len;
	g->frame_ends = r->frame_ends;
	return 0;
}

static bool wants_more(struct goroutines_reader *r, const struct goroutines_slot *s,
		       const struct go_goroutine *g)
{
	if (g->end != GO_WALK_SHORT || s->len >= s->state.high - s->sp || s->len >= STACK_MAX)
		return false;
	r->long_bytes += s->len;
	return r->long_bytes < LONG_STACKS_MAX;
}

/* trackingSeq is the same when a goroutine that was preempted by a GC (preemptPark) has run and is
 * preempted there again, so its stack may have been copied while it ran. That stack is read twice,
 * and so is one that leads nowhere. */
static bool is_doubtful(const struct goroutines_slot *s, const struct go_goroutine *g)
{
	return s->state.status == GO_PREEMPTED || s->state.status == GO_RUNNABLE ||
	       g->end == GO_WALK_UNKNOWN || g->end == GO_WALK_BROKEN ||
	       (g->end == GO_WALK_SHORT && s->len >= s->state.high - s->sp);
}

/* Has the stack changed since it was copied? */
static bool goroutines_has_changed(const struct goroutines_reader *r,
				   const struct goroutines_slot *s)
{
	uint8_t now[SECOND_LOOK];

	for (size_t at = 0; at < s->len; at += sizeof(now)) {
		size_t len = s->len - at < sizeof(now) ? s->len - at : sizeof(now);

		r->stats->reads++;
		r->stats->bytes += len;
		if (r->live->memory->read(r->live->memory, s->sp + at, now, len) ||
		    memcmp(now, s->stack + at, len))
			return true;
	}
	return false;
}

/* Completes the stack of a slot: it was read with the others, or has moved meanwhile, or is longer
 * than what was read. */
static int goroutines_find_stack(struct goroutines_reader *r, struct goroutines_slot *s,
				 struct go_goroutine *g)
{
	size_t bytes = STACK_FIRST;
	int rc = s->have == MOVED ? read_again(r, s, bytes) : 0;

	for (unsigned changed = 0;;) {
		if (rc || s->have == NO_G || s->have == NOTHING)
			return rc;
		goroutines_describe(r, s, g);
		if (s->have != STACK || changed == TRIES)
			return 0;
		rc = goroutines_walk(r, s, g);
		if (rc)
			return rc;
		s->deferred = !is_doubtful(s, g) || !goroutines_has_changed(r, s);
		if (s->deferred && !wants_more(r, s, g))
			return 0;
		if (s->deferred)
			bytes *= 16;
		else
			changed++;
		rc = read_again(r, s, bytes < STACK_MAX ? bytes : STACK_MAX);
	}
}

static int goroutines_tell(struct goroutines_reader *r, struct goroutines_slot *s,
			   gogoroutines_callback *each, void *ctx)
{
	struct go_goroutine g;
	int rc = 0;

	if (s->have == STATE && is_wanted(r, s) && !r->options->stacks)
		goroutines_describe(r, s, &g);
	else if (s->have == STACK || s->have == MOVED)
		rc = goroutines_find_stack(r, s, &g);
	else if (s->have == STATE)
		return 0;
	r->stats->left_out += s->have == NO_G;
	if (rc || s->have == NO_G || s->have == NOTHING || (g.system && !r->options->system))
		return rc;
	r->stats->goroutines++;
	if (g.has_stack)
		r->stats->ends[g.end]++;
	else
		r->stats->without_stack += r->options->stacks;
	return each(ctx, &g, r->err);
}

static int tell_batch(struct goroutines_reader *r, size_t count, gogoroutines_callback *each,
		      void *ctx)
{
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		r->slots[i] = (struct goroutines_slot){ .g = r->gs[i],
							.bytes = r->copies + i * copy_bytes(r) };
	read_gs(r, r->slots, count);
	if (r->options->stacks)
		read_stacks(r, r->slots, count, r->stacks, r->stacks_room, STACK_FIRST);
	for (size_t i = 0; !rc && i < count; i++)
		rc = goroutines_tell(r, &r->slots[i], each, ctx);
	return rc;
}

static int goroutines_tell_all(struct goroutines_reader *r, size_t all, gogoroutines_callback *each,
			       void *ctx)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < all; i += r->batch) {
		size_t count = all - i < r->batch ? all - i : r->batch;

		rc = goallgs_read(r->live, i, r->gs, count, r->err);
		r->stats->reads++;
		if (!rc)
			rc = tell_batch(r, count, each, ctx);
	}
	return rc;
}

static int goroutines_prepare(struct goroutines_reader *r, size_t all)
{
	r->g_bytes = r->live->fields.g.bytes;
	r->state_bytes = gostate_bytes(&r->live->fields);
	r->max_frames = r->options->max_frames ? r->options->max_frames :
						 godebug_stack_depth(r->live);
	if (r->max_frames > FRAMES_MAX)
		r->max_frames = FRAMES_MAX;
	r->batch = all < BATCH ? all : BATCH;
	r->stacks_room = r->batch * STACK_FIRST < STACKS_BYTES ? r->batch * STACK_FIRST :
								 STACKS_BYTES;
	r->gs = malloc(r->batch * sizeof(*r->gs));
	r->slots = malloc(r->batch * sizeof(*r->slots));
	r->copies = malloc(r->batch * copy_bytes(r));
	r->pieces = malloc(r->batch * PIECES * sizeof(*r->pieces));
	r->stacks = malloc(r->stacks_room);
	r->pcs = malloc((r->max_frames + 1) * sizeof(*r->pcs)); /* max_frames may be 0 */
	r->frame_ends = malloc((r->max_frames + 1) * sizeof(*r->frame_ends));
	if (!r->gs || !r->slots || !r->copies || !r->pieces || !r->stacks || !r->pcs ||
	    !r->frame_ends)
		return error_nomem(r->err);
	return 0;
}

static void goroutines_release(struct goroutines_reader *r)
{
	free(r->gs);
	free(r->slots);
	free(r->copies);
	free(r->pieces);
	free(r->stacks);
	free(r->long_stack);
	free(r->pcs);
	free(r->frame_ends);
	free(r);
}

int gogoroutines_read(const struct golive *live, struct gocallers *callers,
		      const struct gogoroutines_options *options, gogoroutines_callback *each,
		      void *ctx, struct gogoroutines_stats *stats, struct error *err)
{
	struct goroutines_reader *r = calloc(1, sizeof(*r));
	size_t all;
	int rc;

	memset(stats, 0, sizeof(*stats));
	if (!r)
		return error_nomem(err);
	r->live = live;
	r->callers = callers;
	r->options = options;
	r->stats = stats;
	r->err = err;
	rc = goallgs_count(live, &all, err);
	if (!rc)
		rc = goroutines_prepare(r, all);
	if (!rc)
		rc = goroutines_tell_all(r, all, each, ctx);
	goroutines_release(r);
	return rc;
}
