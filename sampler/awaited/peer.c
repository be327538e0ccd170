/* The process at the other end: who it is, and what its only thread does. Of several threads it is
 * not known which one is meant. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/process/process.h"
#include "base/smallfile.h"
#include "sampler/awaited/lookat.h"
#include "sampler/thread/taskfiles.h"

enum { PEERS_MOST = 8 }; /* other ends of other ends */

enum { STAT_ROOM = 1024 };

/* Reads `stat` of a process that has one thread. */
static bool peer_read_single(const struct process *process, char text[STAT_ROOM])
{
	uint64_t fields[STAT_FIELDS] = { 0 };
	ssize_t len = smallfile_read(process->proc_fd, "stat", text, STAT_ROOM);

	return len > 0 && process_stat_parse(text, (size_t)len, STAT_THREADS, fields) &&
	       fields[STAT_THREADS] == 1;
}

bool look_is_single(const struct process *process)
{
	char text[STAT_ROOM];

	return peer_read_single(process, text);
}

/* A wait in a circle ends by itself only where a call has a time to wait. Those of sockets
 * (SO_RCVTIMEO) cannot be seen, so only pipes, locks of files and children are judged. Of a pipe
 * all ends must be known. A lock of flock(2) belongs to an open file, which a child may have, too.
 */
static bool peer_is_judged(const struct look_at *l)
{
	if (l->w->others || l->w->peer_is_here)
		return false;
	switch (l->call.on) {
	case WAIT_ON_DESCRIPTOR:
	case WAIT_ON_ROOM:
		return l->w->kind == AWAITED_PIPE && !l->a->ends.cut;
	case WAIT_ON_FILE_LOCK:
		return l->call.posix;
	default:
		return l->call.on == WAIT_ON_CHILD;
	}
}

/* One that has a timer of its own, by alarm(2) or timer_create(2), may wake up by it. */
static bool peer_has_timer(const struct process *process)
{
	char text[4096];
	ssize_t len = smallfile_read(process->proc_fd, "status", text, sizeof(text));

	return len <= 0 || process_field(text, "\nSigCgt:", 16) & 1ul << (SIGALRM - 1) ||
	       smallfile_read(process->proc_fd, "timers", text, sizeof(text)) > 0;
}

static bool peer_reads(const struct process *peer, struct call *call, struct schedstat *times)
{
	char text[1024];
	ssize_t len = smallfile_read(peer->proc_fd, "schedstat", text, sizeof(text));

	if (len <= 0 || !schedstat_parse(text, (size_t)len, times))
		return false;
	len = smallfile_read(peer->proc_fd, "syscall", text, sizeof(text));
	return len > 0 && call_parse(text, (size_t)len, call);
}

/* A set of descriptors is not looked at: that of a busy server has ten thousand. */
static bool peer_waits_for_several(const struct call *call)
{
	enum wait_on on = waitcall_of(call).on;

	return on == WAIT_ON_EPOLL || on == WAIT_ON_POLL || on == WAIT_ON_SELECT;
}

/* What its thread waits for; is that in a circle with the process at the root? All of it must be so
 * at one moment: it has waited in this call until the others were looked at. */
static void peer_follow(struct look_at *l, const struct process *peer, const struct call *call)
{
	struct awaited *theirs = arena_alloc(l->arena, sizeof(*theirs));
	struct schedstat before, after;
	struct call first, now;
	bool known;

	if (!theirs || peer_waits_for_several(call) || !peer_reads(peer, &first, &before) ||
	    memcmp(&first, call, sizeof(first)) != 0)
		return;
	l->a->depth++;
	known = awaited_look(l->a, peer, peer->pid, l->w->peer_state, call, l->arena, theirs) &&
		peer_reads(peer, &now, &after) && !memcmp(&now, call, sizeof(now)) &&
		before.slices == after.slices;
	l->a->depth--;
	if (!known)
		return;
	l->w->theirs = theirs;
	l->w->circle = peer_is_judged(l) && !peer_has_timer(peer) ? theirs->circle : 0;
}

/* Of one that has several threads nothing is told. */
static void peer_look(struct look_at *l, const struct process *peer)
{
	struct thread_stat stat;
	struct call call;
	char text[STAT_ROOM];
	ssize_t len;

	if (!peer_read_single(peer, text) || !thread_stat_parse(text, &stat))
		return;
	l->w->peer_state = stat.state;
	if (process_width(peer) != 64)
		return; /* its calls have other numbers */
	len = smallfile_read(peer->proc_fd, "syscall", text, sizeof(text));
	if (len <= 0 || !call_parse(text, (size_t)len, &call))
		return;
	l->w->peer_call = call.number;
	if (l->a->depth < PEERS_MOST)
		peer_follow(l, peer, &call);
}

void look_at_peer(struct look_at *l, pid_t pid)
{
	struct process peer;
	struct error why;

	l->w->peer = pid;
	l->w->peer_call = -1;
	if (!l->a->depth)
		l->a->root = l->process->pid;
	if (pid == l->a->root) {
		l->w->circle = peer_is_judged(l) ? l->a->depth + 1 : 0;
		return;
	}
	if (process_open(&peer, pid, &why))
		return;
	snprintf(l->w->command, sizeof(l->w->command), "%s", peer.comm);
	if (!l->w->others)
		peer_look(l, &peer);
	process_close(&peer);
	if (!l->a->depth && l->w->circle &&
	    (!look_is_single(l->process) || peer_has_timer(l->process)))
		l->w->circle = 0;
}

void look_find_peer(struct look_at *l, uint64_t inode, bool socket, bool writes)
{
	struct awaits *a = l->a;
	bool here;
	pid_t found;

	if (!a->peers || a->brief)
		return;
	if (!a->ends_listed)
		ends_list(&a->ends); /* without memory, without a peer */
	a->ends_listed = true;
	found = ends_of(&a->ends, inode, socket, writes, l->process->pid, &l->w->others, &here);
	if (here) {
		l->w->others += found != 0;
		l->w->peer = l->process->pid;
		l->w->peer_is_here = true;
		snprintf(l->w->command, sizeof(l->w->command), "%s", l->process->comm);
	} else if (found) {
		look_at_peer(l, found);
	}
}
