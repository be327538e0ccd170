/* The child sets PR_SET_PDEATHSIG (prctl(2)) and then compares its parent, which may have ended
 * before that. Signals are blocked until the child has handlers of its own. */
#include "sampler/child/bound.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLOSE_RANGE = 436 }; /* SYS_close_range, which headers before Linux 5.9 lack */

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

int await_child(pid_t pid, int flags)
{
	int status = 0;

	while (waitpid(pid, &status, flags) < 0 && errno == EINTR)
		;
	return status;
}

void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void close_from(unsigned first)
{
	if (syscall(CLOSE_RANGE, first, ~0u, 0))
		for (unsigned fd = first; fd < 1024; fd++)
			close((int)fd);
}

int open_null(void)
{
	int fd = open("/dev/null", O_RDWR);

	return fd >= 0 ? fd : memfd_create("null", 0);
}
