/* What the files of the steps share (step_x86_64.c). */
#ifndef RUNTIMES_HOTSPOT_STEPS_H
#define RUNTIMES_HOTSPOT_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "runtimes/hotspot/vm/blobs.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "unwind/managed.h"
#include "unwind/step.h"

struct error;

/* As hotspot_names_init and hotspot_names_free (names.h). ERR_BUSY: the VM is starting. */
int hotspot_steps_init(struct hotspot *hs, struct error *why);
void hotspot_steps_free(struct hotspot *hs);

/* As managed_ops.step. */
int hotspot_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame);

/* The words of a frame of the interpreter, counted from fp, the place of the caller's rbp. Without
 * a mirror (8), those below the method are one slot higher. */
enum interpreter_slot {
	SLOT_RETURN = 1,
	/* The caller's rsp: higher than SLOT_RETURN by the method's own locals, or lower by one, if
	 * a method handle has dropped an argument. */
	SLOT_SENDER_RSP = -1,
	SLOT_LAST_RSP = -2, /* rsp while this method calls another one; else 0 */
	SLOT_METHOD = -3,
	SLOT_CACHE = -6, /* ConstantPoolCache; above it the class's mirror and the profile */
	SLOT_LOCALS = -7,
	SLOT_BYTECODE = -8, /* the bytecode pointer */
};

/* A piece of the interpreter. */
struct codelet {
	uint64_t start, end;
	uint64_t frame; /* CODELET_ENTRY: its push rbp; mov rbp, rsp. 0: it makes no frame */
	enum codelet_kind {
		CODELET_OTHER,
		CODELET_ENTRY, /* where methods begin */
		CODELET_RETURN /* where they return to */
	} kind;
	const char *description; /* by the VM; NULL: none; in hotspot_steps.texts */
	/* CODELET_RETURN: where a frame goes on that compiled code's was replaced by. */
	bool unpacks;
};

struct hotspot_steps {
	uint64_t call_stub_return; /* address */
	bool has_mirror;	   /* a frame of the interpreter has one more slot: 9 and later */
	struct codelet *codelets;  /* owned; by address */
	size_t codelet_count, codelet_room;
	struct arena texts;
};

/* The codelet that holds an address of the interpreter, or NULL. */
const struct codelet *codelet_find(const struct hotspot_steps *s, uint64_t addr);

/* Where code makes its frame: at push rbp; mov rbp, rsp. 0: nowhere. */
uint64_t codelet_frame(const struct hotspot *hs, uint64_t start, uint64_t end);

/* ERR_BUSY: the interpreter is not there yet. */
int codelets_init(struct hotspot *hs, struct error *why);

/* A frame of which the step is to be made. */
struct site {
	struct hotspot *hs;
	struct walk *w;
	struct managed_frame *frame; /* its key, to be set */
	struct hotspot_blob blob;
	uint64_t pc, sp;
	bool exact;   /* pc is the next instruction, not a return address */
	bool strict;  /* what site_accepts takes */
	bool resumes; /* the caller goes on at an instruction, not at a return address */
};

/* Has the compiled method's table that return address? Only a safepoint has it. */
bool site_has_pcdesc(struct hotspot *hs, const struct hotspot_blob *b, uint64_t addr);

/* Can a frame of this VM return to `addr`? `strict`: HotSpot's tables say so, and it is not only
 * behind a call. */
bool site_returns_to(struct site *s, uint64_t addr, bool strict);

/* The same for simulate(), as strict as site->strict. */
bool site_accepts(void *site, uint64_t addr);

/* Makes the step by the return address, the caller's rsp and rbp, of which the latter may be
 * unknown. */
int site_arrive(struct site *s, uint64_t ra, uint64_t sp, const uint64_t *rbp);

/* Makes it by the return address at `slot`, which has rbp below it and the caller's frame above. */
int site_step_by_slot(struct site *s, uint64_t slot);

/* Makes it by simulation; the rest of *how is filled in. STACK_RUNTIME_IN_DOUBT: it leads
 * nowhere. */
struct simulation;
int site_simulate(struct site *s, const struct simulation *how);
/* enum simulation_ahead. */
int site_ahead(struct site *s, unsigned most, uint64_t *rsp);

/* The end for a read of the stack that has failed. */
int site_unreadable(int rc);

int step_interpreted(struct site *s);
int step_nmethod(struct site *s);
int step_stub(struct site *s);

#endif
