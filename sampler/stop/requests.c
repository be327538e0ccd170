/* Which threads are asked, how many may be, and which take too long. */
#include "sampler/stop/requests.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "base/clock.h"
#include "sampler/stop/awake.h"
#include "sampler/thread/dispositions.h"

enum {
	PATIENT_MAX = 32,     /* requests for threads that need not stop at once */
	RECENT_MAX = 8,	      /* expected at once: few, so that none waits to be served */
	RECENT_NS = 10000000, /* a thread that takes longer sleeps in the kernel or starves */
	GIVE_UP_NS = 1000000000,
	TELL_AGAIN_NS = 10000000,
	VANISH_NS = 5000000, /* a thread that has not stopped by then may be gone unreported */
};

struct request *requests_find(struct requests *all, pid_t tid)
{
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		if (all->at[i].tracee.state != TRACEE_NONE && all->at[i].tracee.tid == tid)
			return &all->at[i];
	return NULL;
}

/* Counts requests for threads that are expected at once and so recent that waiting is worth it. */
static size_t count_recent(const struct requests *all)
{
	uint64_t now = monotonic_ns();
	size_t recent = 0;

	for (size_t i = 0; all->asked && i < REQUESTS_MAX; i++) {
		const struct request *r = &all->at[i];

		if ((r->tracee.state == TRACEE_ASKED || r->tracee.state == TRACEE_REENTERING) &&
		    r->at_once && now - r->asked_ns < RECENT_NS)
			recent++;
	}
	return recent;
}

struct request *requests_unused(struct requests *all, bool at_once)
{
	if (at_once ? count_recent(all) >= RECENT_MAX : all->patient >= PATIENT_MAX)
		return NULL;
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		if (all->at[i].tracee.state == TRACEE_NONE)
			return &all->at[i];
	return NULL;
}

void requests_enter(struct requests *all, const struct request *r)
{
	all->asked++;
	all->patient += !r->at_once;
}

void requests_leave(struct requests *all, const struct request *r)
{
	all->asked--;
	all->patient -= !r->at_once;
}

void requests_remind(struct requests *all, int awake_fd)
{
	uint64_t now = monotonic_ns();

	for (size_t i = 0; all->asked && i < REQUESTS_MAX; i++) {
		struct request *r = &all->at[i];

		if (r->tracee.state != TRACEE_ASKED)
			continue;
		if (r->awake_ns == AWAKE_UNKNOWN)
			r->awake_ns = awake_ns(awake_fd);
		if (now - r->told_ns < TELL_AGAIN_NS)
			continue;
		r->told_ns = now;
		ptrace(PTRACE_INTERRUPT, r->tracee.tid, 0, 0);
	}
}

struct request *requests_vanished(struct requests *all, bool none_left)
{
	uint64_t now = monotonic_ns();

	for (size_t i = 0; i < REQUESTS_MAX; i++) {
		struct request *r = &all->at[i];

		if (r->tracee.state != TRACEE_NONE &&
		    (none_left ||
		     (now - r->asked_ns > VANISH_NS && kill(r->tracee.tid, 0) && errno == ESRCH)))
			return r;
	}
	return NULL;
}

struct request *requests_give_up(struct requests *all)
{
	uint64_t now = monotonic_ns();

	for (size_t i = 0; all->asked && i < REQUESTS_MAX; i++) {
		struct request *r = &all->at[i];

		if (r->tracee.state != TRACEE_ASKED || r->given_up ||
		    now - r->asked_ns < GIVE_UP_NS)
			continue;
		r->given_up = true;
		return r;
	}
	return NULL;
}

bool requests_have_settled(const struct requests *all, unsigned looks)
{
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		if (all->at[i].tracee.state == TRACEE_PARKED &&
		    !thread_has_settled(all->at[i].tracee.tid, looks))
			return false;
	return true;
}
