/*
 * Where threads are inside the kernel: of waiting ones /proc/PID/task/TID/stack, of running ones
 * what the kernel's timer has met (sampler/capture/event.h).
 *
 * The kernel reports a place by function and offset, as "futex_wait_queue+0x60/0x90" with the
 * function's length at the end, and hides the address. So a kernel frame is the image "[kernel]"
 * and the number of that text, or, where that is known, an address. What is missing is looked up at
 * the end in /proc/kallsyms, if we may read it. Reading a stack requires CAP_SYS_ADMIN
 * (proc_pid_stack() in fs/proc/base.c).
 */
#ifndef SAMPLER_THREAD_KERNELSTACK_H
#define SAMPLER_THREAD_KERNELSTACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/strset.h"
#include "symbolize/kallsyms.h"

struct error;
struct image;
struct modmap;
struct process;
struct stack;

struct kernelstack {
	struct image
		*image; /* owned by the processes' maps; NULL: no kernel stacks were requested */
	struct strset texts, names;
	bool refused;	/* we may not read stacks */
	int symbols_fd; /* of /proc/kallsyms; -1: it could not be opened */
	struct kallsyms symbols;
};

/* For the processes whose maps share their images with `maps`; opens /proc/kallsyms. ERR_NOMEM. */
int kernelstack_init(struct kernelstack *k, struct modmap *maps);
void kernelstack_release(struct kernelstack *k);

/* Reads a waiting thread's kernel stack into `text`, which is emptied first, and stays so on
 * failure. */
void kernelstack_read(struct kernelstack *k, const struct process *process, pid_t tid,
		      struct buffer *text);

/* Appends the frames of a text that kernelstack_read has filled, innermost first. ERR_NOMEM. */
int kernelstack_push(struct kernelstack *k, const struct buffer *text, struct stack *stack);

/* Appends frames of `count` addresses, innermost first: where the thread was, then return
 * addresses. ERR_NOMEM. */
int kernelstack_push_addresses(const struct kernelstack *k, const uint64_t *addresses, size_t count,
			       struct stack *stack);

/* Reads /proc/kallsyms. Called before the first kernelstack_locate. ERR_NOMEM. */
int kernelstack_load(struct kernelstack *k);

/* *name: the function of the frame at the address `at` in `image`, borrowed until
 * kernelstack_release; NULL if `image` is not "[kernel]", or no function is known there. *place:
 * the frame's address in the kernel, or if that is not known a number below 2^32, the same for all
 * frames of that name.
 * ERR_NOMEM. */
int kernelstack_locate(struct kernelstack *k, const struct image *image, uint64_t at,
		       const char **name, uint64_t *place);

#endif
