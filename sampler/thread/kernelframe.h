/* The functions of a kernel stack, by name: one a line, innermost first,
 * "[<0>] vfs_read+0x9d/0x330". */
#ifndef SAMPLER_THREAD_KERNELFRAME_H
#define SAMPLER_THREAD_KERNELFRAME_H

#include <stdbool.h>
#include <stddef.h>

enum { KERNELFRAMES_MAX = 64 /* MAX_STACK_TRACE_DEPTH, fs/proc/base.c */ };

/* A function's name, without what a compiler adds: "el0_svc_common.constprop.0". */
struct kernelframe {
	const char *name;
	size_t len;
};

struct kernelframes {
	struct kernelframe all[KERNELFRAMES_MAX]; /* innermost first */
	size_t count;
};

#define KERNELFRAME_COUNT(list) (sizeof(list) / sizeof(*(list)))

bool kernelframe_is(const struct kernelframe *f, const char *name);
bool kernelframe_begins(const struct kernelframe *f, const char *with);

/* The same for any of these. */
bool kernelframe_is_any(const struct kernelframe *f, const char *const *names, size_t count);
bool kernelframe_begins_any(const struct kernelframe *f, const char *const *names, size_t count);

/* Parses a text like that of /proc/PID/task/TID/stack, of which names are borrowed. False if any
 * line is not a frame, if there are none, or if the last one may have been cut off. */
bool kernelframes_parse(struct kernelframes *frames, const char *text, size_t len);

#endif
