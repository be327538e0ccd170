/* What /proc says of a thread when one has to decide what a stop was for. */
#ifndef SAMPLER_DISPOSITIONS_H
#define SAMPLER_DISPOSITIONS_H

#include <stdbool.h>
#include <sys/types.h>

/* Does it sleep, or is it gone? */
bool thread_is_asleep(pid_t tid);

/* Flags of a thread that exits, has been killed, or writes the memory of its process into a
 * core dump (PF_EXITING, PF_POSTCOREDUMP, PF_DUMPCORE, PF_SIGNALED in include/linux/sched.h;
 * the field `flags` of proc_pid_stat(5)). It will not be in user space again. An
 * interruption does harm there: what writes a dump into a pipe ends when one is pending
 * (pipe_write() in fs/pipe.c, dump_interrupted() in fs/coredump.c). */
#define THREAD_DYING 0x60cu
#define THREAD_DUMPS_CORE 0x200u

/* Does it so now? Costs five microseconds. */
bool thread_is_dying(pid_t tid);

/* Has the process neither a handler for it nor ignored it? */
bool thread_leaves_to_default(pid_t tid, int sig);

/* Would the signal go unnoticed if nobody traced the thread (signal(7), "Signal
 * dispositions")? */
bool thread_ignores(pid_t tid, int sig);

#endif
