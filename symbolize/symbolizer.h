/*
 * Image addresses -> functions, files, lines and the calls inlined there.
 *
 * Meant to be asked once for each distinct address, after sampling; a large file is
 * asked in a small fraction of the time if all its addresses are announced before
 * (symbolizer_prepare). What a lookup returns is never a guess: the function is one
 * whose range covers the address, else there is none and the caller shows module and
 * offset.
 *
 * Sources, best first: DWARF of the file or of its separate debug file (found
 * by build ID, then .gnu_debuglink; or offered), for names, lines and inlines; ELF symbol
 * tables (.symtab, .dynsym, .gnu_debugdata), whose sizes are honoured; for Go's code
 * its pclntab, where there is no DWARF; jitdump and perf map files for code that no file
 * backs.
 */
#ifndef SYMBOLIZE_SYMBOLIZER_H
#define SYMBOLIZE_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct image;
struct process;
struct symbolizer;

struct symbol_frame {
	const char *name;	 /* demangled; never NULL */
	const char *system_name; /* as the linker knows it; never NULL */
	const char *file;	 /* source file, absolute where DWARF says so; NULL when unknown */
	uint32_t line;		 /* 0 when unknown */
	uint32_t column;	 /* 0 when unknown */
	uint32_t start_line;	 /* where the function is declared; 0 when unknown */
};

struct symbol {
	const struct symbol_frame *frames; /* innermost inlined call first, the function itself last */
	size_t count;			   /* 0: no symbol covers the address */
	uint64_t start; /* image address at which the ELF symbol of the last begins; 0: unknown */
};

enum {
	SYMBOLIZE_NO_INLINE = 1,
	/* Debug files may be mapped: much less is read of large ones, but one that shrinks
	 * meanwhile kills us by SIGBUS, and one that changes is another one to libdw from
	 * one look to the next. For processes that may die of a bad file. */
	SYMBOLIZE_MAP = 2,
};

/* `process` (not owned, may be NULL) gives the target's own view of debug files
 * and the perf map; it must outlive the symbolizer. ERR_NOMEM. */
int symbolizer_new(struct symbolizer **s, const struct process *process, unsigned flags);
void symbolizer_free(struct symbolizer *s);

/* The process writes a jitdump file (jitdump.h); `path` as the target sees it. Before the
 * first lookup. ERR_NOMEM. */
int symbolizer_use_jitdump(struct symbolizer *s, const char *path);

/* For somebody who watches from outside (shared memory) whose files make trouble:
 * written before each lookup touches them. */
struct symbolizer_trace {
	_Atomic uint32_t image;	  /* id + 1 of the image at hand, 0 between lookups */
	_Atomic uint32_t lookups; /* how many have begun */
};

/* `trace` must outlive the symbolizer. */
void symbolizer_trace_to(struct symbolizer *s, struct symbolizer_trace *trace);

/* Nothing is to be read for this image: lookups find nothing, and `why` is its note.
 * Before the first lookup. ERR_NOMEM. */
int symbolizer_leave_out(struct symbolizer *s, const struct image *image, const char *why);

/* Says which addresses of an image will be looked up: they are answered now, in the
 * order that suits its DWARF best, and those lookups have only to fetch the answers.
 * Once for an image; lookups of other addresses stay as they are. ERR_NOMEM. */
int symbolizer_prepare(struct symbolizer *s, const struct image *image, const uint64_t *addrs,
		       size_t count);

/* A debug file to use for this image if none is found, if it is of the same build; it
 * need not be. Before the first lookup; `fd` is the symbolizer's from then on, and is
 * closed when it was used. ERR_NOMEM. */
int symbolizer_offer(struct symbolizer *s, const struct image *image, int fd);

/* What stands at an image address: pass frame_code_address() of a frame. The
 * strings live as long as the symbolizer, the array until the next lookup. A
 * broken debug file is no failure: it is noted (symbolizer_note) and the next
 * source asked. Fails with ERR_NOMEM only. */
int symbolizer_lookup(struct symbolizer *s, const struct image *image, uint64_t addr,
		      struct symbol *out);

/* True when lines (inlined calls) were found in this image's debug information. */
bool symbolizer_has_lines(const struct symbolizer *s, const struct image *image);
bool symbolizer_has_inlines(const struct symbolizer *s, const struct image *image);

/* Where an image's names come from and what was wrong with its debug files, one
 * sentence, for -v; NULL for an image never asked. */
const char *symbolizer_note(const struct symbolizer *s, const struct image *image);

#endif
