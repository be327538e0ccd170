/*
 * Which process comes next, when the target has ended: the next one of a name, or of the
 * systemd unit or cgroup that the last one was in.
 */
#ifndef ROUNDS_FOLLOW_H
#define ROUNDS_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct follow;

/* By name, as `pidof` and `pgrep -x` compare: comm, or the program's file name. ERR_NOMEM. */
int follow_name(struct follow **f, const char *name, struct error *err);

/* By what the process is in now: its cgroup (v2, or v1's systemd hierarchy), and its
 * program's path. ERR_GONE, ERR_NOTFOUND (it is in the root cgroup: nothing to follow),
 * ERR_NOMEM. */
int follow_cgroup(struct follow **f, pid_t pid, struct error *err);
void follow_free(struct follow *f);

/* In words, for messages: "the next 'redis-server'", "the next process of redis.service". */
const char *follow_text(const struct follow *f);

/* Looks once: the oldest such process that is none of ours and no zombie, 0 when there is
 * none. Of a unit's processes systemd's MainPID cannot be asked for; the one whose parent is
 * not in the cgroup is taken. */
pid_t follow_look(struct follow *f);

#endif
