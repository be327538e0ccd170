/*
 * The sockets of a network namespace, by inode, as /proc/PID/net shows them, and what the kernel
 * says of one by sock_diag(7).
 *
 * /proc/PID/net is that of the process's own namespace, so it is read for a container, too. A
 * netlink socket is one of our namespace: of others no details are known (setns(2) would require
 * CAP_SYS_ADMIN, which is given up).
 */
#ifndef SAMPLER_AWAITED_SOCKETS_H
#define SAMPLER_AWAITED_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct process;

/* TCP's states (enum in include/net/tcp_states.h), as the tables show them. */
enum {
	SOCKET_ESTABLISHED = 1,
	SOCKET_CONNECTS = 2,
	SOCKET_CLOSE_WAIT = 8,
	SOCKET_LISTENS = 10,
};

struct socket_address {
	uint8_t bytes[16]; /* in the order of the network; IPv4 has four */
	uint16_t port;
};

struct socket {
	uint64_t inode; /* sorted by it */
	bool tcp, ip6;
	uint8_t state;
	struct socket_address local, remote;
	uint32_t to_send, received; /* bytes that wait in the queues */
	uint32_t retransmits;
};

struct socket_table {
	uint64_t space;	 /* inode of the namespace */
	uint64_t due_ns; /* CLOCK_MONOTONIC: not read again before then; the caller's */
	struct socket *sockets;
	size_t count, room;
};

/* Reads the table of the process's namespace, {0} or one that was read before. A socket is left out
 * where its line cannot be read. ERR_NOMEM. */
int sockets_read(struct socket_table *t, const struct process *process);
void sockets_release(struct socket_table *t);

/* The text of one of its files. For the fuzz target. ERR_NOMEM. */
int sockets_parse(struct socket_table *t, const void *text, size_t len, bool tcp, bool ip6);

/* The inode of the process's network namespace; 0: not known. */
uint64_t sockets_space(const struct process *process);

/* The socket with that inode, and the one at the other end of a TCP connection within the
 * namespace; NULL: there is none. Borrowed until sockets_release or sockets_read. And is there one
 * that listens on a port? */
const struct socket *sockets_find(const struct socket_table *t, uint64_t inode);
bool sockets_are_listened_to(const struct socket_table *t, uint16_t port);
const struct socket *sockets_other_end(const struct socket_table *t, const struct socket *s);

/* Appends "10.0.3.7:5432", "[::1]:80", ":8080" (any address). ERR_NOMEM. */
int sockets_print(const struct socket *s, const struct socket_address *at, struct buffer *out);

/* What sock_diag(7) knows more of a TCP socket of our namespace; state, queues and retransmissions
 * are set to those of now. False: it does not answer. */
struct socket_times {
	uint32_t received_ms; /* ago: the last data, or the beginning of the connection */
	bool received;	      /* data has come at all */
};
bool sockets_times(int netlink, struct socket *s, struct socket_times *times);

/* The inode of the socket that a unix socket of our namespace is connected to, and what waits in
 * its own queue: bytes, or connections where it listens. */
struct socket_unix {
	uint64_t peer; /* 0: none */
	uint32_t waiting;
	bool listens, datagram;
	char name[109]; /* its own, "@" for each NUL of one without a path; "": none */
};
bool sockets_unix(int netlink, uint64_t inode, struct socket_unix *is);

#endif
