/* What is known of the kernel's calls and their functions: does a thread that was preempted in one
 * bear a stop (preempted.h)? docs/calls.md, "Where a thread was preempted", has the reasons. */
#ifndef SAMPLER_THREAD_KERNELCALLS_H
#define SAMPLER_THREAD_KERNELCALLS_H

#include <stdbool.h>

struct kernelframe;

enum kernelcall_class {
	KERNELCALL_DELICATE,
	/* Looks for no signals, or for fatal ones; or is made again by the kernel or us. */
	KERNELCALL_BEARS,
	/* Bears it unless a file system's daemon answers (PREEMPTED_IF_MOUNTS). */
	KERNELCALL_BY_PATH,
	KERNELCALL_BY_FILE, /* by the functions further inside */
	/* The same, but several messages: the first ones may be the result. */
	KERNELCALL_BY_FILE_MANY,
	KERNELCALL_FUTEX,
	KERNELCALL_MADVISE,
	KERNELCALL_MMAP,
	KERNELCALL_IOCTL,
};

/* `number` may be any. */
enum kernelcall_class kernelcall_class(int number);

/* What a function says about the file of its call. */
enum kernelcall_file {
	KERNELFILE_NONE,
	KERNELFILE_BEARS,
	KERNELFILE_IF_NONBLOCKING, /* PREEMPTED_IF_NONBLOCKING */
	KERNELFILE_IF_MOUNTS,	   /* PREEMPTED_IF_MOUNTS */
};
enum kernelcall_file kernelcall_file(const struct kernelframe *f);

/* The call of a function such as __x64_sys_read; -1 if it is of none, or of 32-bit code's. */
int kernelcall_number(const struct kernelframe *f);

/* The call of a function that only this call and its variants call. The call's own function, if it
 * calls it as its last act, leaves no frame. -1: it is none. */
int kernelcall_number_inside(const struct kernelframe *f);

#endif
