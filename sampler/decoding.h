/*
 * From a finished round to the bytes of a profile, in a process that can do no harm.
 *
 * Symbolizing reads ELF files, DWARF and perf maps: files that the target's owner
 * controls. So that, the assembling and the encoding run in a sandbox
 * (sampler/sandbox.h) that writes to the output's descriptor. If its process dies,
 * the image whose file it was reading is left out, and it is done again: there is a
 * profile in any case.
 */
#ifndef SAMPLER_DECODING_H
#define SAMPLER_DECODING_H

#include <stddef.h>
#include <stdint.h>

struct decoding;
struct error;
struct image;
struct modmap;
struct outfile;
struct symbolizer;

/* What the work says besides; nothing in it is to be relied on. */
struct decode_result {
	uint64_t written; /* bytes */
	uint64_t own_cpu_ns, own_peak_bytes; /* as in recording_stats */
};

/* For the images that `maps` knows now. ERR_NOMEM. */
int decoding_new(struct decoding **d, const struct modmap *maps, struct error *err);
void decoding_free(struct decoding *d);

/* Before another work: for those that it knows now. What was left out stays so.
 * ERR_NOMEM. */
int decoding_renew(struct decoding *d, const struct modmap *maps, struct error *err);

/* The work, in the child: makes symbolizers, passes them to decoding_watch, writes the
 * profile to the file and fills `result`. It may be run several times. */
typedef int decode_work(void *ctx, struct decode_result *result, struct error *err);

/* Runs it. `file` is empty before; it is for the caller to commit. ERR_IO, ERR_NOMEM. */
int decoding_run(struct decoding *d, struct outfile *file, decode_work *work, void *ctx,
		 struct error *err);

/* After decoding_start: its process is an ordinary one from now on (sampler/urgency.h). */
void decoding_calm(struct decoding *d);

/* The same in steps, for somebody who has other things to do meanwhile. _start: only with
 * one thread running; `file` and `ctx` live until the end; the child writes no file larger
 * than `file_bytes` (0: no bound); ERR_IO when there can be no child. _wait: for
 * `timeout_ms` at most; 0 when it is done, DECODING_RUNS while it is not,
 * DECODING_AGAIN when it is to be started again; errors as of decoding_run, and ERR_IO
 * when nothing can be decoded. _cancel: kills what runs. */
enum { DECODING_RUNS = 1, DECODING_AGAIN = 2 };
int decoding_start(struct decoding *d, struct outfile *file, uint64_t file_bytes,
		   decode_work *work, void *ctx, struct error *err);
int decoding_wait(struct decoding *d, int timeout_ms, struct error *err);
void decoding_cancel(struct decoding *d);

/* CPU time that all processes of this decoding have used. */
uint64_t decoding_cpu_ns(const struct decoding *d);

/* For the work. _watch: each symbolizer before its first lookup, ERR_NOMEM;
 * _before_writing: after the last one, keeps the notes. */
int decoding_watch(struct decoding *d, struct symbolizer *s);
void decoding_before_writing(struct decoding *d, struct symbolizer *const *symbolizers,
			     size_t count);

/* Afterwards, and in the work: CPU time that processes which died have used. */
uint64_t decoding_lost_cpu_ns(const struct decoding *d);

const struct decode_result *decoding_result(const struct decoding *d);

/* What symbolizer_note said of an image; NULL when it was never asked. */
const char *decoding_note(const struct decoding *d, const struct image *image);

/* What was left out and why, a sentence each; NULL after the last. */
const char *decoding_warning(const struct decoding *d, size_t i);

#endif
