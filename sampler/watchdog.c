/*
 * The watchdog shares one page with the tracer. A word there is 0 while nobody is
 * asked, else a number that changes whenever the tracer gets on; that costs the
 * tracer a store and no system call. Only when the number stands is /proc read.
 *
 * Who continued us, our owner or the watchdog? The handler of SIGCONT is told, and
 * the last one counts: an owner who continues us while we still prepare to stop
 * again is obeyed.
 *
 * It is out of reach of what stops us: a session of its own against Ctrl-Z and
 * signals to our process group, a name of its own against `kill -STOP $(pidof
 * sampler)`. Not out of reach: a freezer, which freezes a whole control group.
 *
 * Rejected: a POSIX timer that sends SIGCONT (it takes no process, but fires
 * whether we are stopped or not, and each SIGCONT cancels a SIGSTOP that is on its
 * way); a thread (it would be stopped with us); PTRACE_O_EXITKILL and the like
 * (they are about our death, with which the kernel deals well).
 */
#include "sampler/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/privilege.h"

enum { PAGE = 4096, STAT_FD = 0, SAMPLER_FD = 1 };

struct page { /* shared with the watchdog */
	_Atomic uint64_t held;
};

struct watchdog {
	struct page *page;
	pid_t pid;
	uint64_t moment; /* the tracer's count of them */
	struct sigaction old_cont;
};

/* For the handler: there is one watchdog at a time. */
static volatile sig_atomic_t watcher;	     /* its PID */
static volatile sig_atomic_t continued_by_it; /* the last SIGCONT was its */

/* Judgement. */

bool watch_poll(struct watch *w, uint64_t held)
{
	w->stands = held && held == w->held ? w->stands + 1 : 0;
	w->held = held;
	if (!w->stands)
		w->stopped = 0;
	return w->stands;
}

enum watch_verdict watch_judge(struct watch *w, char state)
{
	bool stopped = state == 'T' || state == 't';

	w->stopped = stopped ? w->stopped + 1 : 0;
	if (w->stopped > WATCH_STOPPED_MAX || w->stands > WATCH_HUNG_MAX)
		return WATCH_KILL;
	return stopped ? WATCH_CONTINUE : WATCH_ON;
}

/* The watchdog's side. */

/* The state stands behind the name, which may hold anything. */
static char state_of_sampler(void)
{
	char text[512];
	ssize_t len = pread(STAT_FD, text, sizeof(text) - 1, 0);
	const char *end;

	text[len > 0 ? len : 0] = '\0';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : '?';
}

static void tell_sampler(int sig)
{
	syscall(SYS_pidfd_send_signal, SAMPLER_FD, sig, NULL, 0);
}

static void keep_watch(const struct page *page)
{
	static const struct timespec poll = { 0, 1000000000 / WATCH_POLLS_A_SECOND };
	struct watch w = { 0 };

	for (;;) {
		nanosleep(&poll, NULL);
		if (!watch_poll(&w, page->held))
			continue;
		switch (watch_judge(&w, state_of_sampler())) {
		case WATCH_CONTINUE:
			tell_sampler(SIGCONT);
			break;
		case WATCH_KILL:
			tell_sampler(SIGKILL);
			break;
		default:
			break;
		}
	}
}

/* The name as ps, pidof and killall know it: that of the thread, and the first
 * argument, into which program_invocation_name points. */
static void take_own_name(void)
{
	static const char name[] = "spl-watchdog";
	size_t room = strlen(program_invocation_name);

	prctl(PR_SET_NAME, name);
	memset(program_invocation_name, 0, room);
	memcpy(program_invocation_name, name, room < sizeof(name) ? room : sizeof(name) - 1);
}

static void close_from(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0))
		for (unsigned fd = first; fd < 1024; fd++)
			close((int)fd);
}

/* Nothing is kept but two descriptors: a pipe that only sampler should hold open
 * must not stay open because of us. No signal but SIGKILL ends us. */
static void become_watchdog(const struct page *page, pid_t sampler)
{
	char path[32];
	int stat_fd, sampler_fd;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	privilege_drop_all(); /* it signals a process of its own user only */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != sampler)
		_exit(0);
	setsid();
	take_own_name();
	snprintf(path, sizeof(path), "/proc/%d/stat", sampler);
	stat_fd = fcntl(open(path, O_RDONLY), F_DUPFD, 2);
	sampler_fd = fcntl((int)syscall(SYS_pidfd_open, sampler, 0), F_DUPFD, 2);
	if (stat_fd < 0 || sampler_fd < 0 || dup2(stat_fd, STAT_FD) < 0 ||
	    dup2(sampler_fd, SAMPLER_FD) < 0)
		_exit(1);
	close_from(2);
	if (chdir("/") == 0)
		keep_watch(page);
	_exit(1);
}

/* Our side. */

static void on_continue(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	continued_by_it = info->si_pid == watcher;
}

static int start_process(struct watchdog *w, struct error *err)
{
	struct sigaction sa = { .sa_sigaction = on_continue, .sa_flags = SA_SIGINFO | SA_RESTART };
	pid_t self = getpid();

	w->pid = fork();
	if (w->pid < 0)
		return error_errno(err, ERR_IO, "cannot make a process");
	if (!w->pid)
		become_watchdog(w->page, self);
	watcher = w->pid;
	continued_by_it = false;
	sigaction(SIGCONT, &sa, &w->old_cont);
	return 0;
}

int watchdog_start(struct watchdog **out, struct error *err)
{
	struct watchdog *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return error_set(err, ERR_NOMEM, "out of memory");
	w->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->page == MAP_FAILED) {
		free(w);
		return error_set(err, ERR_NOMEM, "out of memory");
	}
	rc = start_process(w, err);
	if (rc) {
		munmap(w->page, PAGE);
		free(w);
		return rc;
	}
	*out = w;
	return 0;
}

void watchdog_stop(struct watchdog *w)
{
	if (!w)
		return;
	watchdog_free(w);
	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	watchdog_obey(w);
	sigaction(SIGCONT, &w->old_cont, NULL);
	munmap(w->page, PAGE);
	free(w);
}

void watchdog_held(struct watchdog *w)
{
	if (w)
		atomic_store(&w->page->held, ++w->moment);
}

void watchdog_free(struct watchdog *w)
{
	if (w)
		atomic_store(&w->page->held, 0);
}

bool watchdog_wants_stop(const struct watchdog *w)
{
	return w && continued_by_it;
}

void watchdog_obey(struct watchdog *w)
{
	if (!watchdog_wants_stop(w))
		return;
	continued_by_it = false;
	kill(getpid(), SIGSTOP);
}

pid_t watchdog_pid(const struct watchdog *w)
{
	return w->pid;
}
