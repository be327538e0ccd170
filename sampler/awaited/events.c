/* A wait for several descriptors: an event loop, as a rule. Those that listen tell that it waits
 * for work; the only connection among them is what it waits for. */
#include <string.h>

#include "base/arena.h"
#include "base/process/process.h"
#include "sampler/awaited/eventset.h"
#include "sampler/awaited/lookat.h"

enum {
	LISTENS_SHOWN = 4,
	SOCKETS_ASKED = 64, /* the kernel searches all for a unix one (unix_lookup_by_ino()) */
};

struct events_seen {
	unsigned listening, ready, connections, asked;
	int connection; /* the descriptor of the last one */
	bool foreign;	/* others, to which something may come from afar */
	bool blind;	/* not all that sockets have in their queues is known */
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

/* The table may have been read before the wait began: what is in the queue now, the kernel says. */
static void events_see_input(struct look_at *l, const struct socket *s, struct events_seen *seen)
{
	struct socket now = *s;
	struct socket_times times;

	if (l->a->brief)
		return;
	if (seen->asked++ < SOCKETS_ASKED &&
	    sockets_times(look_netlink(l->a, l->process), &now, &times))
		seen->ready += now.received > 0;
	else
		seen->blind = true;
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
	} else {
		seen->foreign = true;
	}
	events_see_input(l, s, seen);
}

/* False: it is none, or too many were asked about. */
static bool events_see_unix(struct look_at *l, uint64_t inode, int fd, struct events_seen *seen)
{
	struct socket_unix is;

	if (seen->asked++ >= SOCKETS_ASKED ||
	    !sockets_unix(look_netlink(l->a, l->process), inode, &is))
		return false;
	if (is.listens && seen->listening < LISTENS_SHOWN) {
		events_listens(l, seen);
		buffer_addf(&l->a->text, "%s", is.name);
	}
	seen->foreign |= !is.listens && !is.peer;
	if (is.peer) {
		seen->connections++;
		seen->connection = fd;
	}
	seen->ready += is.waiting > 0;
	return true;
}

/* Those by which a process wakes itself, or learns that a relative has ended. */
static bool events_is_near(const char *link)
{
	return ends_inode(link, "pipe") || !strcmp(link, "anon_inode:[eventfd]") ||
	       !strcmp(link, "anon_inode:[timerfd]") || !strcmp(link, "anon_inode:[signalfd]");
}

/* False: the number is no longer that of the file that is waited for. */
static bool events_read_link(const struct look_at *l, const struct event *event,
			     char link[LINK_ROOM], uint64_t *socket)
{
	uint64_t inode;

	if (!look_read_link(l->process, event->fd, link))
		return false;
	*socket = ends_inode(link, "socket");
	inode = *socket ? *socket : ends_inode(link, "pipe");
	return !event->inode || !inode || inode == event->inode;
}

static void events_see(struct look_at *l, const struct event *event, struct events_seen *seen)
{
	char link[LINK_ROOM];
	uint64_t inode;
	const struct socket *s = NULL;

	if (events_read_link(l, event, link, &inode)) {
		if (!inode) {
			seen->foreign |= !events_is_near(link);
			seen->blind |= !strcmp(link, "anon_inode:[eventpoll]");
			return;
		}
		if (events_see_unix(l, inode, event->fd, seen))
			return;
		look_sockets(l->a, l->process, inode, &s);
	}
	if (s) {
		events_see_inet(l, s, event->fd, seen);
		return;
	}
	seen->foreign = seen->blind = true;
}

/* The only descriptor of the set. */
static bool events_see_one(struct look_at *l, const struct event *event)
{
	char link[LINK_ROOM];
	uint64_t inode;

	if (!events_read_link(l, event, link, &inode))
		return false;
	l->for_room = event->writes && !event->reads;
	if (!look_at_descriptor(l, event->fd))
		return false;
	l->w->fd = event->fd;
	return true;
}

static void events_add_only(struct look_at *l, const struct eventset *set)
{
	if (l->a->brief)
		return;
	l->a->text.len = 0;
	buffer_addf(&l->a->text, "%s%sthe only connection of %zu descriptors",
		    l->w->detail ? l->w->detail : "", l->w->detail ? ", " : "", set->count);
	l->w->detail = look_text(l);
}

static void events_conclude(struct look_at *l, const struct eventset *set,
			    const struct events_seen *seen)
{
	struct awaited *w = l->w;

	w->idle = seen->listening;
	if (seen->listening && l->a->peers)
		w->object = look_text(l);
	l->a->text.len = 0;
	if (!seen->listening && seen->connections == 1 && !seen->foreign && !set->cut &&
	    look_at_descriptor(l, seen->connection)) {
		w->fd = seen->connection; /* nothing else can come from afar */
		events_add_only(l, set);
		return;
	}
	*w = (struct awaited){ .kind = AWAITED_EVENTS,
			       .fd = l->call.fd,
			       .object = w->object,
			       .idle = w->idle,
			       .peer_call = -1 };
	if (l->a->brief || set->cut)
		return;
	buffer_addf(&l->a->text, "%zu descriptor%s", set->count, set->count == 1 ? "" : "s");
	if (seen->ready && !seen->blind)
		buffer_addf(&l->a->text, ", %u with input", seen->ready);
	else if (!seen->blind && seen->asked)
		buffer_addf(&l->a->text, ", no socket has input");
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
		events_see(l, &set.events[i], &seen);
	if (set.count && (set.count != 1 || set.cut || !events_see_one(l, set.events)))
		events_conclude(l, &set, &seen);
	eventset_release(&set);
	return l->w->kind != AWAITED_NONE;
}
