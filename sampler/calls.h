/* What is known of single system calls (docs/calls.md), and of what they wait for. */
#ifndef SAMPLER_CALLS_H
#define SAMPLER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct process;

/* A stop of ours made a call return `result` (-EINTR, say). May it be entered again with the
 * same arguments? Only if it is known to have done nothing until then. What a socket's
 * call has done depends on the socket: with `process` NULL it may not. */
bool call_may_be_made_again(const struct call *call, int64_t result,
			    const struct process *process);

/* Is it, by its arguments, one that does its work in parts and, when interrupted, returns how
 * much it has done? A thread that is in one is not to be stopped. */
bool call_transfers(const struct call *call);

/* What is behind a descriptor of the process. */
enum descriptor {
	DESCRIPTOR_UNKNOWN, /* a file, a terminal, a device, nothing */
	DESCRIPTOR_PIPE,    /* with or without a name */
	DESCRIPTOR_EVENTS,  /* an eventfd, timerfd, signalfd, inotify, fanotify or userfaultfd */
	DESCRIPTOR_EPOLL,
	DESCRIPTOR_SOCKET,
};

/* Reads names only; nothing is opened. */
enum descriptor descriptor_kind(const struct process *process, uint64_t fd);

struct socket_waits {
	bool receives_at_once; /* as soon as there is anything */
	bool receives_timed;   /* SO_RCVTIMEO */
	bool sends;	       /* a send, or connect, that failed with EINTR has done nothing */
};

/* False where it is no socket, or one of a family or protocol whose waits we have not read.
 * Asks a copy of the descriptor, which is closed again. */
bool socket_ask(const struct process *process, uint64_t fd, struct socket_waits *socket);

#endif
