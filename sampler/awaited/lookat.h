/* A look in the making. Internal to this room. */
#ifndef SAMPLER_AWAITED_LOOKAT_H
#define SAMPLER_AWAITED_LOOKAT_H

#include "base/buffer.h"
#include "sampler/awaited/awaited.h"
#include "sampler/awaited/ends.h"
#include "sampler/awaited/sockets.h"
#include "sampler/awaited/waitcall.h"

enum { LINK_ROOM = 4096 };

struct awaits {
	bool peers, brief;
	int netlink;		     /* for sock_diag(7); -1: it is refused */
	uint64_t space;		     /* our network namespace */
	struct socket_table *tables; /* by namespace */
	size_t table_count, table_room;
	struct ends ends;
	bool ends_listed;
	struct buffer text; /* of the file or phrase that is worked on */
	unsigned depth;	    /* looks at other ends that are under way */
	pid_t root;	    /* the process at which the first one began */
};

struct look_at {
	struct awaits *a;
	const struct process *process;
	pid_t tid;
	char state;
	struct waitcall call;
	bool for_room; /* of a descriptor, to write to it */
	struct arena *arena;
	struct awaited *w;
};

/* Fills `w` with what the descriptor is. False: not known. */
bool look_at_descriptor(struct look_at *l, int fd);

/* Reads the link of the process's descriptor. False: it has none. */
bool look_read_link(const struct process *process, int fd, char link[LINK_ROOM]);

/* fdinfo, with a NUL; "": not readable. It lies in l->a->text. */
const char *look_descriptor_info(struct look_at *l, int fd);

/* Has the process one thread? */
bool look_is_single(const struct process *process);

/* The same for several, of which those matter that listen, or are the only connection. */
bool look_at_events(struct look_at *l);

/* The sockets of the process's network namespace, and in *s the one with that inode, or NULL. They
 * are read again if it is not among them, and the last reading has cost less than a fiftieth of the
 * time since: one of 27,000 sockets takes 60 ms. NULL: out of memory. */
const struct socket_table *look_sockets(struct awaits *a, const struct process *process,
					uint64_t inode, const struct socket **s);

/* The netlink socket, if the process has our network namespace; else -1. */
int look_netlink(const struct awaits *a, const struct process *process);

/* The processes that have the other end of a socket or pipe, by its inode. */
void look_find_peer(struct look_at *l, uint64_t inode, bool socket, bool writes);

/* `pid` is the process at the other end: its name, and what it does. */
void look_at_peer(struct look_at *l, pid_t pid);

/* The text that has been put together in l->a->text, for w->object or w->detail; NULL: there is
 * none. Empties it. */
const char *look_text(struct look_at *l);

#endif
