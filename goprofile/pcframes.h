/*
 * What logical frames are, each looked up once: a table by pc.
 *
 * A profile of a hundred thousand stacks has some thousand different pcs. Who makes a profile
 * of them keeps with each what it has become there.
 */
#ifndef GOPROFILE_PCFRAMES_H
#define GOPROFILE_PCFRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct buffer;
struct gocallers_frame;

/* Where it is looked up; goruntime/gocallers.h, or a test. */
struct pcframes_source {
	void *ctx;
	/* As gocallers_frame. Strings live as long as the table. */
	bool (*frame)(void *ctx, uint64_t pc, struct gocallers_frame *f);
	/* The logical frames of one physical return address, as gocallers_expand. ERR_NOMEM. */
	int (*expand)(void *ctx, uint64_t pc, uint64_t *pcs, size_t room, size_t *count);
	unsigned minor; /* the release */
	/* The physical function that begins there, as gocallers_function; for tracebacks. */
	const char *(*function)(void *ctx, uint64_t entry);
};

enum { PCFRAME_CELLS = 3 };

struct pcframe_cell { /* of a frame's line of text; goprofile/stacktext.c */
	const char *text;
	size_t len, width;
};

/* A runtime.Frame (runtime/symtab.go, Frames.Next), and more. */
struct pcframe {
	uint64_t pc;	 /* as stacks have it */
	uint64_t at;	 /* Frame.PC: the instruction; pc - 1 */
	uint64_t entry;	 /* 0 if not Go's */
	const char *function, *file; /* "" where not known */
	uint32_t line, start_line;
	bool go;	 /* a function of Go's covers it */
	bool inlined;	 /* Frame.Func is nil */
	bool exit;	 /* runtime.goexit, which is never shown */
	bool runtime;	 /* its function is hidden where stacks begin with it */
	bool runtime_at_pc, knows_at_pc; /* the same of the function at pc itself */
	uint32_t location, locations_of; /* goprofile/builder.c: in which builder's profile */
	uint32_t location_pcs;
	struct pcframe_cell cells[PCFRAME_CELLS]; /* made when they are printed */
	struct pcframe_traced *traced; /* goprofile/traceback.c; NULL: not asked yet */
};

struct pcframes {
	struct pcframes_source source;
	struct arena arena;	 /* the frames */
	struct pcframe **slots;	 /* open addressing, by pc */
	size_t mask, count;
};

/* Empty. pcframes_release frees all. */
void pcframes_init(struct pcframes *t, const struct pcframes_source *source);
void pcframes_release(struct pcframes *t);

/* The frame of a pc, always the same one; NULL when out of memory. */
struct pcframe *pcframes_find(struct pcframes *t, uint64_t pc);

/* Does runtime.FuncForPC name a function of the runtime there? Unlike Frames it looks at pc, not
 * at the instruction before. */
bool pcframes_runtime_at_pc(struct pcframes *t, struct pcframe *f);

/* Is it hidden where stacks begin with it (runtime/pprof, printStackRecord, writeHeapProto)? */
bool pcframes_is_runtime(const char *function, unsigned minor);

/* Appends a name as a release prints it: "main.F[go.shape.int]" as "main.F[...]". ERR_NOMEM. */
int pcframes_print(const char *function, unsigned minor, struct buffer *out);

/* Are two names the same as a release prints them? */
bool pcframes_same_printed(const char *a, const char *b, unsigned minor);

#endif
