/*
 * From a round to the bytes of a profile, in a process that can do no harm.
 *
 * Symbolizing reads ELF files, DWARF and perf maps: files that the target's owner controls. So
 * symbolizing, assembling and encoding run in a sandbox (sampler/child/sandbox.h) that writes to
 * the output's descriptor. If its process dies, the image that it was reading is left out, and the
 * work is done again: there is a profile in any case.
 */
#ifndef SAMPLER_CHILD_DECODING_H
#define SAMPLER_CHILD_DECODING_H

#include <stddef.h>
#include <stdint.h>

struct decoding;
struct error;
struct image;
struct modmap;
struct outfile;
struct symbolizer;

enum { DECODE_MISSING_ROOM = 1024 };

/* Figures that the work reports. They come from the sandbox: nothing in them is to be relied on. */
struct decode_result {
	uint64_t written;		     /* bytes */
	uint64_t own_cpu_ns, own_peak_bytes; /* as in recording_stats */
	char missing[DECODE_MISSING_ROOM];   /* on modules without symbols, one line; "": none */
};

/* A decoding for the images that `maps` holds now; they are borrowed. The caller frees it with
 * decoding_free, which kills a child that is still running; NULL is harmless. ERR_NOMEM. */
int decoding_new(struct decoding **d, const struct modmap *maps, struct error *err);
void decoding_free(struct decoding *d);

/* Before the next work: takes over the images that `maps` holds now. Images that were left out stay
 * left out. The result and the notes of the last work are gone. ERR_NOMEM. */
int decoding_renew(struct decoding *d, const struct modmap *maps, struct error *err);

/* The work, in the child: makes symbolizers, passes them to decoding_watch, writes the
 * profile to the file and fills `result`. It may be run several times. */
typedef int decode_work(void *ctx, struct decode_result *result, struct error *err);

/* Runs the work. `file` must be empty; the caller commits it. ERR_IO, ERR_NOMEM. */
int decoding_run(struct decoding *d, struct outfile *file, decode_work *work, void *ctx,
		 struct error *err);

/* After decoding_start: makes the child an ordinary process (sampler/child/priority.h). */
void decoding_calm(struct decoding *d);

/* decoding_run in steps, for a caller that does other things meanwhile.
 * - _start: starts the child. Only one thread may run. `file` and `ctx` must live until the end.
 *   The child writes no file larger than `file_bytes` (0: no bound). ERR_IO if there can be no
 *   child.
 * - _wait: waits for `timeout_ms` at most. 0 when the work is done, DECODING_RUNS while it is not,
 *   DECODING_AGAIN when the caller must start it again. Errors as of decoding_run, and ERR_IO when
 *   nothing can be decoded. */
enum { DECODING_RUNS = 1, DECODING_AGAIN = 2 };
int decoding_start(struct decoding *d, struct outfile *file, uint64_t file_bytes, decode_work *work,
		   void *ctx, struct error *err);
int decoding_wait(struct decoding *d, int timeout_ms, struct error *err);

/* CPU time in ns that all children of this decoding have used. */
uint64_t decoding_cpu_ns(const struct decoding *d);

/* For the work. _watch: for each symbolizer before its first lookup; ERR_NOMEM. _before_writing:
 * after the last lookup; saves the notes of all symbolizers. */
int decoding_watch(struct decoding *d, struct symbolizer *s);
void decoding_before_writing(struct decoding *d, struct symbolizer *const *symbolizers,
			     size_t count);

/* CPU time in ns of children that left no result: they died, or ran out of memory. To be called in
 * the work, or afterwards. */
uint64_t decoding_lost_cpu_ns(const struct decoding *d);

/* Of the last work; borrowed until the next decoding_renew or decoding_free. */
const struct decode_result *decoding_result(const struct decoding *d);

/* The symbolizer_note of an image; NULL if no lookup was made for it. */
const char *decoding_note(const struct decoding *d, const struct image *image);

/* The i-th sentence on what was left out and why; NULL after the last. */
const char *decoding_warning(const struct decoding *d, size_t i);

#endif
