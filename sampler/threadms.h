/*
 * Which m of Go's runtime a waiting thread is that nobody has stopped yet.
 *
 * One that was stopped has told it by its thread pointer. For the others the runtime's own list
 * is gone through, now and then, while there are any. Without it such a thread's goroutine,
 * and so its labels, would not be known, nor what its runtime has left on its other stacks.
 */
#ifndef SAMPLER_THREADMS_H
#define SAMPLER_THREADMS_H

struct member;
struct thread;

/* Sets thread->go where that can be found out, and that of others. */
void threadms_find(struct member *m, struct thread *thread);

#endif
