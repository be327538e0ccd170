/* Events are looked at with WNOWAIT first: a status that was taken could not be looked at again.
 * Which way a stopped thread goes on is decided in one place, tracee_decide. */
#include "sampler/stop/tracee.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "base/error.h"
#include "sampler/stop/seize.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/taskfiles.h"

enum { SYSCALL_STOP = SIGTRAP | 0x80 }; /* PTRACE_O_TRACESYSGOOD */

enum { DUMPED_CORE = 0x80 }; /* WCOREFLAG, which musl's headers lack */

/* The status that waitpid(2) would give. */
static int status_of(const siginfo_t *si)
{
	switch (si->si_code) {
	case CLD_EXITED:
		return si->si_status << 8;
	case CLD_KILLED:
		return si->si_status;
	case CLD_DUMPED:
		return si->si_status | DUMPED_CORE;
	default:
		return si->si_status << 8 | 0x7f;
	}
}

pid_t tracee_look(idtype_t which, pid_t tid, int flags, int *status)
{
	siginfo_t si = { 0 };

	flags |= __WALL | __WNOTHREAD;
	if (waitid(which, (id_t)tid, &si, WSTOPPED | WEXITED | WNOWAIT | flags))
		return -1;
	*status = status_of(&si);
	return si.si_pid;
}

pid_t tracee_event(idtype_t which, pid_t tid, int flags, int *status)
{
	pid_t got = tracee_look(which, tid, flags, status);

	if (got <= 0 || WIFSTOPPED(*status))
		return got;
	return waitpid(got, status, WNOHANG | __WALL | __WNOTHREAD);
}

int tracee_signal(int status)
{
	return status >> 16 ? 0 : WSTOPSIG(status);
}

/* Has it not run since? */
static bool tracee_stands(const struct stood *stood)
{
	struct schedstat now;

	return schedstat_read(stood->schedstat_fd, &now) && now.slices == stood->slices;
}

/* A thread that has not run since cannot have begun to die. */
static bool is_dying(pid_t tid, const struct stood *stood)
{
	return !(stood && tracee_stands(stood)) && thread_is_dying(tid);
}

int tracee_ask(struct tracee *t, const struct stood *stood)
{
	int rc;

	registers_look_ahead(t->tid, &t->regs);
	if (stood && stood->only_there && !tracee_stands(stood))
		return ERR_NOTFOUND;
	rc = seize(t->tid);
	if (rc)
		return rc == -ESRCH ? ERR_GONE : rc == -EINTR ? ERR_BUSY : ERR_PERM;
	if (is_dying(t->tid, stood)) {
		/* It was not dying at its look. It is left alone and runs on until our exit. (A
		 * thread that is not dying now may be interrupted: from the SEIZE on, a signal that
		 * would end it stops it for us first, ptrace_signal() in kernel/signal.c.) */
		t->state = TRACEE_PARKED;
		return ERR_GONE;
	}
	ptrace(PTRACE_INTERRUPT, t->tid, 0, 0); /* ESRCH: it ends, and waitid will say so */
	t->state = TRACEE_ASKED;
	return 0;
}

void tracee_note_stop(struct tracee *t, int status)
{
	t->status = status;
	if (t->state == TRACEE_REENTERING)
		return; /* the registers before the repair may be needed to undo it */
	t->state = TRACEE_STOPPED;
	t->readable = !registers_read(t->tid, &t->regs);
}

/*
 * Is the thread stopped by something that it would not have noticed without us? Then its call must
 * not end because of that. A signal that is ignored is dropped where it is sent, except when the
 * thread is traced (sig_ignored() in kernel/signal.c): then it is queued, cuts the call short and
 * is dropped afterwards. A trap without a signal is our own interruption, or the notice of a
 * SIGCONT that a seized thread gets.
 */
static bool stopped_by_us(const struct tracee *t)
{
	if (t->status >> 16)
		return t->status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(t->status) == SIGTRAP;
	return thread_ignores(t->tid, WSTOPSIG(t->status));
}

/* Has the stop failed a call that is known to have done nothing, so that it may be made again
 * (call_may_be_made_again, sampler/thread/calls.h)? */
static bool can_be_mended(struct tracee *t)
{
	int64_t result = registers_failed_call(&t->regs);
	struct call call;

	if (!result)
		return false;
	registers_call(&t->regs, &call);
	if (!call_may_be_made_again(&call, result, t->process)) {
		t->cut |= result == -EINTR;
		return false;
	}
	t->work_lost |= result != -EINTR;
	return true;
}

/* Sets the registers back, if the thread has not run on since. A leader's number may now belong to
 * another thread, which has executed a program (de_thread() in fs/exec.c): its registers are left
 * alone. */
static void undo_call_again(const struct tracee *t)
{
	struct registers again, now = { 0 };

	registers_call_again(&t->regs, &again);
	if (registers_read(t->tid, &now) == 0 && registers_pc(&now) == registers_pc(&again) &&
	    registers_sp(&now) == registers_sp(&again))
		registers_write(t->tid, &t->regs);
}

/* Decides about a stop of a thread that is entering its call again. At the call's entry it parks. A
 * stop because of us is repaired once more. Any other stop would have failed the call without us,
 * too, and does so now. */
static enum tracee_way decide_amid_repair(const struct tracee *t)
{
	if (WSTOPSIG(t->status) == SYSCALL_STOP)
		return TRACEE_PARKS;
	if (stopped_by_us(t))
		return TRACEE_REENTERS;
	undo_call_again(t);
	return TRACEE_DETACHES;
}

enum tracee_way tracee_decide(struct tracee *t)
{
	struct registers again;

	if (t->state == TRACEE_REENTERING)
		return decide_amid_repair(t);
	if (!t->readable || !stopped_by_us(t) || !can_be_mended(t))
		return TRACEE_DETACHES;
	registers_call_again(&t->regs, &again);
	registers_write(t->tid, &again);
	return TRACEE_REENTERS;
}

bool tracee_go(struct tracee *t, enum tracee_way way)
{
	switch (way) {
	case TRACEE_REENTERS:
		ptrace(PTRACE_SYSCALL, t->tid, 0, 0);
		t->state = TRACEE_REENTERING;
		return true;
	case TRACEE_PARKS:
		ptrace(PTRACE_CONT, t->tid, 0, 0);
		t->state = TRACEE_PARKED;
		return true;
	default:
		if (ptrace(PTRACE_DETACH, t->tid, 0, tracee_signal(t->status)))
			return false;
		t->state = TRACEE_NONE;
		return true;
	}
}
