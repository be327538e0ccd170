/*
 * Stacks as runtime.Callers gives them: logical frames, compilers' wrappers left out.
 *
 * A logical frame is one function, inlined or not. It is told by a "return address" of its own,
 * of which minus 1 is the place in it: for the innermost function at a physical frame's pc that
 * is the pc itself, for each caller that it is inlined into, the parent pc of the inline tree
 * plus 1 (runtime/traceback.go, tracebackPCs; runtime/symtabinl.go).
 */
#ifndef GORUNTIME_GOCALLERS_H
#define GORUNTIME_GOCALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct goargs;
struct gocallers;
struct golive;

/* `live` is not owned and must outlive it. ERR_NOMEM. */
int gocallers_new(struct gocallers **c, const struct golive *live);
void gocallers_free(struct gocallers *c);

enum gocallers_end {
	GO_WALK_WHOLE,	 /* came to a function at which goroutines begin */
	GO_WALK_DEEP,	 /* more frames than are wanted */
	GO_WALK_SHORT,	 /* the stack bytes end before */
	GO_WALK_UNKNOWN, /* a pc that no Go function has */
	GO_WALK_BROKEN,	 /* what stands there cannot be a frame */
	GO_WALK_ENDS,	 /* how many there are */
};

/* A goroutine's stack: where it was left, and the bytes from sp on, up to stack.hi. */
struct gocallers_stack {
	uint64_t pc, sp; /* pc: a return address, or with `exact` the next instruction */
	bool exact;
	const uint8_t *bytes; /* of the stack, from sp on */
	size_t len;
};

/* Walks by pcsp (never by frame pointers): fills pcs with up to `room` logical frames,
 * innermost first, *count of them, runtime.goexit with them as the runtime has it; and `ends`,
 * unless it is NULL, with where each one's physical frame ends, in bytes from sp on (s->len: not
 * found). How it ended; ERR_NOMEM. */
int gocallers_walk(struct gocallers *c, const struct gocallers_stack *s, uint64_t *pcs,
		   size_t *ends, size_t room, size_t *count);

/* Physical return addresses -> logical frames (runtime/mprof.go, fpunwindExpand; without its
 * sentinel and skip, of which `skip` says how many logical frames to leave out at first).
 * ERR_NOMEM. */
int gocallers_expand(struct gocallers *c, const uint64_t *physical, size_t physical_count,
		     size_t skip, uint64_t *pcs, size_t room, size_t *count);

/* What a logical frame is, for runtime.CallersFrames: the innermost function at pc - 1. Strings
 * are `c`'s and live as long. False: no Go function covers it (C code, or nothing). */
struct gocallers_frame {
	const char *function; /* as the table has it: "net/http.(*Server).Serve"; of instances up
			       * to 1.20 "main.F[...]", then "main.F[go.shape.int]", which
			       * profiles show, and tracebacks shorten (runtime/symtab.go,
			       * funcNameForPrint and runtime_FrameSymbolName) */
	const char *file;
	uint32_t line, start_line; /* start_line 0: unknown (before 1.20) */
	uint64_t entry;	 /* of the physical function, an address in the process */
	bool inlined;	 /* into it: runtime.Frame's Func is nil */
};
bool gocallers_frame(struct gocallers *c, uint64_t pc, struct gocallers_frame *f);

/* The arguments of the physical function at pc - 1, for goargs_print. */
void gocallers_arguments(struct gocallers *c, uint64_t pc, struct goargs *args);

/* The function that begins at, or covers, an address in the process, by its name; NULL for none. */
const char *gocallers_function(struct gocallers *c, uint64_t address);

#endif
