/* A set of processes, by their numbers: few, as a rule. */
#ifndef SAMPLER_RECORDED_PIDSET_H
#define SAMPLER_RECORDED_PIDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* {0} is empty. */
struct pidset {
	pid_t *pids;
	size_t count, room;
};

void pidset_release(struct pidset *s);
bool pidset_has(const struct pidset *s, pid_t pid);

/* Nothing if it is there already. ERR_NOMEM. */
int pidset_add(struct pidset *s, pid_t pid);

/* Nothing if it is not there. */
void pidset_remove(struct pidset *s, pid_t pid);

#endif
