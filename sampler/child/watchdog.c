/*
 * The watchdog shares a page with the tracers. Each has a word there, which is odd while a request
 * is out, and changes whenever the tracer makes progress. That costs the tracer a store and no
 * system call. While no thread is held, the watchdog does nothing but sleep and read these words,
 * 333 times a second, or 3 ms after the next tick if all tracers have announced when that is. After
 * 100 ms in which no thread was held, it sleeps on a futex in the page. The tracer wakes it before
 * the next request to stop, so the watchdog never sleeps there while a thread is held. A recording
 * of a busy target wakes it once, one of an idle target a few times a second. /proc is read only
 * when a poll meets a hold.
 *
 * To be in time it is a real-time thread itself, above the tracing thread; a poll takes
 * microseconds. Priorities of ours: 1 the tracing thread and the reader of a hold, 2 the thread
 * that holds all (sampler/stop/hold.c) and one that is helped, 3 the watchdog.
 *
 * Which class helps? An ordinary thread waits for its turn, or its control group has used up its
 * time (cpu.max): real-time priority is above both. A real-time thread waits because its class was
 * throttled (sched_rt_runtime_us), or because ordinary threads that starved have their turn (the
 * kernel's dl_server): as an ordinary thread of nice value -20 it may run. Or it waits for a thread
 * of equal priority: then the second change, to priority 2, helps. A thread that has had half of
 * the time since the last look, or was given a CPU since its class was changed, does not starve.
 * (/proc counts CPU time by the scheduler's ticks, 4 ms at 250 Hz.)
 *
 * Has our owner continued us since the stop that the watchdog ended? The handler of SIGCONT counts
 * the signals of other senders in the page. The watchdog reads that count before it looks for the
 * stop, and a stopped process runs no handler, so it is the count at the stop. While it is still
 * the same, we stop again. The watchdog sends SIGCONT to the main thread, which continues all of
 * them. A second one for the whole process would be dropped, and its sender with it, while one
 * waits to be handled (signal(7), "Standard signals do not queue"): that could be our owner's.
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
 *
 * Rejected: a POSIX timer that sends SIGCONT (it takes no process, but fires whether we are stopped
 * or not, and each SIGCONT cancels a SIGSTOP that is on its way); a thread (it would be stopped
 * with us); PTRACE_O_EXITKILL and the like (they act at our death, when the kernel releases the
 * threads anyhow); waking the watchdog at each hold (a system call more in each sample, which at 99
 * Hz saves nothing); a priority above all others (a machine's own real-time work comes before us).
 */
#include "sampler/child/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/smallfile.h"
#include "sampler/child/bound.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"

enum { HELPED_PRIORITY = 2, OWN_PRIORITY = 3, HELPED_NICE = -20 };

/* The watchdog's descriptors; 2 is sampler's. */
enum { STAT_FD, SAMPLER_FD, TRACER_STAT_FD = 3, TRACER_SCHEDSTAT_FD };

/* One tracer's part of the page. */
struct post {
	_Atomic uint64_t word;
	_Atomic uint64_t rests_until_ns;
	_Atomic pid_t tracer;
	_Atomic unsigned boosted; /* counted by the watchdog */
};

/* Shared with the watchdog. */
struct watchdog_page {
	_Atomic uint32_t asleep;	     /* the watchdog waits here until it is 0 */
	_Atomic unsigned posts;		     /* that are used, from the first on */
	_Atomic unsigned continued, boosted; /* counted by the watchdog */
	_Atomic unsigned owner_continued;    /* counted by the handler of SIGCONT */
	_Atomic unsigned owner_before;	     /* that count at the stop that was ended last */
	struct post at[WATCH_POSTS];
};

struct watchdog {
	struct watchdog_page *page;
	pid_t pid;
	unsigned obeyed; /* how many of page->continued were followed by a stop */
	struct sigaction old_cont;
	struct {
		uint64_t moment; /* counts the tracer's steps forward */
		unsigned boosts; /* how many of its post's `boosted` were seen */
	} of[WATCH_POSTS];
};

/* For the handlers; there is one watchdog at a time in a process. The page serves one after the
 * other and stays mapped: a handler of SIGCONT may still run when its watchdog has ended. */
static struct watchdog_page *own_page;
static volatile sig_atomic_t watched; /* the PID of the process that has mapped it */
static volatile sig_atomic_t watcher; /* the watchdog's PID */

/* Judgement. */

static bool is_held(uint64_t word)
{
	return word & 1;
}

unsigned watch_period_ms(const struct watch *w)
{
	return w->changed ? WATCH_AGAIN_MS : WATCH_POLL_MS;
}

bool watch_poll(struct watch *w, uint64_t word)
{
	bool same = word == w->word, held = is_held(word);
	unsigned passed = watch_period_ms(w);

	w->stands_ms = same && held ? w->stands_ms + passed : 0;
	w->quiet_ms = same && !held ? w->quiet_ms + passed : 0;
	w->word = word;
	if (!w->stands_ms) {
		w->stopped_ms = 0;
		w->changed = false;
	}
	return held;
}

/* Is the tracing thread in that state or, during an older hold, the main thread? The other threads
 * follow the main thread into a stop as soon as they get a CPU, so SIGCONT is due then, too. */
static bool watchdog_is_in(const struct watch *w, const struct sight *s, char state)
{
	return s->tracer == state || (w->stands_ms && s->sampler == state);
}

static bool watchdog_starves(const struct watch *w, const struct sight *s)
{
	if (!w->stands_ms || s->tracer != 'R')
		return false;
	if (w->changed)
		return s->slices == w->slices;
	return s->cpu_ns - w->cpu_ns < WATCH_POLL_MS * NS_PER_MS / 2;
}

enum watch_verdict watch_judge(struct watch *w, const struct sight *s)
{
	bool traced = watchdog_is_in(w, s, 't'), stopped = traced || watchdog_is_in(w, s, 'T'),
	     starved = watchdog_starves(w, s);
	enum watch_verdict verdict = WATCH_ON;

	w->stopped_ms = stopped ? w->stopped_ms + watch_period_ms(w) : 0;
	w->changed = starved;
	w->cpu_ns = s->cpu_ns;
	w->slices = s->slices;
	if (w->stopped_ms > WATCH_STOPPED_MAX || w->stands_ms > WATCH_HUNG_MAX)
		return WATCH_KILL;
	if (stopped && (!traced || w->stopped_ms > WATCH_TRACED_MAX))
		verdict |= WATCH_CONTINUE;
	if (starved)
		verdict |= s->realtime ? WATCH_ORDINARY : WATCH_REALTIME;
	return verdict;
}

/* The watchdog's side. */

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
static void watchdog_look(struct watching *p, unsigned at, struct sight *s)
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
	watchdog_look(p, at, &s);
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

		if (promised <= now || is_held(page->at[i].word))
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

static void watchdog_nap(const struct watching *p)
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
		if (is_held(page->at[i].word))
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
		watchdog_nap(p);
		poll_once(p);
	}
}

/* Our parent thread in sampler has ended, so sleep_until_asked must return. */
static void on_end(int sig)
{
	(void)sig;
	atomic_store(&own_page->asleep, 0);
}

/* No signal but SIGKILL ends us. */
static void watchdog_settle_signals(void)
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
static void become_watchdog(struct watchdog_page *page, pid_t sampler)
{
	const struct sched_param param = { .sched_priority = OWN_PRIORITY };
	static struct watching watching; /* too large for a stack */
	char path[32];
	int stat_fd, sampler_fd;

	watching.page = page;
	watching.sampler = sampler;
	watchdog_settle_signals();
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

/* Our side. */

static void on_continue(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_pid != watcher && watched == getpid())
		own_page->owner_continued++;
}

static int start_process(struct watchdog *w, struct error *err)
{
	struct sigaction sa = { .sa_sigaction = on_continue, .sa_flags = SA_SIGINFO | SA_RESTART };
	pid_t self = getpid();

	w->pid = fork_bound(SIGUSR1);
	if (w->pid < 0)
		return error_errno(err, ERR_IO, "cannot make a process");
	if (!w->pid)
		become_watchdog(w->page, self);
	watcher = w->pid;
	sigaction(SIGCONT, &sa, &w->old_cont);
	return 0;
}

/* The page of a process that has forked us is not ours. */
static int map_page(struct watchdog *w, struct error *err)
{
	struct watchdog_page *page = own_page;

	if (watched != getpid())
		page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	if (page == MAP_FAILED)
		return error_nomem(err);
	memset(page, 0, sizeof(*page));
	page->posts = 1;
	watched = getpid();
	w->page = own_page = page;
	return 0;
}

int watchdog_start(struct watchdog **out, struct error *err)
{
	struct watchdog *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return error_nomem(err);
	rc = map_page(w, err);
	if (!rc)
		rc = start_process(w, err);
	if (rc) {
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
	for (unsigned i = 0; i < w->page->posts; i++)
		watchdog_none_held(w, i);
	kill(w->pid, SIGKILL);
	await_child(w->pid, 0);
	watchdog_obey(w);
	sigaction(SIGCONT, &w->old_cont, NULL);
	free(w);
}

/* The watchdog polls posts from the first to the last that was ever used. */
static void use_post(struct watchdog *w, unsigned at)
{
	unsigned posts = w->page->posts;

	while (posts <= at && !atomic_compare_exchange_weak(&w->page->posts, &posts, at + 1))
		;
}

void watchdog_tracer(struct watchdog *w, unsigned at, pid_t tid)
{
	if (!w)
		return;
	atomic_store(&w->page->at[at].tracer, tid);
	use_post(w, at);
}

void watchdog_rests(struct watchdog *w, unsigned at, uint64_t until_ns)
{
	if (w)
		atomic_store(&w->page->at[at].rests_until_ns, until_ns);
}

void watchdog_held(struct watchdog *w, unsigned at)
{
	if (!w)
		return;
	if (w->page->posts <= at)
		use_post(w, at);
	atomic_store(&w->page->at[at].word, ++w->of[at].moment * 2 + 1);
	if (w->page->asleep) {
		atomic_store(&w->page->asleep, 0);
		syscall(SYS_futex, &w->page->asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

void watchdog_none_held(struct watchdog *w, unsigned at)
{
	if (w)
		atomic_store(&w->page->at[at].word, w->of[at].moment * 2);
}

bool watchdog_has_boosted(struct watchdog *w, unsigned at)
{
	unsigned boosts = w ? w->page->at[at].boosted : 0;
	bool changed = w && boosts != w->of[at].boosts;

	if (changed)
		w->of[at].boosts = boosts;
	return changed;
}

unsigned watchdog_rescues(const struct watchdog *w)
{
	return w ? w->page->continued + w->page->boosted : 0;
}

bool watchdog_wants_stop(const struct watchdog *w)
{
	return w && w->page->continued != w->obeyed &&
	       w->page->owner_continued == w->page->owner_before;
}

void watchdog_obey(struct watchdog *w)
{
	if (!watchdog_wants_stop(w))
		return;
	w->obeyed = w->page->continued;
	kill(getpid(), SIGSTOP);
}

pid_t watchdog_pid(const struct watchdog *w)
{
	return w->pid;
}
