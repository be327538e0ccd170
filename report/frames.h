/*
 * A sample as the frames that a flame graph stacks up: outermost first, each frame known by
 * a number, with its name and what is known of it.
 *
 * A frame is told from another one by what is shown of it: name, file and module together
 * (two functions "init" of two files are two frames), and the line or address where the
 * view asks for these. By thread, stacks are of functions and stand on a frame for their
 * thread. By file or module, calls within one are one frame.
 *
 * What has no function is named by module and offset in it, "[libfoo.so]+0x1234", by its
 * address where there is no module, and else "<unknown>".
 */
#ifndef REPORT_FRAMES_H
#define REPORT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"
#include "report/view.h"

struct frames;

struct report_frame {
	uint32_t name, file, module; /* numbers in frames_strings(); 0 ("") unknown */
	int64_t line;		     /* by function: where it begins; 0 unknown */
};

/* For the samples of `p`, which must outlive it, as v->by says. ERR_NOMEM,
 * ERR_LIMIT for names that together are beyond reason. */
int frames_new(struct frames **f, const struct profile *p, const struct report_view *v,
	       struct error *err);
void frames_free(struct frames *f);

/* The frames of a sample, outermost first; *ids are valid until the next call. ERR_NOMEM;
 * ERR_LIMIT when the samples asked for have more frames than a profile can have that is
 * not made to harm. */
int frames_of(struct frames *f, size_t sample, const uint32_t **ids, size_t *count,
	      struct error *err);

/* All frames there are so far; threads come with their samples. */
size_t frames_count(const struct frames *f);
const struct report_frame *frames_get(const struct frames *f, uint32_t id);
const struct strset *frames_strings(const struct frames *f);

/* The sample's thread, "redis-server (4711)", through *name as a number in
 * frames_strings(); 0 if the profile says nothing of threads. ERR_NOMEM. */
int frames_thread(struct frames *f, size_t sample, uint32_t *name);

/* The last part of a path, what modules are called by. */
const char *frames_base_name(const char *path);

#endif
