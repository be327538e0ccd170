/*
 * What a waiting thread waits for: the descriptor of its call, what that is, and the process at the
 * other end.
 *
 * All of it is read in /proc and asked of the kernel (sock_diag(7)). Nothing is stopped, opened
 * anew or sent to the process. What is not known is not told.
 *
 * - The caller makes sure that the thread is in the call all the time. A descriptor may be closed
 *   and given to another file by another thread meanwhile: its name is read before and after.
 * - Addresses, paths and names of processes are data. Without `peers` none of them is read.
 * - The other end of a socket or pipe is found among the descriptors of all processes that we may
 *   read, which are listed once, for at most half a second.
 */
#ifndef SAMPLER_AWAITED_AWAITED_H
#define SAMPLER_AWAITED_AWAITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct awaits;
struct call;
struct process;

enum awaited_kind {
	AWAITED_NONE, /* not known */
	AWAITED_TCP,
	AWAITED_UDP,
	AWAITED_UNIX,
	AWAITED_SOCKET, /* of another family */
	AWAITED_PIPE,
	AWAITED_FIFO,
	AWAITED_TERMINAL,
	AWAITED_FILE,
	AWAITED_DEVICE,
	AWAITED_EVENTS, /* several descriptors: epoll, poll, select */
	AWAITED_EVENTFD,
	AWAITED_TIMER,
	AWAITED_SIGNAL,
	AWAITED_NOTICES, /* inotify or fanotify */
	AWAITED_CHILD,
	AWAITED_FILE_LOCK,
	AWAITED_QUEUE,	   /* of messages, System V's or POSIX's */
	AWAITED_SEMAPHORE, /* System V's */
	AWAITED_RING,	   /* io_uring */
	AWAITED_SLEEP,
	AWAITED_FAULT, /* a page that userfaultfd(2) is to bring */
	AWAITED_PAGE,  /* of a file or of swap */
	AWAITED_FREEZER,
	AWAITED_TRACER,
	AWAITED_KINDS,
};

enum { AWAITED_COMMAND = 64 };

struct awaited {
	enum awaited_kind kind;
	int fd;		    /* of the call; -1: it has none, or several */
	const char *object; /* "10.0.3.7:5432", "/tmp/lock", "5 s"; NULL: not known. Any bytes */
	const char
		*server; /* of a connection, what many have in common: "10.0.3.7:5432", "clients of
			     * :8080"; or NULL. The object of a brief look. Any bytes */
	const char *detail; /* "send queue empty, 1 retransmission"; NULL: nothing. Trusted */
	bool idle;	    /* it waits for work: for connections, or in an event loop */
	pid_t peer;	    /* the process at the other end; 0: not known */
	unsigned others;    /* processes that have that end, too */
	bool peer_is_here;  /* it is the process itself */
	char command[AWAITED_COMMAND]; /* its name. Any bytes */
	char peer_state;	       /* proc_pid_stat(5), of its only thread; 0: it has several */
	int64_t peer_call;	       /* the number of the call in which that waits; -1: none */
	const struct awaited *theirs;  /* and what it waits for there; NULL: not known */
	unsigned circle; /* so many processes of one thread each wait for the next one, and the last
			  * for the first: none goes on by itself. 0: none */
};

/* What looks are to tell. Brief is what labels can hold, of which there are few: of a connection
 * the server's end ("10.0.3.7:5432"; "clients of :5432"), no detail, and no process at the other
 * end. */
struct awaits_wish {
	bool peers; /* addresses, paths and other processes */
	bool brief;
};

/* Opens what looks need. The caller frees *a with awaits_free; NULL is harmless there.
 * ERR_NOMEM. */
int awaits_new(struct awaits **a, struct awaits_wish wish);
void awaits_free(struct awaits *a);

/* Finds what thread `tid` of `process` waits for in `call`, `state` as in proc_pid_stat(5). Texts
 * live as long as `arena`. False, and `w` is empty, if that is not known. */
bool awaited_look(struct awaits *a, const struct process *process, pid_t tid, char state,
		  const struct call *call, struct arena *arena, struct awaited *w);

/* "tcp", "pipe", "event loop", …; NULL for AWAITED_NONE. */
const char *awaited_kind_name(enum awaited_kind kind);

#endif
