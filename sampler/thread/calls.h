/* What is known about individual system calls (docs/calls.md), and about what they wait for. */
#ifndef SAMPLER_THREAD_CALLS_H
#define SAMPLER_THREAD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct process;

/* A call returned `result` (-EINTR, for example) because of our stop. True if it may be entered
 * again with the same arguments: only if it is known to have done nothing until then. For a call on
 * a socket that depends on the socket, which is looked up in `process`; if `process` is NULL, the
 * result is false for such a call. */
bool call_may_be_made_again(const struct call *call, int64_t result, const struct process *process);

/* True if the call, by its arguments, does its work in parts and, when interrupted, returns how
 * much it has done. A thread in such a call must not be stopped. */
bool call_transfers(const struct call *call);

/* True if such a call of the process is known not to end earlier for an interruption: it writes to
 * an ordinary file of a file system that ends writes for fatal signals only, or it is not to block
 * and writes to a pipe or socket. Reads the descriptor's kind and flags, and the list of mounts. */
bool call_is_never_cut(const struct call *call, const struct process *process);

/* True if all file systems that the process has mounted are known to end no call that is not a
 * transfer because a signal is pending: none is a daemon's or a server's. Reads the list of
 * mounts. */
bool process_has_local_mounts(const struct process *process);

/* What is behind a descriptor of the process. */
enum descriptor {
	DESCRIPTOR_UNKNOWN, /* a terminal, a device, nothing */
	DESCRIPTOR_FILE,    /* an ordinary file */
	DESCRIPTOR_PIPE,    /* with or without a name */
	DESCRIPTOR_EVENTS,  /* an eventfd, timerfd, signalfd, inotify, fanotify or userfaultfd */
	DESCRIPTOR_EPOLL,
	DESCRIPTOR_SOCKET,
};

/* The kind of the target's descriptor `fd`. Reads names and file types only; nothing is opened. */
enum descriptor descriptor_kind(const struct process *process, uint64_t fd);

struct socket_waits {
	bool receives_at_once; /* returns as soon as there is anything */
	bool receives_timed;   /* SO_RCVTIMEO */
	bool sends;	       /* a send, or connect, that failed with EINTR has done nothing */
};

/* Fills `socket` with the options of the target's socket `fd`. They are read from a copy of the
 * descriptor, which is closed again. False if `fd` is not a socket or cannot be copied, or if the
 * waits of its family or protocol were not read in the kernel's source. */
bool socket_ask(const struct process *process, uint64_t fd, struct socket_waits *socket);

#endif
