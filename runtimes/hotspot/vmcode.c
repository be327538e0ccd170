/*
 * Names of the VM's own code.
 *
 * A blob has a name ("I2C/C2I adapters", "_new_instance_Java"), and is shown as "~NAME": no Java
 * method begins with "~", and the VM's own error reports write it so. Some blobs hold many
 * routines:
 *
 * - StubRoutines, vtables, method handles' entries: the VM has a list of all of them, with where
 *   each begins and ends (StubCodeDesc, stubCodeGenerator.hpp). Only the file's symbols tell where
 *   it is; in a stripped file such code goes by its blob's name. They are shown as
 *   "StubRoutines::jint_disjoint_arraycopy".
 * - The interpreter: its codelets (codelets.c), shown as "~Interpreter (invokevirtual)".
 *
 * Rejected: the addresses in StubRoutines' fields, which are exported in every build. They tell
 * where some routines begin, not where they end, and not all have a field: in JDK 25 one has.
 *
 * Not shown: the call stub, through which C++ calls Java. jstack does not show it either.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/memory.h"
#include "base/room.h"
#include "base/sorted.h"
#include "runtimes/common/text.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/steps.h"
#include "runtimes/hotspot/vm/blobs.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	ROUTINES_MAX = 8192,
	DESC_WORDS = 6,
	BEGIN_NEW = 3, /* words of a StubCodeDesc: next, group, name, begin, end; */
	BEGIN_OLD = 4, /* JDK 8 has a number in front of them */
};

struct routine {
	uint64_t begin, end;
	const char *name;
};

struct routines {
	struct routine *at; /* sorted by begin */
	size_t count, room;
	struct arena texts;
	uint64_t state; /* of the VM's list when it was read */
};

struct hotspot_vm_code {
	uint64_t list; /* address of StubCodeDesc::_list; 0: not known */
	struct routines stubs;
};

int hotspot_vm_code_init(struct hotspot *hs)
{
	struct elfsymbol list = { .name = "_ZN12StubCodeDesc5_listE" };
	struct hotspot_vm_code *code = calloc(1, sizeof(*code));

	if (!code)
		return ERR_NOMEM;
	hs->names->code = code;
	if (hs->image && elfsymbol_find(hs->image, &list, 1) == 1)
		code->list = list.addr + hs->bias;
	return 0;
}

static void vmcode_release(struct routines *r)
{
	arena_release(&r->texts);
	free(r->at);
}

void hotspot_vm_code_free(struct hotspot_vm_code *code)
{
	if (!code)
		return;
	vmcode_release(&code->stubs);
	free(code);
}

bool hotspot_vm_text(const struct memory *memory, uint64_t addr, char text[HOTSPOT_VM_TEXT])
{
	text_read(memory, addr, text, HOTSPOT_VM_TEXT);
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			return false;
	return *text;
}

static int vmcode_add(struct routines *r, uint64_t begin, uint64_t end, const char *name)
{
	if (room_for((void **)&r->at, &r->room, r->count + 1, sizeof(*r->at)))
		return ERR_NOMEM;
	r->at[r->count] = (struct routine){ begin, end, arena_copy(&r->texts, name, strlen(name)) };
	return r->at[r->count++].name ? 0 : ERR_NOMEM;
}

static void vmcode_begin_again(struct routines *r)
{
	arena_release(&r->texts);
	r->count = 0;
}

/* The name as all releases have it: 26 calls mulAdd "Stub Generator mulAdd_stub", 27 "mulAdd_stub
 * (stub gen)" (stubInfo.cpp). */
static const char *plain(char *name)
{
	static const char before[] = "Stub Generator ";

	cut_end(name, " (stub gen)");
	cut_end(name, "_stub");
	return strncmp(name, before, sizeof(before) - 1) ? name : name + sizeof(before) - 1;
}

/* Adds what one entry of the VM's list says; *next is the next one's address. */
static int add_stub(const struct memory *memory, struct routines *r, uint64_t *next)
{
	char group[HOTSPOT_VM_TEXT], name[HOTSPOT_VM_TEXT], both[2 * HOTSPOT_VM_TEXT + 1];
	uint64_t words[DESC_WORDS];
	unsigned at;

	if (*next % sizeof(uint64_t) || memory->read(memory, *next, words, sizeof(words)))
		return ERR_FORMAT;
	*next = words[0];
	at = words[BEGIN_NEW] && words[BEGIN_NEW] <= words[BEGIN_NEW + 1] &&
			     words[BEGIN_NEW + 1] - words[BEGIN_NEW] < 1 << 24 ?
		     BEGIN_NEW :
		     BEGIN_OLD;
	/* One that is being made has no end yet. */
	if (words[at] >= words[at + 1] || !hotspot_vm_text(memory, words[1], group) ||
	    !hotspot_vm_text(memory, words[2], name))
		return 0;
	snprintf(both, sizeof(both), "%s::%s", group, plain(name));
	return vmcode_add(r, words[at], words[at + 1], both);
}

/* Reads the list if the VM has added to it. */
static int read_stubs(struct hotspot *hs)
{
	struct hotspot_vm_code *code = hs->names->code;
	struct routines *r = &code->stubs;
	uint64_t head, next;
	unsigned count = 0;
	int rc = 0;

	if (!code->list || memory_read_u64(hs->memory, code->list, &head) || head == r->state)
		return 0;
	vmcode_begin_again(r);
	for (next = head; next && !rc && count < ROUTINES_MAX; count++)
		rc = add_stub(hs->memory, r, &next);
	if (r->count)
		qsort(r->at, r->count, sizeof(*r->at), sorted_order);
	r->state = head;
	return rc == ERR_NOMEM ? rc : 0;
}

static const char *vmcode_find(const struct routines *r, uint64_t pc)
{
	size_t i = sorted_last(r->at, r->count, sizeof(*r->at), pc);

	return i < r->count && pc < r->at[i].end ? r->at[i].name : NULL;
}

uint64_t hotspot_routine_find(struct hotspot *hs, const char *name)
{
	const struct routines *r = &hs->names->code->stubs;

	if (read_stubs(hs))
		return 0;
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->at[i].name, name))
			return r->at[i].begin;
	return 0;
}

static int vmcode_keep(struct arena *arena, const char *before, const char *text, const char *after,
		       const char **name)
{
	char all[HOTSPOT_VM_TEXT * 2 + 16];

	snprintf(all, sizeof(all), "%s%s%s", before, text, after);
	*name = arena_copy(arena, all, strlen(all));
	return *name ? 0 : ERR_NOMEM;
}

int hotspot_vm_code_name(struct hotspot *hs, const struct managed_frame *frame, struct arena *arena,
			 const char **name)
{
	const struct hotspot_blob *blob;
	const struct codelet *c;
	const char *found;
	uint64_t pc;
	int rc;

	*name = NULL;
	if (frame->kind == HOTSPOT_ENTRY || frame->kind == HOTSPOT_CONTINUATION ||
	    frame->kind == HOTSPOT_STATIC_STUB)
		return 0;
	if (read_stubs(hs))
		return ERR_NOMEM;
	rc = hotspot_blob_of(hs, frame->code, frame->id, &blob);
	if (rc)
		return rc == ERR_NOMEM ? rc : ERR_FORMAT;
	pc = blob->code + hotspot_offset(frame->at) - !hotspot_interrupted(frame->at);
	found = vmcode_find(&hs->names->code->stubs, pc);
	if (found)
		return vmcode_keep(arena, "", found, "", name);
	c = hs->steps ? codelet_find(hs->steps, pc) : NULL;
	if (c && c->description)
		return vmcode_keep(arena, "~Interpreter (", c->description, ")", name);
	return vmcode_keep(arena, "~", *blob->name ? blob->name : "code of the VM", "", name);
}
