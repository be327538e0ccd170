/*
 * Stacks as runtime.Callers returns them: logical frames, without the compiler's wrappers.
 *
 * A logical frame is one function, inlined or not. It has a "return address" of its own; its place
 * in the code is that address minus 1. For the innermost function at a physical frame's pc, the
 * address is the pc itself. For each caller into which that function is inlined, it is the parent
 * pc of the inline tree plus 1 (runtime/traceback.go, tracebackPCs; runtime/symtabinl.go).
 */
#ifndef RUNTIMES_GO_STACKS_CALLERS_H
#define RUNTIMES_GO_STACKS_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct goargs;
struct gocallers;
struct golive;

/* The caller frees *c with gocallers_free. `live` is not owned and must outlive it. ERR_NOMEM. */
int gocallers_new(struct gocallers **c, const struct golive *live);
void gocallers_free(struct gocallers *c);

enum gocallers_end {
	GO_WALK_WHOLE,	 /* came to a function where goroutines begin */
	GO_WALK_DEEP,	 /* more frames than there is room for */
	GO_WALK_SHORT,	 /* the stack bytes ended */
	GO_WALK_UNKNOWN, /* no Go function covers the pc, or it sets sp by hand */
	GO_WALK_BROKEN,	 /* what it read is not a valid frame */
	GO_WALK_ENDS,	 /* number of the above */
};

/* A goroutine's stack: where it was left, and its bytes from sp on, at most up to stack.hi. */
struct gocallers_stack {
	uint64_t pc; /* a return address, or with `exact` the next instruction */
	bool exact;
	const uint8_t *bytes; /* bytes of the stack from sp on; borrowed */
	size_t len;
};

/* Walks a stack by pcsp (never by frame pointers). Fills `pcs` with up to `room` logical frames,
 * innermost first, and *count with their number; runtime.goexit is included, as in the runtime.
 * Unless `ends` is NULL, fills it with the end of each one's physical frame, in bytes from sp on
 * (s->len: not found). Returns an enum gocallers_end, or ERR_NOMEM. */
int gocallers_walk(struct gocallers *c, const struct gocallers_stack *s, uint64_t *pcs,
		   size_t *ends, size_t room, size_t *count);

/* Expands physical return addresses into logical frames (runtime/mprof.go, fpunwindExpand, but
 * without its sentinel). The first `skip` logical frames are left out. ERR_NOMEM. */
int gocallers_expand(struct gocallers *c, const uint64_t *physical, size_t physical_count,
		     size_t skip, uint64_t *pcs, size_t room, size_t *count);

/* Describes a logical frame, for runtime.CallersFrames: the innermost function at pc - 1. Strings
 * are owned by `c` and live as long as it. False: no Go function covers the pc (C code, or
 * nothing). */
struct gocallers_frame {
	const char *function; /* as in pclntab: "net/http.(*Server).Serve"; for instances up to 1.20
			       * "main.F[...]", then "main.F[go.shape.int]", which profiles show and
			       * tracebacks shorten (runtime/symtab.go, funcNameForPrint and
			       * runtime_FrameSymbolName) */
	const char *file;
	uint32_t line, start_line; /* start_line 0: not known (before 1.20) */
	uint64_t entry;		   /* of the physical function; address in the process */
	bool inlined;		   /* into the physical function: runtime.Frame's Func is nil */
};
bool gocallers_frame(struct gocallers *c, uint64_t pc, struct gocallers_frame *f);

/* Loads the arguments of the physical function at pc - 1, for goargs_print. */
void gocallers_arguments(struct gocallers *c, uint64_t pc, struct goargs *args);

/* The name of the function that covers an address in the process; NULL: there is none. Owned by
 * `c`. */
const char *gocallers_function(struct gocallers *c, uint64_t address);

#endif
