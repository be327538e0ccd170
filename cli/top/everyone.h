/*
 * `sampler top` without a process: all processes by their CPU time of the last interval. On a
 * terminal a screen on which the user chooses one, elsewhere a table for each interval.
 */
#ifndef CLI_TOP_EVERYONE_H
#define CLI_TOP_EVERYONE_H

struct topoptions;

/* Returns CLI_GO_ON if the user has chosen a process: it is the one process of o->sampling then,
 * and is held there. Else an exit status. */
int everyone_run(struct topoptions *o);

#endif
