#include "sampler/child/bound.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t fork_bound(int death)
{
	pid_t self = getpid(), pid;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, death);
	if (getppid() != self)
		_exit(1);
	return 0;
}

void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
