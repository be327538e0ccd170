/* What a descriptor is: by the text of /proc/PID/fd/N, which cannot be forged, since the text of a
 * file begins with a slash, and by /proc/PID/fdinfo/N (proc_pid_fdinfo(5)). Nothing is opened. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/amount.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/process/process.h"
#include "sampler/awaited/lookat.h"

bool look_read_link(const struct process *process, int fd, char link[LINK_ROOM])
{
	char name[32];
	ssize_t len;

	snprintf(name, sizeof(name), "fd/%d", fd);
	len = readlinkat(process->proc_fd, name, link, LINK_ROOM - 1);
	link[len < 0 ? 0 : len] = '\0';
	return len > 0;
}

const char *look_descriptor_info(struct look_at *l, int fd)
{
	struct buffer *text = &l->a->text;
	struct error why;
	char name[32];

	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	if (process_read(l->process, name, text, &why) || buffer_add(text, "", 1))
		return "";
	return (const char *)text->data;
}

/* Sockets. */

static void descriptor_queue(struct buffer *text, const char *name, uint32_t bytes)
{
	if (bytes)
		buffer_addf(text, ", %s in the %s queue", shown_bytes(bytes), name);
	else if (!strcmp(name, "send"))
		buffer_addf(text, ", send queue empty");
}

/* Of these queues and times count what has no bytes: SYN, FIN. */
static const char *descriptor_tcp_state(uint8_t state)
{
	if (state == SOCKET_CONNECTS)
		return "not connected yet";
	return state == SOCKET_CLOSE_WAIT ? "closed by the other end" : "being closed";
}

/* `last byte 3.9 s ago, send queue empty, 1 retransmission` */
static void descriptor_traffic(struct look_at *l, const struct socket *s)
{
	struct buffer *text = &l->a->text;
	struct socket now = *s;
	struct socket_times times;
	bool known = sockets_times(look_netlink(l->a, l->process), &now, &times);

	text->len = 0;
	if (now.state == SOCKET_ESTABLISHED) {
		if (known)
			buffer_addf(text, times.received ? ", last byte %s ago" : ", no byte in %s",
				    shown_duration(times.received_ms * NS_PER_MS));
		descriptor_queue(text, "receive", now.received);
		descriptor_queue(text, "send", now.to_send);
	} else {
		buffer_addf(text, ", %s", descriptor_tcp_state(now.state));
	}
	if (now.retransmits)
		buffer_addf(text, ", %u retransmission%s", now.retransmits,
			    now.retransmits == 1 ? "" : "s");
	if (text->len > 2)
		l->w->detail = arena_copy(l->arena, text->data + 2, text->len - 2);
	text->len = 0;
}

/* `127.0.0.1:40012 → 10.0.3.7:5432` */
static void descriptor_addresses(struct look_at *l, const struct socket *s)
{
	struct buffer *text = &l->a->text;

	sockets_print(s, &s->local, text);
	if (s->remote.port) {
		buffer_addf(text, " → ");
		sockets_print(s, &s->remote, text);
	}
}

/* The end that many connections have in common: `10.0.3.7:5432`, `clients of :5432`. */
static void descriptor_server(struct look_at *l, const struct socket_table *t,
			      const struct socket *s)
{
	struct socket any = { .local.port = s->local.port };

	if (s->remote.port && !sockets_are_listened_to(t, s->local.port)) {
		sockets_print(s, &s->remote, &l->a->text);
		return;
	}
	if (s->remote.port)
		buffer_addf(&l->a->text, "clients of ");
	sockets_print(&any, &any.local, &l->a->text);
}

static bool descriptor_inet(struct look_at *l, const struct socket_table *t, const struct socket *s)
{
	const struct socket *end;
	bool listens = s->tcp && s->state == SOCKET_LISTENS;

	l->w->kind = s->tcp ? AWAITED_TCP : AWAITED_UDP;
	l->w->idle = listens;
	l->a->text.len = 0;
	if (l->a->peers) {
		descriptor_server(l, t, s);
		l->w->object = l->w->server = look_text(l);
	}
	if (l->a->brief)
		return true;
	if (l->a->peers) {
		descriptor_addresses(l, s);
		l->w->object = look_text(l);
	}
	if (s->tcp && !listens)
		descriptor_traffic(l, s);
	end = sockets_other_end(t, s);
	if (end && end->inode)
		look_find_peer(l, end->inode, true, false);
	return true;
}

/* Of a connection that was accepted the name is the listener's. A client may have one, too, and has
 * no other end before it is accepted. */
static void descriptor_unix_server(struct look_at *l, const struct socket_unix *is)
{
	struct socket_unix peer = { .peer = 0 };
	bool known = is->peer && sockets_unix(look_netlink(l->a, l->process), is->peer, &peer);

	if (*is->name && *peer.name)
		buffer_addf(&l->a->text, "%s → %s", is->name, peer.name);
	else if (*is->name && (known || is->listens || is->datagram))
		buffer_addf(&l->a->text, "%s%s", known ? "clients of " : "", is->name);
	else
		buffer_addf(&l->a->text, "%s", peer.name);
	l->w->object = l->w->server = look_text(l);
}

static bool descriptor_unix(struct look_at *l, uint64_t inode)
{
	struct socket_unix is;

	if (!sockets_unix(look_netlink(l->a, l->process), inode, &is))
		return false;
	l->w->kind = AWAITED_UNIX;
	l->w->idle = is.listens;
	l->a->text.len = 0;
	if (l->a->peers)
		descriptor_unix_server(l, &is);
	if (is.peer)
		look_find_peer(l, is.peer, true, false);
	return true;
}

static bool descriptor_socket(struct look_at *l, uint64_t inode)
{
	const struct socket_table *t;
	const struct socket *s;

	if (descriptor_unix(l, inode))
		return true;
	t = look_sockets(l->a, l->process, inode, &s);
	if (s)
		return descriptor_inet(l, t, s);
	l->w->kind = AWAITED_SOCKET;
	return true;
}

/* Descriptors without a file. */

static void descriptor_timer(struct look_at *l, const char *info)
{
	const char *at = strstr(info, "it_value: (");
	char *end;
	uint64_t s, ns;

	if (!at)
		return;
	s = strtoull(at + strlen("it_value: ("), &end, 10);
	ns = *end == ',' ? strtoull(end + 1, NULL, 10) : 0;
	l->a->text.len = 0;
	if (!s && !ns)
		buffer_addf(&l->a->text, "not set");
	else if (s < INT64_MAX / NS_PER_S && ns < NS_PER_S)
		buffer_addf(&l->a->text, "%s left", shown_duration(s * NS_PER_S + ns));
	l->w->detail = look_text(l);
}

/* Names of the first few signals of a set, from the least bit on. */
static void descriptor_signals(struct look_at *l, uint64_t mask)
{
	unsigned shown = 0;

	l->a->text.len = 0;
	for (int i = 1; i <= 31 && shown < 4; i++)
		if (mask >> (i - 1) & 1 && sigabbrev_np(i))
			buffer_addf(&l->a->text, "%sSIG%s", shown++ ? " " : "", sigabbrev_np(i));
	l->w->detail = look_text(l);
}

static bool descriptor_anonymous(struct look_at *l, int fd, const char *is)
{
	const char *info;

	if (!strcmp(is, "[eventfd]")) {
		l->w->kind = AWAITED_EVENTFD;
	} else if (!strcmp(is, "[timerfd]")) {
		l->w->kind = AWAITED_TIMER;
		if (l->a->brief)
			return true;
		descriptor_timer(l, look_descriptor_info(l, fd));
	} else if (!strcmp(is, "[signalfd]")) {
		l->w->kind = AWAITED_SIGNAL;
		if (l->a->brief)
			return true;
		info = strstr(look_descriptor_info(l, fd), "sigmask:");
		descriptor_signals(l, info ? strtoull(info + strlen("sigmask:"), NULL, 16) : 0);
	} else if (!strcmp(is, "inotify") || !strcmp(is, "[fanotify]")) {
		l->w->kind = AWAITED_NOTICES;
	} else if (!strcmp(is, "[io_uring]")) {
		l->w->kind = AWAITED_RING;
	} else if (!strcmp(is, "[userfaultfd]")) {
		l->w->kind = AWAITED_FAULT;
	}
	l->a->text.len = 0;
	return l->w->kind != AWAITED_NONE;
}

/* Files. */

/* `sda1`, of the file system that the file is on. */
static void descriptor_device(struct look_at *l, unsigned major, unsigned minor)
{
	char path[64], at[256] = "";
	const char *name;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	if (readlink(path, at, sizeof(at) - 1) <= 0)
		return;
	name = strrchr(at, '/');
	l->a->text.len = 0;
	buffer_addf(&l->a->text, "on %s", name ? name + 1 : at);
	l->w->detail = look_text(l);
}

static enum awaited_kind descriptor_kind_of(const char *link, mode_t mode)
{
	if (S_ISFIFO(mode))
		return AWAITED_FIFO;
	if (begins_with(link, "/dev/pts/") || begins_with(link, "/dev/tty"))
		return AWAITED_TERMINAL;
	return S_ISREG(mode) || S_ISDIR(mode) ? AWAITED_FILE : AWAITED_DEVICE;
}

/* Sends no request to a file system's daemon, and mounts nothing. */
static bool descriptor_file(struct look_at *l, int fd, const char *link)
{
	int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
	char name[32];
	struct statx st;

	snprintf(name, sizeof(name), "fd/%d", fd);
	if (statx(l->process->proc_fd, name, flags, STATX_TYPE | STATX_INO, &st))
		return false;
	l->w->kind = descriptor_kind_of(link, st.stx_mode);
	if (l->w->kind == AWAITED_FILE && l->state == 'D' && !l->a->brief)
		descriptor_device(l, st.stx_dev_major, st.stx_dev_minor);
	if (l->a->peers)
		l->w->object = arena_copy(l->arena, link, strlen(link));
	if (l->w->kind == AWAITED_FIFO)
		look_find_peer(l, ends_fifo(l->process->proc_fd, name), false, !l->for_room);
	return true;
}

/* The one that a thread waits for is at the other end of the pipe: the one that it reads is
 * written there. */
static bool descriptor_pipe(struct look_at *l, uint64_t inode)
{
	l->w->kind = AWAITED_PIPE;
	look_find_peer(l, inode, false, !l->for_room);
	return true;
}

bool look_at_descriptor(struct look_at *l, int fd)
{
	char link[LINK_ROOM], now[LINK_ROOM];
	uint64_t socket, pipe;
	bool known;

	if (!look_read_link(l->process, fd, link))
		return false;
	socket = ends_inode(link, "socket");
	pipe = ends_inode(link, "pipe");
	if (socket)
		known = descriptor_socket(l, socket);
	else if (pipe)
		known = descriptor_pipe(l, pipe);
	else if (begins_with(link, "anon_inode:"))
		known = descriptor_anonymous(l, fd, link + strlen("anon_inode:"));
	else
		known = *link == '/' && descriptor_file(l, fd, link);
	return known && look_read_link(l->process, fd, now) && !strcmp(link, now);
}
