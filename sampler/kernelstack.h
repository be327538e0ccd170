/*
 * Where waiting threads stand inside the kernel: /proc/PID/task/TID/stack.
 *
 * The kernel tells where in a function by its name, as "futex_wait_queue+0x60/0x90" with
 * the function's length at the end, and hides the address. So a kernel frame is (the
 * image "[kernel]", the number of that text), and what addresses they have is found out
 * at the end from /proc/kallsyms, if we may know it. Reading the stack wants
 * CAP_SYS_ADMIN (proc_pid_stack() in fs/proc/base.c).
 */
#ifndef SAMPLER_KERNELSTACK_H
#define SAMPLER_KERNELSTACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/strset.h"
#include "symbolize/kallsyms.h"

struct error;
struct image;
struct member;
struct stack;

struct kernelstack {
	struct image *image; /* owned by the members' maps; NULL: not wanted */
	struct strset texts, names;
	bool refused;	     /* we may not read it */
	int symbols_fd;	     /* of /proc/kallsyms, -1 */
	struct kallsyms symbols;
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

/* Reads /proc/kallsyms: before the first kernelstack_locate. ERR_NOMEM. */
int kernelstack_load(struct kernelstack *k);

/* The name of a frame's function and, in *place, its address in the kernel, or if that
 * is not known a number below 2^32, the same for all frames of that name. `at` is the
 * frame's address in `image`. *name is NULL for a frame of another image. ERR_NOMEM. */
int kernelstack_locate(struct kernelstack *k, const struct image *image, uint64_t at,
		       const char **name, uint64_t *place);

#endif
