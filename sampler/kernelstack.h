/*
 * Where waiting threads stand inside the kernel: /proc/PID/task/TID/stack.
 *
 * The kernel tells functions by name and hides their addresses, so a kernel frame is
 * (the image "[kernel]", the number of its name). Reading it wants CAP_SYS_ADMIN
 * (proc_pid_stack() in fs/proc/base.c).
 */
#ifndef SAMPLER_KERNELSTACK_H
#define SAMPLER_KERNELSTACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/strset.h"

struct error;
struct image;
struct member;
struct stack;

struct kernelstack {
	struct image *image; /* owned by the members' maps; NULL: not wanted */
	struct strset names;
	bool refused;	     /* we may not read it */
};

/* Readies it for the members that share their images with `m`. ERR_NOMEM. */
int kernelstack_init(struct kernelstack *k, struct member *m);
void kernelstack_release(struct kernelstack *k);

/* Reads a waiting thread's into `text`, which is emptied first, and stays empty where
 * that is not to be had. */
void kernelstack_read(struct kernelstack *k, const struct member *m, pid_t tid,
		      struct buffer *text);

/* Appends the frames of such a text, innermost first. ERR_NOMEM. */
int kernelstack_push(struct kernelstack *k, const struct buffer *text, struct stack *stack);

/* The function of a frame with this address in `image`; NULL for another image. */
const char *kernelstack_name(const struct kernelstack *k, const struct image *image, uint64_t addr);

#endif
