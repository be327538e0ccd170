/*
 * Which m of Go's runtime a waiting thread is, if we have never stopped it.
 *
 * A stopped thread's m is found by its thread pointer. For threads that were never stopped, the
 * runtime's own list of ms is read from time to time. Without that list, neither the goroutine and
 * the labels of such a thread nor the frames on its other stacks would be known.
 */
#ifndef SAMPLER_MEMBER_GOTHREADS_H
#define SAMPLER_MEMBER_GOTHREADS_H

struct member;
struct thread;

/* Sets `go` of the thread and of the process's other threads, where it is not set and can be found.
 * Does nothing if the last reading of the list was a short time ago. */
void gothreads_find(struct member *m, struct thread *thread);

#endif
