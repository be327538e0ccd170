/*
 * Least privilege: once target and output are open, only the capabilities that sampling uses are
 * kept, and no program that we execute can gain others.
 *
 * The main thread calls privilege_drop after it has started a command, which must not be
 * restricted, and before it starts threads and other processes, which inherit the reduced
 * capabilities.
 */
#ifndef SAMPLER_CHILD_PRIVILEGE_H
#define SAMPLER_CHILD_PRIVILEGE_H

#include <stdbool.h>

struct error;
struct outfile;

struct privilege_needs {
	const struct outfile *output; /* opened; it is still to be renamed into place */
	const int *folder;	      /* opened; files will be made in it and removed */
	bool command;		      /* signals are handed on to the command */
	bool samples;		      /* threads will be sampled: /proc/PID/stack will be read */
};

/* Gives up all capabilities that are not needed, and sets no_new_privs. Harmless without any
 * privilege. ERR_PERM. */
int privilege_drop(const struct privilege_needs *needs, struct error *err);

/* Gives up all but CAP_SYS_NICE: how threads are scheduled. For the watchdog. */
void privilege_keep_scheduling(void);

/* Gives up all. For a helper process. Cannot fail: capset(2) refuses only to add. */
void privilege_drop_all(void);

/* Gives up all but the right to read processes and the files that they have mapped. For a helper
 * process that reads another process's memory. `holding`: it also holds that process's threads
 * (sampler/stop/hold.h). */
void privilege_keep_tracing(bool holding);

/* Gives up all but CAP_DAC_READ_SEARCH: reading files against their permissions. For the process
 * that decodes. */
void privilege_keep_reading(void);

#endif
