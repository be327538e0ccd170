/*
 * Least privilege: once target and output are open, only the capabilities that
 * sampling uses are kept, and no program that we executed could gain others.
 *
 * To be called by the main thread before it starts threads and processes, which
 * inherit, and after a command of ours was started, which must not.
 */
#ifndef SAMPLER_PRIVILEGE_H
#define SAMPLER_PRIVILEGE_H

#include <stdbool.h>

struct error;
struct outfile;

struct privilege_needs {
	const struct outfile *output; /* opened; it is still to be renamed into place */
	const int *folder;	      /* opened; files will be made in it and removed */
	bool command;		      /* signals are handed on to a process of ours */
	bool kernel_stacks;	      /* /proc/PID/stack will be read */
};

/* Gives up what is not needed. Harmless without any privilege. ERR_PERM. */
int privilege_drop(const struct privilege_needs *needs, struct error *err);

/* All but setting how threads are scheduled. For the watchdog. */
void privilege_keep_scheduling(void);

/* Gives up all. For a helper process; failing is impossible where there is
 * something to lose (capset(2) refuses only to add). */
void privilege_drop_all(void);

/* All but reading processes, and the files that they have mapped. For a helper process that
 * reads another's memory; with `holding`, while it holds it (sampler/hold.h). */
void privilege_keep_tracing(bool holding);

/* All but reading what file permissions forbid to read. For the process that decodes. */
void privilege_keep_reading(void);

#endif
