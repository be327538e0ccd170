/* Sockets by inode. The lines are those of tcp4_seq_show(), tcp6_seq_show() and their like
 * (net/ipv4, net/ipv6): addresses as words of the machine, ports as numbers, all in base 16. */
#include "sampler/awaited/sockets.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/unix_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/process.h"
#include "base/room.h"
#include "base/sorted.h"

enum { SOCKETS_MOST = 1 << 18, UNIX_LISTENS = 10 };

static void sockets_address(struct cursor *line, bool ip6, struct socket_address *at)
{
	for (size_t i = 0; i < (ip6 ? 4 : 1); i++) {
		const uint8_t *digits = cursor_bytes(line, 8);
		struct cursor word;
		uint32_t value;

		cursor_init(&word, digits, digits ? 8 : 0, "address");
		value = (uint32_t)cursor_number(&word, 16);
		memcpy(at->bytes + 4 * i, &value, sizeof(value));
	}
	cursor_expect(line, ':');
	at->port = (uint16_t)cursor_number(line, 16);
	cursor_blanks(line);
}

/* `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1234 …` */
static bool sockets_line(struct cursor *line, struct socket *s)
{
	cursor_blanks(line);
	cursor_number(line, 10);
	cursor_expect(line, ':');
	cursor_blanks(line);
	sockets_address(line, s->ip6, &s->local);
	sockets_address(line, s->ip6, &s->remote);
	s->state = (uint8_t)cursor_number(line, 16);
	cursor_blanks(line);
	s->to_send = (uint32_t)cursor_number(line, 16);
	cursor_expect(line, ':');
	s->received = (uint32_t)cursor_number(line, 16);
	cursor_blanks(line);
	cursor_number(line, 16);
	cursor_expect(line, ':');
	cursor_number(line, 16);
	cursor_blanks(line);
	s->retransmits = (uint32_t)cursor_number(line, 16);
	cursor_blanks(line);
	cursor_number(line, 10);
	cursor_blanks(line);
	cursor_number(line, 10);
	cursor_blanks(line);
	s->inode = cursor_number(line, 10);
	return !line->failed && s->inode;
}

int sockets_parse(struct socket_table *t, const void *text, size_t len, bool tcp, bool ip6)
{
	struct cursor all, line;

	cursor_init(&all, text, len, "sockets");
	while (cursor_line(&all, &line) && t->count < SOCKETS_MOST) {
		struct socket s = { .tcp = tcp, .ip6 = ip6 };

		if (!sockets_line(&line, &s))
			continue;
		if (room_for((void **)&t->sockets, &t->room, t->count + 1, sizeof(s)))
			return ERR_NOMEM;
		t->sockets[t->count++] = s;
	}
	return 0;
}

uint64_t sockets_space(const struct process *process)
{
	struct stat st;

	return fstatat(process->proc_fd, "ns/net", &st, 0) ? 0 : st.st_ino;
}

int sockets_read(struct socket_table *t, const struct process *process)
{
	static const struct {
		const char *file;
		bool tcp, ip6;
	} files[] = { { "net/tcp", true, false },
		      { "net/tcp6", true, true },
		      { "net/udp", false, false },
		      { "net/udp6", false, true } };
	struct buffer text = { 0 };
	struct error why;
	int rc = 0;

	t->count = 0;
	t->space = sockets_space(process);
	for (size_t i = 0; rc != ERR_NOMEM && i < sizeof(files) / sizeof(*files); i++) {
		rc = process_read(process, files[i].file, &text, &why);
		if (!rc)
			rc = sockets_parse(t, text.data, text.len, files[i].tcp, files[i].ip6);
	}
	buffer_release(&text);
	if (t->count)
		qsort(t->sockets, t->count, sizeof(*t->sockets), sorted_order);
	return rc == ERR_NOMEM ? rc : 0;
}

void sockets_release(struct socket_table *t)
{
	free(t->sockets);
	*t = (struct socket_table){ 0 };
}

const struct socket *sockets_find(const struct socket_table *t, uint64_t inode)
{
	return sorted_find(t->sockets, t->count, sizeof(*t->sockets), inode);
}

bool sockets_are_listened_to(const struct socket_table *t, uint16_t port)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->sockets[i].state == SOCKET_LISTENS && t->sockets[i].local.port == port &&
		    t->sockets[i].tcp)
			return true;
	return false;
}

static bool sockets_same(const struct socket_address *a, const struct socket_address *b)
{
	return a->port == b->port && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/* An IPv4 connection may be one of an IPv6 socket at one end (::ffff:127.0.0.1). */
static struct socket_address sockets_plain(const struct socket *s, const struct socket_address *at)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct socket_address plain = { .port = at->port };

	if (!s->ip6)
		return *at;
	if (memcmp(at->bytes, mapped, sizeof(mapped)))
		return *at;
	memcpy(plain.bytes, at->bytes + sizeof(mapped), 4);
	return plain;
}

const struct socket *sockets_other_end(const struct socket_table *t, const struct socket *s)
{
	struct socket_address local = sockets_plain(s, &s->local),
			      remote = sockets_plain(s, &s->remote);

	for (size_t i = 0; s->tcp && remote.port && i < t->count; i++) {
		const struct socket *o = &t->sockets[i];
		struct socket_address here = sockets_plain(o, &o->local),
				      there = sockets_plain(o, &o->remote);

		if (o->tcp && sockets_same(&here, &remote) && sockets_same(&there, &local))
			return o;
	}
	return NULL;
}

int sockets_print(const struct socket *s, const struct socket_address *at, struct buffer *out)
{
	static const uint8_t any[16];
	struct socket_address plain = sockets_plain(s, at);
	bool ip6 = s->ip6 && !memcmp(&plain, at, sizeof(plain));
	char text[INET6_ADDRSTRLEN] = "";

	if (memcmp(plain.bytes, any, sizeof(any)))
		inet_ntop(ip6 ? AF_INET6 : AF_INET, plain.bytes, text, sizeof(text));
	if (ip6 && *text)
		return buffer_addf(out, "[%s]:%u", text, plain.port);
	return buffer_addf(out, "%s:%u", text, plain.port);
}

/* Netlink. */

/* Sends a request and receives its one answer. Returns the length of what follows the answer's
 * header, and where it lies in `reply`; 0: an error. */
static size_t sockets_ask(int netlink, const void *request, size_t len, char *reply, size_t room,
			  const char **body)
{
	struct {
		struct nlmsghdr head;
		char body[128];
	} message = { .head = { .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST } };
	struct nlmsghdr head;
	ssize_t got;

	if (netlink < 0)
		return 0;
	message.head.nlmsg_len = (uint32_t)(sizeof(head) + len);
	memcpy(message.body, request, len);
	if (send(netlink, &message, message.head.nlmsg_len, MSG_DONTWAIT) < 0)
		return 0;
	got = recv(netlink, reply, room, MSG_DONTWAIT); /* it has answered within send(2) */
	if (got < (ssize_t)sizeof(head))
		return 0;
	memcpy(&head, reply, sizeof(head));
	if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len > (size_t)got)
		return 0;
	*body = reply + sizeof(head);
	return head.nlmsg_len - sizeof(head);
}

/* The attribute `type` behind a body's fixed part; NULL: none. */
static const char *sockets_attribute(const char *at, size_t len, uint16_t type, size_t *size)
{
	struct rtattr {
		uint16_t len, type;
	} a;

	while (len >= sizeof(a)) {
		size_t whole;

		memcpy(&a, at, sizeof(a));
		if (a.len < sizeof(a) || a.len > len)
			return NULL;
		*size = a.len - sizeof(a);
		if (a.type == type)
			return at + sizeof(a);
		whole = NLMSG_ALIGN((size_t)a.len);
		if (whole > len)
			return NULL;
		at += whole;
		len -= whole;
	}
	return NULL;
}

bool sockets_times(int netlink, struct socket *s, struct socket_times *times)
{
	struct inet_diag_req_v2 request = {
		.sdiag_family = s->ip6 ? AF_INET6 : AF_INET,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_INFO - 1),
		.idiag_states = UINT32_MAX,
		.id = { .idiag_sport = htons(s->local.port),
			.idiag_dport = htons(s->remote.port),
			.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } },
	};
	struct inet_diag_msg message;
	struct tcp_info info = { 0 };
	char reply[4096];
	const char *body, *at;
	size_t len, size;

	memcpy(request.id.idiag_src, s->local.bytes, sizeof(request.id.idiag_src));
	memcpy(request.id.idiag_dst, s->remote.bytes, sizeof(request.id.idiag_dst));
	len = sockets_ask(netlink, &request, sizeof(request), reply, sizeof(reply), &body);
	if (!s->tcp || len < sizeof(message))
		return false;
	memcpy(&message, body, sizeof(message));
	at = sockets_attribute(body + sizeof(message), len - sizeof(message), INET_DIAG_INFO,
			       &size);
	if (!at || message.idiag_inode != s->inode)
		return false;
	memcpy(&info, at, size < sizeof(info) ? size : sizeof(info));
	s->state = message.idiag_state;
	s->received = message.idiag_rqueue;
	s->to_send = message.idiag_wqueue;
	s->retransmits = info.tcpi_retransmits;
	*times = (struct socket_times){ info.tcpi_last_data_recv, info.tcpi_bytes_received };
	return size >= offsetof(struct tcp_info, tcpi_segs_out);
}

static void sockets_unix_name(const char *name, size_t len, struct socket_unix *is)
{
	if (!name || !len)
		return;
	if (len >= sizeof(is->name))
		len = sizeof(is->name) - 1;
	memcpy(is->name, name, len);
	for (size_t i = 0; !name[0] && i < len; i++)
		is->name[i] = is->name[i] ? is->name[i] : '@';
}

bool sockets_unix(int netlink, uint64_t inode, struct socket_unix *is)
{
	struct unix_diag_req request = {
		.sdiag_family = AF_UNIX,
		.udiag_states = UINT32_MAX,
		.udiag_ino = (uint32_t)inode,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN,
		.udiag_cookie = { UINT32_MAX, UINT32_MAX },
	};
	struct unix_diag_msg message;
	struct unix_diag_rqlen queue;
	char reply[4096];
	const char *body, *at;
	uint32_t peer;
	size_t size,
		len = sockets_ask(netlink, &request, sizeof(request), reply, sizeof(reply), &body);

	*is = (struct socket_unix){ 0 };
	if (inode > UINT32_MAX || len < sizeof(message))
		return false;
	memcpy(&message, body, sizeof(message));
	body += sizeof(message);
	len -= sizeof(message);
	is->listens = message.udiag_state == UNIX_LISTENS;
	is->datagram = message.udiag_type == SOCK_DGRAM;
	at = sockets_attribute(body, len, UNIX_DIAG_PEER, &size);
	if (at && size >= sizeof(peer)) {
		memcpy(&peer, at, sizeof(peer));
		is->peer = peer;
	}
	at = sockets_attribute(body, len, UNIX_DIAG_RQLEN, &size);
	if (at && size >= sizeof(queue)) {
		memcpy(&queue, at, sizeof(queue));
		is->waiting = queue.udiag_rqueue;
	}
	at = sockets_attribute(body, len, UNIX_DIAG_NAME, &size);
	sockets_unix_name(at, at ? size : 0, is);
	return true;
}
