/*
 * The pieces of the interpreter: class StubQueue, one InterpreterCodelet after the other, each with
 * a description (templateInterpreterGenerator.cpp). They are generated once, when the VM starts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "base/sorted.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/steps.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum { CODELETS_MAX = 4096 };

struct codelets_layout {
	uint64_t code; /* static */
	int32_t buffer, limit;
	int32_t description, size, bytes;
};

#define PLACE(kind_, type_, name_, at_) \
	{ VMPLACE_##kind_, type_, name_, offsetof(struct codelets_layout, at_), true }

static const struct vmplace places[] = {
	PLACE(ADDRESS, "AbstractInterpreter", "_code", code),
	PLACE(OFFSET, "StubQueue", "_stub_buffer", buffer),
	PLACE(OFFSET, "StubQueue", "_buffer_limit", limit),
	PLACE(OFFSET, "InterpreterCodelet", "_description", description),
	PLACE(OFFSET, "InterpreterCodelet", "_size", size),
	PLACE(SIZE, "InterpreterCodelet", NULL, bytes),
};

static enum codelet_kind codelets_kind_of(const char *description)
{
	static const char *const returns[] = { "return entry points", "invoke return entry points",
					       "earlyret entry points",
					       "deoptimization entry points",
					       "continuation entry points" };

	if (strstr(description, "method entry point"))
		return CODELET_ENTRY;
	for (size_t i = 0; i < sizeof(returns) / sizeof(*returns); i++)
		if (!strcmp(description, returns[i]))
			return CODELET_RETURN;
	return CODELET_OTHER;
}

static int add_codelet(struct hotspot_steps *s, const struct codelet *c)
{
	if (room_for((void **)&s->codelets, &s->codelet_room, s->codelet_count + 1, sizeof(*c)))
		return ERR_NOMEM;
	s->codelets[s->codelet_count++] = *c;
	return 0;
}

static int read_codelets(struct hotspot *hs, const struct codelets_layout *l, uint64_t at,
			 uint64_t end)
{
	const struct memory *m = hs->seen;
	bool deopt = false, last = false; /* in 8 the former is in the middle, later at the end */

	for (unsigned i = 0; i < CODELETS_MAX && at < end; i++) {
		struct codelet c = { .start = at + (uint64_t)l->bytes };
		char text[HOTSPOT_VM_TEXT];
		uint64_t name;
		int32_t size;

		if (memory_read_u64(m, at + (uint64_t)l->description, &name) ||
		    m->read(m, at + (uint64_t)l->size, &size, sizeof(size)) || size <= l->bytes ||
		    (uint64_t)size > end - at)
			break; /* unused bytes are left at the end */
		c.end = at + (uint64_t)size;
		if (hotspot_vm_text(m, name, text)) {
			c.description = arena_copy(&hs->steps->texts, text, strlen(text));
			if (!c.description)
				return ERR_NOMEM;
		}
		c.kind = codelets_kind_of(text);
		c.unpacks = !strcmp(text, "deoptimization entry points");
		deopt |= c.unpacks;
		last |= !strcmp(text, "return_register_finalizer");
		if (c.kind == CODELET_ENTRY)
			c.frame = codelet_frame(hs, c.start, c.end);
		if (add_codelet(hs->steps, &c))
			return ERR_NOMEM;
		at = c.end;
	}
	return deopt && last ? 0 : ERR_BUSY;
}

int codelets_init(struct hotspot *hs, struct error *why)
{
	const struct memory *m = hs->seen;
	uint64_t queue, buffer;
	struct codelets_layout l;
	int32_t limit;

	if (vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), &l, why))
		return ERR_FORMAT;
	if (l.buffer < 0 || l.limit < 0 || l.description < 0 || l.size < 0 || l.bytes <= 0)
		return error_set(why, ERR_FORMAT, "HotSpot's interpreter has an unknown layout");
	if (memory_read_u64(m, l.code, &queue))
		return error_set(why, ERR_FORMAT, "HotSpot's interpreter cannot be read");
	if (!queue)
		return ERR_BUSY;
	if (memory_read_u64(m, queue + (uint64_t)l.buffer, &buffer) ||
	    m->read(m, queue + (uint64_t)l.limit, &limit, sizeof(limit)) || limit <= 0 || !buffer)
		return error_set(why, ERR_FORMAT, "HotSpot's interpreter cannot be read");
	return read_codelets(hs, &l, buffer, buffer + (uint64_t)limit);
}

const struct codelet *codelet_find(const struct hotspot_steps *s, uint64_t addr)
{
	size_t at = SORTED_UPTO(s->codelets, s->codelet_count, end, addr);

	return at < s->codelet_count && s->codelets[at].start <= addr ? &s->codelets[at] : NULL;
}
