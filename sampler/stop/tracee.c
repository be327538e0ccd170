#include "sampler/stop/tracee.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "sampler/thread/calls.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/registers.h"
#include "sampler/thread/threads.h"

enum { SYSCALL_STOP = SIGTRAP | 0x80 }; /* PTRACE_O_TRACESYSGOOD */

/* The status that waitpid(2) would give. */
static int status_of(const siginfo_t *si)
{
	switch (si->si_code) {
	case CLD_EXITED:
		return si->si_status << 8;
	case CLD_KILLED:
		return si->si_status;
	case CLD_DUMPED:
		return si->si_status | WCOREFLAG;
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

bool tracee_stopped_by_us(pid_t tid, int status)
{
	if (status >> 16)
		return status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
	return thread_ignores(tid, WSTOPSIG(status));
}

bool tracee_enters_call(int status)
{
	return WSTOPSIG(status) == SYSCALL_STOP;
}

int tracee_signal(int status)
{
	return status >> 16 ? 0 : WSTOPSIG(status);
}

bool tracee_call_may_be_made_again(const struct registers *regs, int64_t result,
				   const struct process *process)
{
	struct call call;

	registers_call(regs, &call);
	return call_may_be_made_again(&call, result, process);
}

void tracee_call_again(pid_t tid, const struct registers *regs)
{
	struct registers again;

	registers_call_again(regs, &again);
	registers_write(tid, &again);
}

void tracee_undo_call_again(pid_t tid, const struct registers *regs)
{
	struct registers again, now = { 0 };

	registers_call_again(regs, &again);
	if (registers_read(tid, &now) == 0 && registers_pc(&now) == registers_pc(&again) &&
	    registers_sp(&now) == registers_sp(&again))
		registers_write(tid, regs);
}
