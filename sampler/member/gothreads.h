/*
 * Which m of Go's runtime a waiting thread is, if we have never stopped it.
 *
 * A stopped thread's m is found by its thread pointer. For threads that were never stopped, the
 * runtime's own list of ms is read from time to time. Without it such a thread's goroutine, and so
 * its labels, would not be known, nor what its runtime has left on its other stacks.
 */
#ifndef SAMPLER_MEMBER_GOTHREADS_H
#define SAMPLER_MEMBER_GOTHREADS_H

struct member;
struct thread;

/* Sets thread->go, where it can be found out and is not set, and that of the process's other
 * threads. Does nothing if the last reading of the list was a short time ago. */
void gothreads_find(struct member *m, struct thread *thread);

#endif
