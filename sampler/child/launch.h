/* Starting a command so that it can be sampled from its first instruction. */
#ifndef SAMPLER_CHILD_LAUNCH_H
#define SAMPLER_CHILD_LAUNCH_H

#include <sys/types.h>

struct error;

/* Starts `command` (found by PATH) and holds it where it has just become the new program and has
 * not executed anything yet. The calling thread is its tracer until launch_release. ERR_NOTFOUND:
 * there is no such program; ERR_FORMAT: it cannot be executed; ERR_PERM: it cannot be traced;
 * ERR_IO. */
int launch_command(char *const *command, pid_t *pid, struct error *err);

/* Detaches from the command, which runs on. Called by the thread that started it. */
void launch_release(pid_t pid);

/* Kills a command that is not to run after all, and waits for its end. */
void launch_kill(pid_t pid);

#endif
