#include "sampler/tracee.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "sampler/dispositions.h"
#include "sampler/registers.h"

enum { SYSCALL_STOP = SIGTRAP | 0x80 }; /* PTRACE_O_TRACESYSGOOD */

pid_t tracee_event(idtype_t which, pid_t tid, int flags, int *status)
{
	siginfo_t si = { 0 };

	flags |= __WALL | __WNOTHREAD;
	if (waitid(which, (id_t)tid, &si, WSTOPPED | WEXITED | WNOWAIT | flags))
		return -1;
	if (!si.si_pid || (si.si_code != CLD_TRAPPED && si.si_code != CLD_STOPPED))
		return waitpid(si.si_pid ? si.si_pid : which == P_PID ? tid : -1, status,
			       WNOHANG | flags);
	*status = si.si_status << 8 | 0x7f;
	return si.si_pid;
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

void tracee_call_again(pid_t tid, const struct registers *regs)
{
	struct registers again;

	registers_call_again(regs, &again);
	registers_write(tid, &again);
}
