#include "rounds/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/privilege.h"

enum { OUT = 3 };

struct start {
	void (*work)(void *ctx, int out);
	void *ctx;
	unsigned cpu_s;
	pid_t parent;
};

/* Our parent's handlers are not ours. The terminal's and a service manager's signals reach all
 * of us, but when to end is for it to say. */
static void set_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2,
				       SIGALRM, SIGWINCH };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_bounds(unsigned cpu_s)
{
	struct rlimit cpu = { cpu_s, cpu_s }, none = { 0, 0 };

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
}

/* What a library says is not for the terminal. */
static void keep_one(int out)
{
	int high = fcntl(out, F_DUPFD, OUT + 1), null = open("/dev/null", O_RDWR);

	if (high < 0 || null < 0)
		_exit(1);
	for (int i = 0; i < OUT; i++)
		dup2(null, i);
	dup2(high, OUT);
	close_range(OUT + 1, ~0u, 0);
}

static void run(const struct start *s, int out)
{
	privilege_drop_all();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent)
		_exit(1);
	keep_one(out);
	set_bounds(s->cpu_s);
	set_signals();
	s->work(s->ctx, OUT);
	_exit(0);
}

int errand_start(struct errand *e, void (*work)(void *ctx, int out), void *ctx, unsigned cpu_s,
		 struct error *err)
{
	const struct start s = { work, ctx, cpu_s, getpid() };
	sigset_t all, before;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return error_errno(err, ERR_IO, "cannot make a pipe");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	sigfillset(&all); /* a signal that came now would be handled as ours */
	sigprocmask(SIG_SETMASK, &all, &before);
	e->pid = fork();
	if (!e->pid)
		run(&s, ends[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
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
		while (waitpid(e->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (e->pipe >= 0)
		close(e->pipe);
	e->pid = 0;
	e->pipe = -1;
	return status;
}
