/*
 * The registers of a thread in a ptrace stop, and what they say about the call that the thread is
 * in.
 *
 * There is one registers_NAME.c for each architecture. Architectures differ in the registers, and
 * in what the kernel has already done about a call that was cut short when a tracer sees it.
 */
#ifndef SAMPLER_THREAD_REGISTERS_H
#define SAMPLER_THREAD_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct call;
struct regs;

struct registers {
	struct user_regs_struct user;
#if defined(__aarch64__)
	uint32_t before, at;	 /* the instructions before the pc and at it; 0: unreadable */
	uint64_t signature;	 /* the bits of a code address that may hold its signature */
	bool fails;		 /* see registers_failed_call */
	uint64_t first_argument; /* of the call that fails */
	bool waited;		 /* in a call, when registers_look_ahead looked: */
	uint64_t number, args[6], slices;
#endif
};

/* Called before the thread is asked to stop: notes in *r, which is all zeroes, what registers_read
 * will need and cannot find out after the stop. */
void registers_look_ahead(pid_t tid, struct registers *r);

/* Reads and writes the registers of a thread that is in a ptrace stop of ours. For reading, *r is
 * as it was after the last reading, or as registers_look_ahead left it, or all zeroes. 0 or
 * ERR_GONE. */
int registers_read(pid_t tid, struct registers *r);
int registers_write(pid_t tid, const struct registers *r);

/* Of a thread that does not run (atrest.h): `saved` are the bytes that its struct pt_regs begins
 * with, REGISTERS_AT_REST of them, and the thread pointer is a member of the kernel's struct
 * thread_struct. 0: they are not read so. */
#if defined(__x86_64__)
enum { REGISTERS_AT_REST = offsetof(struct user_regs_struct, fs_base) };
#else
enum { REGISTERS_AT_REST = 0 };
#endif
#define REGISTERS_AT_REST_TP "fsbase"
void registers_at_rest(struct registers *r, const void *saved, uint64_t tp);

uint64_t registers_pc(const struct registers *r);
uint64_t registers_sp(const struct registers *r);

/* The thread pointer, the base of thread-local variables; 0: not known. */
uint64_t registers_tp(const struct registers *r);

/* The registers in the unwinder's form; all are known. */
void registers_for_walk(const struct registers *r, struct regs *regs);

/* Of a perf event (sampler/capture/event.h): which registers are requested (perf_event_attr's
 * sample_regs_user), how many, and how its values, in the order of the mask's bits, become the
 * unwinder's. */
enum { REGISTERS_OF_EVENT_MOST = 40 };
uint64_t registers_of_event_mask(void);
unsigned registers_of_event_count(void);
void registers_of_event(const uint64_t *values, struct regs *regs);

/* The registers of a thread that waits in the kernel and is not stopped. Known are pc, sp and, if
 * call->number is not negative, the registers that hold the arguments. */
void registers_of_waiting(const struct call *call, struct regs *regs);

/* The call that the thread is in, or was in when it was cut short. */
void registers_call(const struct registers *r, struct call *call);

/* Has the stop cut a wait in a call short? */
bool registers_cut_a_wait(const struct registers *r);

/* The error with which a call is about to return, perhaps because of us, and which the kernel does
 * not turn into a restart: -EINTR or, on x86-64, -EAGAIN. 0: there is no such call. */
int64_t registers_failed_call(const struct registers *r);

/* If there is such a call: the registers with which the thread makes it again. */
void registers_call_again(const struct registers *r, struct registers *again);

/* Does it execute 32-bit code? */
bool registers_are_narrow(const struct registers *r);

/* Has clone(2) just made the thread? Valid only for a thread that was never seen before. */
bool registers_newborn(const struct registers *r);

#endif
