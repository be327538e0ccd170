/*
 * The registers of a thread in a ptrace stop, and what they say of the call that the
 * thread is in.
 *
 * There is one registers_NAME.c for each architecture: not only the registers differ
 * but also what the kernel has done with a call that was cut short by the time at
 * which a tracer sees it.
 */
#ifndef SAMPLER_REGISTERS_H
#define SAMPLER_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct call;
struct regs;

struct registers {
	struct user_regs_struct user;
#if defined(__aarch64__)
	uint32_t before, at; /* the instructions before the pc and at it; 0: unreadable */
	uint64_t signature;  /* the bits of a code address that may sign it */
	bool fails;	     /* see registers_failed_call */
	uint64_t first_argument; /* of the call that fails */
	bool waited;	     /* when it was looked at before: */
	uint64_t number, args[6], slices;
#endif
};

/* Before the thread is asked to stop: notes what registers_read can find out no more.
 * *r is zeroes. */
void registers_look_ahead(pid_t tid, struct registers *r);

/* Of a thread that is in a ptrace stop of ours; *r as it was after the last one, or
 * zeroes. 0 or ERR_GONE. */
int registers_read(pid_t tid, struct registers *r);
int registers_write(pid_t tid, const struct registers *r);

uint64_t registers_pc(const struct registers *r);
uint64_t registers_sp(const struct registers *r);

/* The thread pointer, from which thread-local variables are counted. */
uint64_t registers_tp(const struct registers *r);

/* As the unwinder wants them, all known. */
void registers_for_walk(const struct registers *r, struct regs *regs);

/* Of a thread that waits in the kernel and is not stopped: pc and sp are known, and, if
 * call->number is not negative, the registers that hold the arguments. */
void registers_of_waiting(const struct call *call, struct regs *regs);

/* The call that the thread is in, or was in when it was cut short. */
void registers_call(const struct registers *r, struct call *call);

/* Has the stop cut a wait in a call short? */
bool registers_cut_a_wait(const struct registers *r);

/* The error with which a call is about to come back that the kernel does not make again by
 * itself: -EINTR or, on x86-64, -EAGAIN, perhaps because of us; 0: it is none of those. */
int64_t registers_failed_call(const struct registers *r);

/* Of a thread of which it is one: the registers with which it makes its call again. */
void registers_call_again(const struct registers *r, struct registers *again);

/* If nobody has seen the thread before: has clone(2) just made it? */
bool registers_newborn(const struct registers *r);

#endif
