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
 * Has our owner continued us since the stop that the watchdog ended? The handler of SIGCONT counts
 * the signals of other senders in the page. The watchdog reads that count before it looks for the
 * stop, and a stopped process runs no handler, so it is the count at the stop. While it is still
 * the same, we stop again. The watchdog sends SIGCONT to the main thread, which continues all of
 * them. A second one for the whole process would be dropped, and its sender with it, while one
 * waits to be handled (signal(7), "Standard signals do not queue"): that could be our owner's.
 *
 * Rejected: a POSIX timer that sends SIGCONT (it takes no process, but fires whether we are stopped
 * or not, and each SIGCONT cancels a SIGSTOP that is on its way); a thread (it would be stopped
 * with us); PTRACE_O_EXITKILL and the like (they act at our death, when the kernel releases the
 * threads anyhow); waking the watchdog at each hold (a system call more in each sample, which at 99
 * Hz saves nothing); a priority above all others (a machine's own real-time work comes before us).
 */
#include "sampler/child/watchdog.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/child/bound.h"
#include "sampler/child/watcher.h"

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

/* For the handler; there is one watchdog at a time in a process. The page serves one after the
 * other and stays mapped: a handler of SIGCONT may still run when its watchdog has ended. */
static struct watchdog_page *own_page;
static volatile sig_atomic_t watched; /* the PID of the process that has mapped it */
static volatile sig_atomic_t watcher; /* the watchdog's PID */

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
		watcher_become(w->page, self);
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
