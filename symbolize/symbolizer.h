/*
 * Image addresses -> functions, files, lines and the calls inlined there.
 *
 * Each distinct address should be looked up once, after sampling. For a large file the lookups take
 * a small fraction of the time if all its addresses are announced before (symbolizer_prepare). A
 * lookup never guesses: it returns the function whose range covers the address or none, and then
 * the caller shows where the unwind table begins the function, or module and offset.
 *
 * Sources, best first: DWARF of the file or of its separate debug file (found by build ID, then
 * .gnu_debuglink; or offered), for names, lines and inlined calls; ELF symbol tables (.symtab,
 * .dynsym, .gnu_debugdata), whose sizes are honoured; for Go's code its pclntab, where there is no
 * DWARF; jitdump and perf map files for code that no file backs.
 *
 * Debug files are mapped, so that much less of a large file is read. But if a file shrinks
 * meanwhile, SIGBUS kills the process, and if it changes, libdw may read different bytes each time.
 * So it is for processes that may die of a bad file (sampler/child/decoding.h).
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
	const char *system_name; /* the raw name, for the linker; never NULL. Of an inlined C++
				  * function without one: its name without scope; "": that, too, is
				  * not plain */
	const char *file;	 /* source file, absolute if DWARF gives the path, or NULL */
	uint32_t line;		 /* 0 when unknown */
	uint32_t column;	 /* 0 when unknown */
	uint32_t start_line;	 /* line where the function is declared; 0 when unknown */
};

struct symbol {
	const struct symbol_frame
		*frames; /* innermost inlined call first, the function itself last */
	size_t count;	 /* 0: no symbol covers the address */
	uint64_t start;	 /* image address where the last frame's function begins; 0: unknown */
};

enum { SYMBOLIZE_NO_INLINE = 1 };

/* `process` (not owned, may be NULL) provides the target's own view of debug files and the perf
 * map; it must outlive the symbolizer. `flags` are SYMBOLIZE_…. ERR_NOMEM. */
int symbolizer_new(struct symbolizer **s, const struct process *process, unsigned flags);
void symbolizer_free(struct symbolizer *s);

/* Sets the path of the jitdump file (jitdump.h) that the process writes, as the target sees it. To
 * be called before the first lookup. ERR_NOMEM. */
int symbolizer_use_jitdump(struct symbolizer *s, const char *path);

/* Tells an observing process, through shared memory, which image's files cause trouble. Written
 * before each lookup touches them. */
struct symbolizer_trace {
	_Atomic uint32_t image;	  /* id + 1 of the image in use, 0 between lookups */
	_Atomic uint32_t lookups; /* how many have begun */
};

/* Writes to `trace` from now on; it must outlive the symbolizer. */
void symbolizer_trace_to(struct symbolizer *s, struct symbolizer_trace *trace);

/* Reads nothing for this image: lookups find nothing, and `why` is its note. To be called before
 * the first lookup. ERR_NOMEM. */
int symbolizer_leave_out(struct symbolizer *s, const struct image *image, const char *why);
bool symbolizer_leaves_out(const struct symbolizer *s, const struct image *image);

/* Announces which addresses of an image will be looked up. They are resolved now, in the order that
 * suits its DWARF best, and their lookups only fetch the results. To be called once for an image;
 * lookups of other addresses work as before. ERR_NOMEM. */
int symbolizer_prepare(struct symbolizer *s, const struct image *image, const uint64_t *addrs,
		       size_t count);

/* Offers a debug file for this image. It is used if no other is found and it is of the same build;
 * the caller need not check that. To be called before the first lookup. `fd` stays the caller's,
 * and open until the symbolizer is freed. ERR_NOMEM. */
int symbolizer_offer(struct symbolizer *s, const struct image *image, int fd);

/* Finds the code at an image address: pass frame_code_address() of a frame. The strings live as
 * long as the symbolizer, the array until the next lookup. A broken debug file is no failure: it is
 * noted (symbolizer_note) and the next source is used. Fails with ERR_NOMEM only. */
int symbolizer_lookup(struct symbolizer *s, const struct image *image, uint64_t addr,
		      struct symbol *out);

/* The variable at an image address (modmap_variable): its demangled name, which lives as long as
 * the symbolizer, and how many bytes after its beginning the address lies. *name is NULL if no
 * symbol covers the address. ERR_NOMEM. */
int symbolizer_variable(struct symbolizer *s, const struct image *image, uint64_t addr,
			const char **name, uint64_t *offset);

/* True when lines (inlined calls) were found in this image's debug information. */
bool symbolizer_has_lines(const struct symbolizer *s, const struct image *image);
bool symbolizer_has_inlines(const struct symbolizer *s, const struct image *image);

/* The sources of an image's names and what was wrong with its debug files, one sentence, for -v;
 * NULL if the image was never used. */
const char *symbolizer_note(const struct symbolizer *s, const struct image *image);

#endif
