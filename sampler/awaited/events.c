/* A wait for several descriptors: an event loop, as a rule. Those that listen tell that it waits
 * for work; the only connection among them is what it waits for. */
#include <string.h>

#include "base/arena.h"
#include "base/process/process.h"
#include "sampler/awaited/eventset.h"
#include "sampler/awaited/lookat.h"

enum {
	LISTENS_SHOWN = 4,
	UNIX_ASKED = 64, /* the kernel searches all sockets for each (unix_lookup_by_ino()) */
};

struct events_seen {
	unsigned listening, ready, connections, unix_asked;
	int connection; /* the descriptor of the last one */
};

static void events_listens(struct look_at *l, struct events_seen *seen)
{
	if (seen->listening++)
		buffer_addf(&l->a->text, " ");
}

/* In brief a port is shown once, though it is listened to on two addresses. */
static void events_print_port(struct look_at *l, const struct socket *s)
{
	struct socket any = { .local.port = s->local.port };
	struct buffer *text = &l->a->text;
	size_t before = text->len;

	sockets_print(l->a->brief ? &any : s, l->a->brief ? &any.local : &s->local, text);
	if (l->a->brief && before > 1 &&
	    memmem(text->data, before - 1, text->data + before, text->len - before))
		text->len = before - 1;
}

static void events_see_inet(struct look_at *l, const struct socket *s, int fd,
			    struct events_seen *seen)
{
	if (s->tcp && s->state == SOCKET_LISTENS) {
		if (seen->listening < LISTENS_SHOWN) {
			events_listens(l, seen);
			events_print_port(l, s);
		}
	} else if (s->remote.port) {
		seen->connections++;
		seen->connection = fd;
	}
	seen->ready += s->received > 0;
}

/* False: it is none, or too many were asked about. */
static bool events_see_unix(struct look_at *l, uint64_t inode, int fd, struct events_seen *seen)
{
	struct socket_unix is;

	if (seen->unix_asked++ >= UNIX_ASKED ||
	    !sockets_unix(look_netlink(l->a, l->process), inode, &is))
		return false;
	if (is.listens && seen->listening < LISTENS_SHOWN) {
		events_listens(l, seen);
		buffer_addf(&l->a->text, "%s", is.name);
	}
	if (is.peer) {
		seen->connections++;
		seen->connection = fd;
	}
	seen->ready += is.waiting > 0;
	return true;
}

static void events_see(struct look_at *l, int fd, struct events_seen *seen)
{
	char link[LINK_ROOM];
	uint64_t inode = look_read_link(l->process, fd, link) ? ends_inode(link, "socket") : 0;
	const struct socket *s = NULL;

	if (!inode || events_see_unix(l, inode, fd, seen))
		return;
	look_sockets(l->a, l->process, inode, &s);
	if (s)
		events_see_inet(l, s, fd, seen);
}

static void events_conclude(struct look_at *l, const struct eventset *set,
			    const struct events_seen *seen)
{
	struct awaited *w = l->w;

	w->idle = seen->listening;
	if (seen->listening && l->a->peers)
		w->object = look_text(l);
	l->a->text.len = 0;
	if (!seen->listening && seen->connections == 1 && look_at_descriptor(l, seen->connection)) {
		w->fd = seen->connection; /* nothing else can come from afar */
		return;
	}
	*w = (struct awaited){ .kind = AWAITED_EVENTS,
			       .fd = l->call.fd,
			       .object = w->object,
			       .idle = w->idle,
			       .peer_call = -1 };
	if (l->a->brief)
		return;
	buffer_addf(&l->a->text, "%zu descriptor%s, ", set->count, set->count == 1 ? "" : "s");
	if (seen->ready)
		buffer_addf(&l->a->text, "%u with input", seen->ready);
	else
		buffer_addf(&l->a->text, "no socket has input");
	w->detail = look_text(l);
}

bool look_at_events(struct look_at *l)
{
	struct eventset set = { 0 };
	struct events_seen seen = { 0 };

	if (eventset_read(&set, l->process, l->tid, &l->call)) {
		eventset_release(&set);
		return false;
	}
	l->a->text.len = 0;
	for (size_t i = 0; i < set.count; i++)
		events_see(l, set.fds[i], &seen);
	if (set.count == 1 && look_at_descriptor(l, set.fds[0]))
		l->w->fd = set.fds[0];
	else if (set.count)
		events_conclude(l, &set, &seen);
	eventset_release(&set);
	return l->w->kind != AWAITED_NONE;
}
