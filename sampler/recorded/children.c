/*
 * Finds the processes that members of the round have made.
 *
 * Where the kernel's records tell (lineage.h), nothing is searched. Elsewhere
 * /proc/PID/task/TID/children lists, for each thread, the processes that it has made (proc(5);
 * CONFIG_PROC_CHILDREN). It is read fifty times a second, or more rarely where a process has so
 * many threads that this would take more than a hundredth of our time. A child that lives for less
 * than that may be missed; its CPU time is in no member's account then. (At ten times a second a
 * make of small C files lost a fifth of its CPU time so.)
 *
 * Rejected: PTRACE_O_TRACEFORK, which misses nothing, but holds each forking thread until we have
 * handled the fork, and leaves a tracer attached all the time; the process connector of netlink,
 * which reports the processes of the whole machine and requires CAP_NET_ADMIN.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/process.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/member/reserve.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/threads.h"

enum { LOOK_NS = 20000000, COST_FACTOR = 100 };

/* One of 32-bit code may execute another program later. */
static int start_child(struct recorded *r, struct member *m, struct error *err)
{
	pid_t pid = m->process.pid;

	member_space(m);
	if (member_is_narrow(m))
		return pidset_add(&r->narrow, pid) ? error_nomem(err) :
						     error_set(err, ERR_PERM, "32-bit code");
	pidset_remove(&r->narrow, pid);
	return recorded_start_member(r, m, !r->start_ns, err);
}

/* Until it executes another program, its frames are of its maker's kind. Records of the kernel's
 * timer that come before it is read would be of no use. */
static void inherit(struct member *m, const struct member *maker)
{
	m->fit.needs_stop = maker && (maker->fit.needs_stop || maker->has_go ||
				      interps_beside(maker->interps));
}

static int children_add_child(struct recorded *r, pid_t pid, const struct member *maker,
			      struct error *err)
{
	struct member *m;
	int rc = recorded_add_member(r, pid, &m, err);

	if (rc)
		return rc;
	inherit(m, maker);
	rc = start_child(r, m, err);
	rc = rc ? rc : reserve_keep(m, 0, err);
	if (rc)
		recorded_drop_member(r);
	return rc;
}

/* A child that has ended already, that we may not trace, or that executes 32-bit code is left
 * alone. */
int recorded_add_child(struct recorded *r, pid_t pid, const struct member *maker)
{
	struct error err = { 0 };

	/* With `sampler -p $$ --children` in a shell we are a child of the target. We and our
	 * helpers are not part of what is measured, and the watchdog must never be held. */
	if (pid == getpid() || recorded_member(r, pid))
		return 0;
	if (process_try_read(pid) == EPERM) {
		r->stats.refused++;
		return 0;
	}
	children_add_child(r, pid, maker, &err);
	return recorded_note_lacking(r, pid, &err);
}

/* *adding grows by the CPU time in ns that new members take: they come once. */
static int children_read_children(struct recorded *r, const struct member *m, pid_t tid,
				  uint64_t *adding)
{
	char name[64];
	struct buffer text = { 0 };
	struct cursor c;
	uint32_t before = r->member_count;
	uint64_t cpu;
	int rc;

	snprintf(name, sizeof(name), "task/%d/children", tid);
	rc = process_read(&m->process, name, &text, NULL);
	cursor_init(&c, text.data, rc ? 0 : text.len, "children");
	rc = rc == ERR_NOMEM ? rc : 0;
	cpu = thread_cpu_ns();
	while (!rc && cursor_left(&c)) {
		pid_t pid = (pid_t)cursor_number(&c, 10);

		cursor_expect(&c, ' ');
		if (!c.failed)
			rc = recorded_add_child(r, pid, m);
	}
	if (r->member_count > before)
		*adding += thread_cpu_ns() - cpu;
	buffer_release(&text);
	return rc;
}

static int find_children_of(struct recorded *r, struct member *m)
{
	uint64_t start = monotonic_ns(), cpu = thread_cpu_ns(), adding = 0, cost;
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		if (!threads[i].ended)
			rc = children_read_children(r, m, threads[i].tid, &adding);
	cost = (thread_cpu_ns() - cpu - adding) * COST_FACTOR;
	m->children_due_ns = start + (cost > LOOK_NS ? cost : LOOK_NS);
	return rc;
}

int recorded_find_children(struct recorded *r, bool all)
{
	uint64_t now = monotonic_ns();
	int rc = 0;

	/* Members that are added here are searched in the same loop. */
	for (uint32_t i = 0; !rc && i < r->living_count; i++)
		if (!r->living[i]->ended && (all || r->living[i]->children_due_ns <= now))
			rc = find_children_of(r, r->living[i]);
	return rc;
}
