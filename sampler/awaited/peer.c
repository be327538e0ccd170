/* The process at the other end: who it is, and what its only thread does. Of several threads it is
 * not known which one is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/process/process.h"
#include "base/smallfile.h"
#include "sampler/awaited/lookat.h"
#include "sampler/thread/taskfiles.h"

enum { PEERS_MOST = 8 }; /* other ends of other ends */

/* Does the process have one thread? */
static bool peer_is_single(const struct process *process)
{
	uint64_t fields[STAT_FIELDS] = { 0 };
	char text[1024];
	ssize_t len = smallfile_read(process->proc_fd, "stat", text, sizeof(text));

	return len > 0 && process_stat_parse(text, (size_t)len, STAT_THREADS, fields) &&
	       fields[STAT_THREADS] == 1;
}

/* A wait in a circle ends by itself only where a call has a time to wait. Those of sockets
 * (SO_RCVTIMEO) cannot be seen, so only pipes, locks of files and children are judged. */
static bool peer_is_judged(const struct awaited *w)
{
	return !w->others && (w->kind == AWAITED_PIPE || w->kind == AWAITED_FILE_LOCK ||
			      w->kind == AWAITED_CHILD);
}

/* What its thread waits for; is that in a circle with the process at the root? */
static void peer_follow(struct look_at *l, const struct process *peer, const struct call *call)
{
	struct awaited *theirs = arena_alloc(l->arena, sizeof(*theirs));
	bool known;

	l->a->depth++;
	known = theirs &&
		awaited_look(l->a, peer, peer->pid, l->w->peer_state, call, l->arena, theirs);
	l->a->depth--;
	if (!known)
		return;
	l->w->theirs = theirs;
	l->w->circle = peer_is_judged(l->w) ? theirs->circle : 0;
}

static void peer_look(struct look_at *l, const struct process *peer)
{
	struct thread_stat stat;
	struct call call;
	char text[1024];
	ssize_t len = smallfile_read(peer->proc_fd, "stat", text, sizeof(text));

	if (len <= 0 || !thread_stat_parse(text, &stat))
		return;
	l->w->peer_state = stat.state;
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
		l->w->circle = peer_is_judged(l->w) ? l->a->depth + 1 : 0;
		return;
	}
	if (process_open(&peer, pid, &why))
		return;
	snprintf(l->w->command, sizeof(l->w->command), "%s", peer.comm);
	if (peer_is_single(&peer))
		peer_look(l, &peer);
	process_close(&peer);
	if (!l->a->depth && l->w->circle && !peer_is_single(l->process))
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
