/* Records are found by the address of bytecode or code, and proven at each use. One that was
 * replaced at its address keeps its number, under which frames of earlier walks find it. */
#include "runtimes/v8/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/room.h"
#include "runtimes/v8/records.h"

/* managed_frame.at: the offset, and this. */
#define AT_INTERRUPTED (1ull << 32)

int v8_names_new(struct v8_runtime *rt)
{
	struct v8_names_state *n = calloc(1, sizeof(*n));

	if (!n)
		return ERR_NOMEM;
	v8_layout_fill(&n->layout, rt);
	n->first = 1;
	rt->names = n;
	return 0;
}

static void v8_names_clear(struct v8_names_state *n)
{
	for (size_t i = 0; i < n->count; i++)
		v8_record_free(n->records[i]);
	n->first += n->count;
	n->count = 0;
	hashindex_clear(&n->index);
	v8_scripts_release(&n->scripts);
	n->look.kept = 0;
}

void v8_names_free(struct v8_names_state *n)
{
	if (!n)
		return;
	v8_names_clear(n);
	free(n->records);
	hashindex_release(&n->index);
	free(n);
}

static bool is_record(const void *owner, uint32_t id, const void *key)
{
	const struct v8_names_state *n = owner;
	const struct v8_record *r = n->records[id], *like = key;

	return r->addr == like->addr && r->kind == like->kind;
}

static uint64_t v8_names_hash(const struct v8_record *r)
{
	return hash_bytes(&r->addr, sizeof(r->addr));
}

/* Adds a copy of `like` with a number of its own. The record `before`, which had its address, keeps
 * its number but is not found by the address any more. */
static bool v8_names_add(struct v8_names_state *n, const struct v8_record *like, uint32_t before,
			 uint32_t *id)
{
	struct v8_record *made = malloc(sizeof(*made));

	*id = (uint32_t)n->count;
	if (!made || room_for((void **)&n->records, &n->room, n->count + 1, sizeof(*n->records))) {
		free(made);
		return false;
	}
	*made = *like;
	n->records[n->count] = made;
	if (before != HASHINDEX_NONE)
		n->records[before]->addr = 0;
	if (hashindex_add(&n->index, v8_names_hash(made), *id)) {
		free(made);
		return false;
	}
	n->count++;
	return true;
}

/* Fills *like with what a site tells of its record. False: the site's function is not a function,
 * or is not the one of the code. */
static bool v8_names_begin(struct v8_runtime *rt, const struct v8_site *site,
			   struct v8_record *like)
{
	struct v8_look *look = &rt->names->look;
	uint64_t shared = 0;

	if (site->function) {
		uint64_t function = v8_moved(rt, site->function);

		if (v8_is_function(rt, function))
			shared = v8_load_moved(rt, function, rt->t.shared);
		if (!shared && site->kind != V8_BASELINE)
			return false;
	}
	*like = (struct v8_record){ .kind = site->kind, .shared = shared };
	like->addr = v8_moved(rt, site->code);
	if (site->kind == V8_OPTIMIZED) {
		like->shared = v8_record_shared(look, like->addr);
		return !shared || shared == like->shared;
	}
	like->bytecode = v8_moved(rt, site->bytecode);
	if (!like->bytecode && site->kind == V8_BASELINE)
		like->bytecode = v8_record_bytecode(look, V8_BASELINE, like->addr);
	if (!like->bytecode)
		like->bytecode = v8_record_bytecode(look, V8_INTERPRETED, shared);
	if (site->kind == V8_INTERPRETED)
		like->addr = like->bytecode;
	return true;
}

/* Reads the proof of *like. In the first instructions of a function the JSFunction may not be
 * known; then that of `r`, the record at the same address, is tried. False: nothing is proven. */
static bool v8_names_prove(struct v8_runtime *rt, const struct v8_record *r, struct v8_record *like)
{
	struct v8_look *look = &rt->names->look;

	if (v8_record_prove(look, like, like->proof))
		return true;
	if (!r || r->shared == like->shared || like->kind != V8_BASELINE)
		return false;
	like->shared = r->shared;
	return v8_record_prove(look, like, like->proof);
}

static bool v8_names_is_same(const struct v8_record *r, const struct v8_record *like)
{
	return r->state != V8_RECORD_LOST && r->shared == like->shared &&
	       r->bytecode == like->bytecode && !memcmp(r->proof, like->proof, sizeof(r->proof));
}

/* The record of a site. False: its objects contradict each other. */
static bool v8_names_find(struct v8_runtime *rt, const struct v8_site *site, uint32_t *id)
{
	struct v8_names_state *n = rt->names;
	struct v8_record like, *r;

	v8_look_begin(&n->look, rt, &n->layout);
	if (!v8_names_begin(rt, site, &like) || !like.addr)
		return false;
	*id = hashindex_find(&n->index, v8_names_hash(&like), is_record, n, &like);
	r = *id == HASHINDEX_NONE ? NULL : n->records[*id];
	if (!v8_names_prove(rt, r, &like))
		return false;
	return (r && v8_names_is_same(r, &like)) || v8_names_add(n, &like, *id, id);
}

void v8_identify(struct v8_runtime *rt, const struct v8_site *site, struct managed_frame *frame)
{
	struct v8_names_state *n = rt->names;
	uint32_t id;

	if (n->count == V8_RECORDS_MAX || n->look.kept > V8_KEPT_MAX)
		v8_names_clear(n);
	if (!v8_names_find(rt, site, &id)) {
		frame->kind = V8_UNKNOWN;
		frame->code = 1;
		frame->id = frame->at = 0;
		return;
	}
	frame->kind = (uint16_t)site->kind;
	frame->code = n->first + id;
	frame->id = 0;
	frame->at = site->offset | (site->interrupted ? AT_INTERRUPTED : 0);
}

/* Names. */

struct v8_names_place {
	const struct v8_shared *function;
	int32_t offset; /* in the source; -1: not known */
};

static bool v8_names_push(struct managed_names *names, const struct v8_names_place *p,
			  struct arena *arena)
{
	struct managed_name *to = &names->at[names->count];
	uint32_t column;

	*to = (struct managed_name){ .name = "", .file = "" };
	to->name = arena_copy(arena, p->function->name, strlen(p->function->name));
	to->file = arena_copy(arena, p->function->script->name, strlen(p->function->script->name));
	v8_script_line(p->function->script, p->function->start, &to->first_line, &column);
	v8_script_line(p->function->script, p->offset, &to->line, &to->column);
	names->count++;
	return to->name && to->file;
}

static struct v8_positions v8_names_table_of(const struct v8_layout *l,
					     const struct v8_bytes *bytes)
{
	return (struct v8_positions){ bytes->bytes, bytes->len, l->positions_flagged };
}

/* In front of the first position, the function is being entered. False: there are none. */
static bool find_position(const struct v8_layout *l, const struct v8_record *r, int64_t offset,
			  struct v8_position *position)
{
	struct v8_positions table = v8_names_table_of(l, &r->positions);

	if (!table.len)
		return false;
	if (!v8_position_find(&table, offset, position))
		*position = (struct v8_position){ r->function->start, -1 };
	return true;
}

/* The place of a frame with bytecode. */
static struct v8_position find_in_bytecode(const struct v8_names_state *n,
					   const struct v8_record *r, uint64_t at)
{
	struct v8_position position = { -1, -1 };
	int64_t offset = (uint32_t)at;

	if (r->kind == V8_BASELINE)
		offset = v8_baseline_find(&n->layout.bytecodes, r->offsets.bytes, r->offsets.len,
					  r->bytecodes.bytes, r->bytecodes.len,
					  (uint64_t)offset - !(at & AT_INTERRUPTED));
	if (offset == V8_NOWHERE)
		return position;
	find_position(&n->layout, r, offset, &position);
	position.inlining = -1;
	return position;
}

/* The offset in the source of a position in optimized code; -1: not known. Maglev compiles a loop
 * twice: its first iteration, and all others. The second code has no positions of the loop's own
 * function: they all repeat the last one, the loop's end. TurboFan, when it starts from Maglev's
 * graph (Node 26), gives position 0 to the code that resumes an async function or a generator: that
 * is the script's first line, not the function's. */
static int32_t offset_of(const struct v8_layout *l, const struct v8_shared *function,
			 const struct v8_loops *loops, int32_t offset)
{
	struct v8_positions table = v8_names_table_of(l, &loops->positions);
	bool is_loop = v8_position_is_of(&table, loops->bytecodes.bytes, loops->bytecodes.len,
					 l->jump_loop, offset);

	return is_loop || offset < function->start ? -1 : offset;
}

/* Pushes the inlined calls at a position, innermost first, and moves it to where they were inlined.
 * ERR_FORMAT: one of them is not known. */
static int push_inlined(const struct v8_layout *l, const struct v8_record *r,
			struct v8_position *position, struct arena *arena,
			struct managed_names *names)
{
	size_t count = r->inlinings.len / V8_INLINING_BYTES;

	while (position->inlining >= 0) {
		size_t i = (size_t)position->inlining;
		struct v8_names_place p;

		if (i >= count || !r->inlined[i].function || names->count == MANAGED_NAMES_MAX - 1)
			return ERR_FORMAT;
		p.function = r->inlined[i].function;
		p.offset = offset_of(l, p.function, &r->inlined[i].loops, position->offset);
		if (!v8_names_push(names, &p, arena))
			return ERR_NOMEM;
		*position = v8_inlining_decode(r->inlinings.bytes + i * V8_INLINING_BYTES).call;
	}
	return 0;
}

/* The names in optimized code. Where V8 has replaced a return address, the original one counts. */
static int fill_optimized(const struct v8_runtime *rt, const struct v8_record *r, uint64_t at,
			  struct arena *arena, struct managed_names *names)
{
	const struct v8_layout *l = &rt->names->layout;
	struct v8_deopt deopt = v8_record_deopt(rt, r);
	struct v8_position position = { -1, -1 };
	struct v8_names_place outermost = { r->function, -1 };
	bool interrupted = at & AT_INTERRUPTED;
	uint64_t offset = (uint32_t)at;
	int rc = 0;

	if (v8_deopt_is_exit(&deopt, offset)) {
		if (!v8_deopt_return(&deopt, offset, &offset))
			return v8_names_push(names, &outermost, arena) ? 0 : ERR_NOMEM;
		interrupted = false; /* it has come there by returning */
	}
	if (!r->positions.len && r->inlinings.len)
		return ERR_FORMAT; /* Node 23's Maglev: there may be inlined calls, or none */
	if (find_position(l, r, (int64_t)offset - !interrupted, &position)) {
		rc = push_inlined(l, r, &position, arena, names);
		outermost.offset = offset_of(l, r->function, &r->loops, position.offset);
	}
	return rc || v8_names_push(names, &outermost, arena) ? rc : ERR_NOMEM;
}

static int v8_names_fill(const struct v8_runtime *rt, const struct v8_record *r, uint64_t at,
			 struct arena *arena, struct managed_names *names)
{
	struct v8_names_place place = { r->function, -1 };

	if (r->kind == V8_OPTIMIZED)
		return fill_optimized(rt, r, at, arena, names);
	place.offset = find_in_bytecode(rt->names, r, at).offset;
	return v8_names_push(names, &place, arena) ? 0 : ERR_NOMEM;
}

int v8_function_names(struct v8_runtime *rt, const struct managed_frame *frame, struct arena *arena,
		      struct managed_names *names)
{
	struct v8_names_state *n = rt->names;
	uint64_t id = frame->code - n->first;
	struct v8_record *r = id < n->count ? n->records[id] : NULL;
	int rc = 0;

	if (!r || r->state == V8_RECORD_LOST)
		return ERR_FORMAT;
	if (r->state == V8_RECORD_NEW) {
		rc = v8_record_read(n, rt, r);
		r->state = rc ? V8_RECORD_LOST : V8_RECORD_READ;
	}
	return rc ? rc : v8_names_fill(rt, r, frame->at, arena, names);
}
