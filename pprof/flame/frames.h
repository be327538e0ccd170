/*
 * Lists a sample as the frames of a flame graph: outermost first, each frame known by a number,
 * with its name, file, module and line.
 *
 * Two frames are the same if everything that is shown of them is equal: name, file and module (so
 * two functions "init" of two files are two frames), and the line or address if the view is by line
 * or address. By thread, frames are functions, and the outermost frame of each stack is its thread.
 * By file or module, consecutive calls within the same file or module are one frame.
 *
 * A frame without a function is named by its module and the offset in the module,
 * "[libfoo.so]+0x1234"; without a module, by its address; without an address, "<unknown>".
 */
#ifndef PPROF_FLAME_FRAMES_H
#define PPROF_FLAME_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"
#include "pprof/view.h"

struct buffer;
struct frames;

struct report_frame {
	uint32_t name, file, module; /* indexes in frames_strings(); 0 (""): unknown */
	int64_t line;		     /* of the call; by function: its first line; 0: unknown */
};

/* Makes the frames of `p`, which must outlive *f, by v->by. The caller frees *f with frames_free.
 * ERR_NOMEM; ERR_LIMIT: all names together are longer than 1 GiB. */
int frames_new(struct frames **f, const struct profile *p, const struct report_view *v,
	       struct error *err);
void frames_free(struct frames *f);

/* The frames of a sample, outermost first, in *ids, which are valid until the next call. ERR_NOMEM;
 * ERR_LIMIT: the sample has more than 2^26 frames, or the samples of all calls so far have more
 * than 2^30. Only a hostile profile has so many. */
int frames_of(struct frames *f, size_t sample, const uint32_t **ids, size_t *count,
	      struct error *err);

/* The frames so far. frames_of adds the frames of threads; all others exist from the beginning. */
size_t frames_count(const struct frames *f);
const struct report_frame *frames_get(const struct frames *f, uint32_t id);
const struct strset *frames_strings(const struct frames *f);

/* The sample's thread, "redis-server (4711)", in *name as an index in frames_strings(); 0 if the
 * sample has no label "thread" or "tid". ERR_NOMEM. */
int frames_thread(struct frames *f, size_t sample, uint32_t *name);

/* The part of a path behind the last '/', which is how modules are named; the whole path if nothing
 * follows it. */
const char *frames_base_name(const char *path);

/* Appends a page's title: the program's name, which is that of the first mapping's file; without
 * one, the sample type's name. The text is as untrusted as the profile. ERR_NOMEM. */
int frames_title(const struct profile *p, const struct report_view *v, struct buffer *text);

#endif
