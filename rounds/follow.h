/*
 * Finds the next process when the target has ended: the next one of a name, or of the systemd
 * unit or cgroup that the last one was in.
 */
#ifndef ROUNDS_FOLLOW_H
#define ROUNDS_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct follow;

/* By name (base/process/named.h). The caller
 * frees *f with follow_free. ERR_IO (no /proc), ERR_NOMEM. */
int follow_name(struct follow **f, const char *name, struct error *err);

/* By what the process is in now: its cgroup (v2, or v1's systemd hierarchy), and its program's
 * path. The caller frees *f with follow_free. ERR_GONE; ERR_NOTFOUND: it is in the root cgroup,
 * so there is nothing to follow; ERR_IO, ERR_NOMEM. */
int follow_cgroup(struct follow **f, pid_t pid, struct error *err);
void follow_free(struct follow *f);

/* For messages: "the next 'redis-server'", "the next process of redis.service". Borrowed. */
const char *follow_text(const struct follow *f);

/* Looks once. Returns the oldest process that fits and is neither ours nor a zombie; 0 for none.
 * systemd's MainPID is not available here, so of a unit's processes one whose parent is outside
 * the cgroup is preferred. */
pid_t follow_look(struct follow *f);

#endif
