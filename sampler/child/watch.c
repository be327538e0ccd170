/*
 * The watchdog's judgement, without a look at a process.
 *
 * Which class helps? An ordinary thread waits for its turn, or its control group has used up its
 * time (cpu.max): real-time priority is above both. A real-time thread waits because its class was
 * throttled (sched_rt_runtime_us), or because ordinary threads that starved have their turn (the
 * kernel's dl_server): as an ordinary thread of nice value -20 it may run. Or it waits for a thread
 * of equal priority: then the second change, to priority 2, helps. A thread that has had half of
 * the time since the last look, or was given a CPU since its class was changed, does not starve.
 * (/proc counts CPU time by the scheduler's ticks, 4 ms at 250 Hz.)
 */
#include "sampler/child/watch.h"

#include "base/clock.h"

bool watch_is_held(uint64_t word)
{
	return word & 1;
}

unsigned watch_period_ms(const struct watch *w)
{
	return w->changed ? WATCH_AGAIN_MS : WATCH_POLL_MS;
}

bool watch_poll(struct watch *w, uint64_t word)
{
	bool same = word == w->word, held = watch_is_held(word);
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
static bool watch_is_in(const struct watch *w, const struct sight *s, char state)
{
	return s->tracer == state || (w->stands_ms && s->sampler == state);
}

static bool watch_starves(const struct watch *w, const struct sight *s)
{
	if (!w->stands_ms || s->tracer != 'R')
		return false;
	if (w->changed)
		return s->slices == w->slices;
	return s->cpu_ns - w->cpu_ns < WATCH_POLL_MS * NS_PER_MS / 2;
}

enum watch_verdict watch_judge(struct watch *w, const struct sight *s)
{
	bool traced = watch_is_in(w, s, 't'), stopped = traced || watch_is_in(w, s, 'T'),
	     starved = watch_starves(w, s);
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
