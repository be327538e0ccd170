/*
 * The watchdog as a process. What it does is judged in watch.c.
 *
 * To be in time it is a real-time thread itself, above the tracing thread; a poll takes
 * microseconds. Priorities of ours: 1 the tracing thread and the reader of a hold, 2 the thread
 * that holds all (sampler/stop/hold.c) and one that is helped, 3 the watchdog.
 *
 * A debugger stops us for a moment again and again (state 't'). That is no wish of our owner's, so
 * a debugger is given more time.
 *
 * When we are killed, the tracing thread needs a CPU to die, too. So the watchdog stays until all
 * of our threads are gone. A signal tells it when its parent thread has ended (PR_SET_PDEATHSIG).
 *
 * What stops us does not reach the watchdog: a session of its own keeps it from Ctrl-Z and signals
 * to our process group, a name of its own from `kill -STOP $(pidof sampler)`. A freezer does reach
 * it, because it freezes a whole control group. Without CAP_SYS_NICE (or RLIMIT_RTPRIO) the
 * watchdog gets a CPU as any process does.
 */
#include "sampler/child/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/smallfile.h"
#include "sampler/child/bound.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"

enum { HELPED_PRIORITY = 2, OWN_PRIORITY = 3, HELPED_NICE = -20 };

/* The watchdog's descriptors; 2 is sampler's. */
enum { STAT_FD, SAMPLER_FD, TRACER_STAT_FD = 3, TRACER_SCHEDSTAT_FD };

/* What the watchdog watches. */
struct watching {
	struct watchdog_page *page;
	pid_t sampler, tracer; /* tracer: its files are open */
	struct watch watch[WATCH_POSTS];
	bool killed; /* sampler, by us, and that was said */
};

/* The state follows the name, which may contain anything. */
static char state_in(int stat_fd)
{
	char text[512];
	const char *end;

	smallfile_text(stat_fd, text, sizeof(text));
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : '?';
}

/* Opens a file of the tracing thread as descriptor `wanted`; if that fails, `wanted` is closed. */
static void open_of_tracer(const struct watching *p, const char *name, int wanted)
{
	char path[64];
	int fd;

	close(wanted);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", p->sampler, p->tracer, name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fd == wanted)
		return;
	dup2(fd, wanted);
	close(fd);
}

/* Looks at the tracing thread or, before there is one, at the main thread. */
static void watcher_look(struct watching *p, unsigned at, struct sight *s)
{
	pid_t tracer = p->page->at[at].tracer ? p->page->at[at].tracer : p->sampler;
	char text[128];

	if (tracer != p->tracer) {
		p->tracer = tracer;
		open_of_tracer(p, "stat", TRACER_STAT_FD);
		open_of_tracer(p, "schedstat", TRACER_SCHEDSTAT_FD);
	}
	s->tracer = state_in(TRACER_STAT_FD);
	s->sampler = state_in(STAT_FD);
	s->cpu_ns = s->slices = 0;
	if (smallfile_text(TRACER_SCHEDSTAT_FD, text, sizeof(text)) > 0)
		sscanf(text, "%lu %*u %lu", &s->cpu_ns, &s->slices);
	s->realtime = has_realtime_class(tracer);
	if (s->tracer == '?')
		p->tracer = 0; /* it has ended, and another may get its number */
}

/* The nice value is set first, so that it applies together with the class. */
static bool set_class(pid_t thread, bool realtime)
{
	struct sched_param param = { .sched_priority = realtime ? HELPED_PRIORITY : 0 };

	if (!realtime)
		setpriority(PRIO_PROCESS, (id_t)thread, HELPED_NICE);
	return !sched_setscheduler(thread, realtime ? SCHED_FIFO : SCHED_OTHER, &param);
}

/* Says so once: else the user would read no more than "Killed". It must not wait for a reader. */
static void kill_sampler(struct watching *p)
{
	static const char why[] =
		"sampler: killed by its watchdog: it was stopped or hung while it "
		"held a thread of the process, which now runs on\n";
	struct pollfd err = { .fd = STDERR_FILENO, .events = POLLOUT };

	syscall(SYS_pidfd_send_signal, SAMPLER_FD, SIGKILL, NULL, 0);
	if (!p->killed && poll(&err, 1, 0) > 0)
		p->killed = write(STDERR_FILENO, why, sizeof(why) - 1) > 0;
}

static void continue_sampler(struct watching *p, unsigned owner_before)
{
	p->page->owner_before = owner_before;
	p->page->continued++;
	syscall(SYS_tgkill, p->sampler, p->sampler, SIGCONT);
}

static void act(struct watching *p, unsigned at, enum watch_verdict verdict, unsigned owner_before)
{
	if (verdict & WATCH_KILL)
		kill_sampler(p);
	if (verdict & WATCH_CONTINUE)
		continue_sampler(p, owner_before);
	if (verdict & (WATCH_REALTIME | WATCH_ORDINARY) &&
	    set_class(p->tracer, verdict & WATCH_REALTIME)) {
		p->page->at[at].boosted++;
		p->page->boosted++;
	}
}

/* Polls one post. If the hold is over by the verdict, nothing is done, whatever was seen. */
static void poll_post(struct watching *p, unsigned at)
{
	uint64_t word = p->page->at[at].word;
	unsigned owner_before = p->page->owner_continued;
	enum watch_verdict verdict;
	struct sight s;

	if (!watch_poll(&p->watch[at], word))
		return;
	watcher_look(p, at, &s);
	verdict = watch_judge(&p->watch[at], &s);
	if (verdict != WATCH_ON && p->page->at[at].word == word)
		act(p, at, verdict, owner_before);
}

static void poll_once(struct watching *p)
{
	for (unsigned i = 0; i < p->page->posts; i++)
		poll_post(p, i);
}

/* The earliest promised time, while no thread is held; else now. A promise is read first and the
 * word after it, so a thread that was asked to stop before the promise was made is seen. */
static uint64_t rests_until(const struct watchdog_page *page, uint64_t now)
{
	uint64_t until = UINT64_MAX;

	for (unsigned i = 0; i < page->posts; i++) {
		uint64_t promised = page->at[i].rests_until_ns;

		if (promised <= now || watch_is_held(page->at[i].word))
			return now;
		until = promised < until ? promised : until;
	}
	return until;
}

static unsigned shortest_period_ms(const struct watching *p)
{
	unsigned ms = WATCH_POLL_MS;

	for (unsigned i = 0; i < p->page->posts; i++)
		ms = watch_period_ms(&p->watch[i]) < ms ? watch_period_ms(&p->watch[i]) : ms;
	return ms;
}

static void watcher_nap(const struct watching *p)
{
	uint64_t from = rests_until(p->page, monotonic_ns());
	struct timespec until = to_timespec(from + shortest_period_ms(p) * NS_PER_MS);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Are we another process's child? Then sampler has ended, or all of its threads are about to. */
static bool is_orphan(const struct watching *p)
{
	return getppid() != p->sampler;
}

static bool is_any_held(const struct watchdog_page *page)
{
	for (unsigned i = 0; i < page->posts; i++)
		if (watch_is_held(page->at[i].word))
			return true;
	return false;
}

/* Each side writes first and reads then, so at least one sees what the other has written. */
static void sleep_until_asked(struct watching *p)
{
	struct watchdog_page *page = p->page;

	atomic_store(&page->asleep, 1);
	while (page->asleep && !is_any_held(page) && !is_orphan(p))
		syscall(SYS_futex, &page->asleep, FUTEX_WAIT, 1, NULL, NULL, 0);
	atomic_store(&page->asleep, 0);
	for (unsigned i = 0; i < page->posts; i++)
		p->watch[i].quiet_ms = 0;
}

static bool is_quiet(const struct watching *p)
{
	for (unsigned i = 0; i < p->page->posts; i++)
		if (p->watch[i].quiet_ms < WATCH_QUIET_MAX)
			return false;
	return true;
}

/* Watches until all threads of sampler are gone: the one that holds may need a CPU to die. */
static void keep_watch(struct watching *p)
{
	struct pollfd sampler = { .fd = SAMPLER_FD, .events = POLLIN };

	while (!is_orphan(p) || poll(&sampler, 1, 0) <= 0) {
		if (is_quiet(p) && !is_orphan(p))
			sleep_until_asked(p);
		watcher_nap(p);
		poll_once(p);
	}
}

static struct watchdog_page *watched_page; /* for on_end */

/* Our parent thread in sampler has ended, so sleep_until_asked must return. */
static void on_end(int sig)
{
	(void)sig;
	atomic_store(&watched_page->asleep, 0);
}

/* No signal but SIGKILL ends us. */
static void watcher_settle_signals(void)
{
	struct sigaction sa = { .sa_handler = on_end };
	sigset_t all;

	sigaction(SIGUSR1, &sa, NULL);
	sigfillset(&all);
	sigdelset(&all, SIGUSR1);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

/* The name as ps, pidof and killall read it: that of the thread, and the first
 * argument, into which program_invocation_name points. */
static void take_own_name(void)
{
	static const char name[] = "spl-watchdog";
	size_t room = strlen(program_invocation_name);

	prctl(PR_SET_NAME, name);
	memset(program_invocation_name, 0, room);
	memcpy(program_invocation_name, name, room < sizeof(name) ? room : sizeof(name) - 1);
}

/* Two descriptors and stderr are kept, and two more are opened while a thread is held: any other
 * pipe that only sampler should hold open must not stay open because of us. */
void watcher_become(struct watchdog_page *page, pid_t sampler)
{
	const struct sched_param param = { .sched_priority = OWN_PRIORITY };
	static struct watching watching; /* too large for a stack */
	char path[32];
	int stat_fd, sampler_fd;

	watching.page = watched_page = page;
	watching.sampler = sampler;
	watcher_settle_signals();
	/* CAP_SYS_NICE is enough: the watchdog signals a process and changes threads of its own
	 * user. */
	privilege_keep_scheduling();
	sched_setscheduler(0, SCHED_FIFO, &param);
	if (is_orphan(&watching))
		_exit(0);
	setsid();
	take_own_name();
	snprintf(path, sizeof(path), "/proc/%d/stat", sampler);
	stat_fd = fcntl(open(path, O_RDONLY), F_DUPFD, 3);
	sampler_fd = fcntl((int)syscall(SYS_pidfd_open, sampler, 0), F_DUPFD, 3);
	if (stat_fd < 0 || sampler_fd < 0 || dup2(stat_fd, STAT_FD) < 0 ||
	    dup2(sampler_fd, SAMPLER_FD) < 0)
		_exit(1);
	close_from(3);
	if (chdir("/") == 0)
		keep_watch(&watching);
	_exit(0);
}
