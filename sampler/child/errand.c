/* The child drops what it does not need in a fixed order: privileges, the right to gain new ones,
 * descriptors, resource limits, signals. */
#include "sampler/child/errand.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"
#include "sampler/child/bound.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"

/* Replaces the handlers inherited from the parent. Ignoring a signal also drops a pending one. */
static void errand_settle_signals(void (*term)(int sig))
{
	static const int ignored[] = { SIGINT,	SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
				       SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		if (ignored[i] != SIGTERM || !term)
			signal(ignored[i], SIG_IGN);
	if (term)
		sigaction(SIGTERM,
			  &(struct sigaction){ .sa_handler = term, .sa_flags = SA_RESTART }, NULL);
	signal(SIGCHLD, SIG_DFL);
}

/* Keeps `fds`, numbered from 3, and closes all others. 0 to 2 become /dev/null, since output of
 * libraries is not for the terminal; so `fds` are moved out of the way first. */
static void keep_fds(int *const fds[ERRAND_FDS])
{
	int null = open_null(), next = 3;

	for (int i = 0; i < ERRAND_FDS && fds[i]; i++)
		if (*fds[i] >= 0 && (*fds[i] = fcntl(*fds[i], F_DUPFD, 3 + ERRAND_FDS)) < 0)
			_exit(1);
	for (int i = 0; i < 3; i++)
		if (null < 0 || dup2(null, i) < 0)
			_exit(1);
	for (int i = 0; i < ERRAND_FDS && fds[i]; i++)
		if (*fds[i] >= 0 && (*fds[i] = dup2(*fds[i], next++)) < 0)
			_exit(1);
	close_from((unsigned)next);
}

void errand_settle(const struct errand_bounds *b)
{
	calm(0);
	if (b->tracing)
		privilege_keep_tracing(b->holding);
	else
		privilege_drop_all();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	keep_fds(b->fds);
	setrlimit(RLIMIT_CPU, &(struct rlimit){ b->cpu_s, b->cpu_s });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ b->file_bytes, b->file_bytes });
	errand_settle_signals(b->term);
}

int errand_start(struct errand *e, void (*work)(void *ctx, int out), void *ctx, unsigned cpu_s,
		 struct error *err)
{
	int ends[2];
	const struct errand_bounds bounds = { .fds = { &ends[1] }, .cpu_s = cpu_s };

	if (pipe2(ends, O_CLOEXEC))
		return error_errno(err, ERR_IO, "cannot make a pipe");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	e->pid = fork_bound(SIGKILL);
	if (!e->pid) {
		errand_settle(&bounds);
		unblock_signals();
		work(ctx, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	e->pipe = ends[0];
	if (e->pid > 0)
		return 0;
	e->pid = 0;
	close(ends[0]);
	e->pipe = -1;
	return error_errno(err, ERR_IO, "cannot make a process");
}

int errand_end(struct errand *e)
{
	int status = 0;

	if (e->pid) {
		kill(e->pid, SIGKILL);
		status = await_child(e->pid, 0);
	}
	descriptor_close(&e->pipe);
	e->pid = 0;
	return status;
}
