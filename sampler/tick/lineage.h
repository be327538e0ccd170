/*
 * Which processes descend from those of the round, by the kernel's records of their beginnings and
 * ends.
 *
 * A process is known as a descendant from the record of its fork until that of its end, whether or
 * not it lived for long enough to become a member: so the child of one that has ended is followed,
 * too, as of a daemon that forks twice. The program cannot notice: its orphans' parent is what it
 * is without us.
 *
 * The records come from the rings of the perf events (news.h), and for a command from events of its
 * own, which its children inherit. These need less permission, and come with stops and wall time,
 * too. Without either, a process is found as a child of one that lives (children.c).
 *
 * Rejected: PR_SET_CHILD_SUBREAPER, by which we would become the parent of the command's orphans; a
 * control group or session of its own, which it can see; the same session or process group as
 * evidence, since a pipeline's other commands are in it as well.
 */
#ifndef SAMPLER_TICK_LINEAGE_H
#define SAMPLER_TICK_LINEAGE_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct event;
struct round;

/* Opens the events of the command, if there is one whose children are followed, and they are
 * permitted. ERR_NOMEM. lineage_close: they are not needed any more. */
int lineage_open(struct round *r, struct error *err);
void lineage_close(struct round *r);

/* Follows the processes of which the command's events tell. */
void lineage_collect(struct round *r);

/* Is it a process that was given, or one that is known to descend from these? */
bool lineage_has(const struct round *r, pid_t pid);

/* Follows a process that one of them has made, by the record of its beginning, until that of its
 * end. */
void lineage_take(struct round *r, const struct event *e);

#endif
