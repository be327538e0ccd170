/*
 * A table of logical frames by pc, each looked up once.
 *
 * A profile of a hundred thousand stacks has some thousand distinct pcs. The code that makes a
 * profile stores its results for a frame with the frame.
 */
#ifndef RUNTIMES_GO_SESSION_PCFRAMES_H
#define RUNTIMES_GO_SESSION_PCFRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashindex.h"

struct buffer;
struct gocallers_frame;

/* Where frames are looked up: runtimes/go/stacks/callers.h, or a test. */
struct pcframes_source {
	void *ctx;
	/* As gocallers_frame. Its strings live as long as the table. */
	bool (*frame)(void *ctx, uint64_t pc, struct gocallers_frame *f);
	/* As gocallers_expand: the logical frames of one physical return address. ERR_NOMEM. */
	int (*expand)(void *ctx, uint64_t pc, uint64_t *pcs, size_t room, size_t *count);
	unsigned minor; /* the release: 1.minor */
	/* As gocallers_function, for tracebacks: the physical function that begins at `entry`. */
	const char *(*function)(void *ctx, uint64_t entry);
};

enum { PCFRAME_CELLS = 3 };

/* A part of a frame's line of text; runtimes/go/session/stacktext.c. */
struct pcframe_cell {
	const char *text;
	size_t len, width;
};

/* A runtime.Frame (runtime/symtab.go, Frames.Next), and more about it. */
struct pcframe {
	uint64_t pc;		     /* as in stacks */
	uint64_t at;		     /* Frame.PC: the instruction; usually pc - 1 */
	uint64_t entry;		     /* 0: not in a Go function */
	const char *function, *file; /* "": not known */
	uint32_t line, start_line;
	bool go;			 /* a Go function covers the pc */
	bool inlined;			 /* Frame.Func is nil */
	bool exit;			 /* it is runtime.goexit, which is never shown */
	bool runtime;			 /* it is hidden at the beginning of stacks */
	bool runtime_at_pc, knows_at_pc; /* the same for the function at pc itself */
	uint32_t location, locations_of; /* builder.c: its id; its builder's number */
	uint32_t location_pcs;
	struct pcframe_cell cells[PCFRAME_CELLS]; /* made when first printed */
	struct pcframe_traced *traced;		  /* traceback.c; NULL: not made yet */
};

struct pcframes {
	struct pcframes_source source;
	struct arena arena;	/* the frames */
	struct pcframe **all;	/* owned */
	struct hashindex index; /* by pc */
	size_t count, room;
};

/* Makes *t empty. *source is copied. pcframes_release frees all frames. */
void pcframes_init(struct pcframes *t, const struct pcframes_source *source);
void pcframes_release(struct pcframes *t);

/* The frame of a pc, the same pointer each time, owned by the table; NULL: out of memory. */
struct pcframe *pcframes_find(struct pcframes *t, uint64_t pc);

/* True if runtime.FuncForPC names a function of the runtime for f->pc. FuncForPC looks at pc
 * itself, CallersFrames at the instruction before it. */
bool pcframes_runtime_at_pc(struct pcframes *t, struct pcframe *f);

/* Appends a name as the release prints it: "main.F[go.shape.int]" as "main.F[...]". ERR_NOMEM. */
int pcframes_print(const char *function, unsigned minor, struct buffer *out);

/* True if two names are the same in the form that the release prints. */
bool pcframes_same_printed(const char *a, const char *b, unsigned minor);

#endif
