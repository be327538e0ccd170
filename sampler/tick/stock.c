/* What the processes of a round have used so far, and its last figures. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "runtimes/interps.h"
#include "sampler/child/watchdog.h"
#include "sampler/member/member.h"
#include "sampler/stop/reader.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/round.h"
#include "sampler/tick/waiting.h"
#include "sampler/tick/walltime.h"

enum {
	/* From one sum of what was used to the next, but in a thousandth of the time at most. */
	STOCK_NS = 250000000,
	STOCK_COST_FACTOR = 1000,
	TITLE_SOON_NS = 250000000, /* a process is given its title soon after its fork */
	TITLE_NS = 10000000000,	   /* from one reading of it to the next */
};

/* `w` is NULL at the end, when the watchdog has ended. */
static void take_stock(struct recorded *r, const struct watchdog *w, uint64_t now)
{
	struct recording_stats *s = &r->stats;
	size_t seen;

	s->elapsed_ns = now - r->start_ns;
	s->stacks = r->stacks.count;
	s->processes = r->member_count;
	s->kernel_refused = r->kernel.refused;
	if (w)
		s->rescues = watchdog_rescues(w);
	s->threads_alive = s->threads_seen = s->target_cpu_ns = 0;
	s->narrow = r->narrow.count;
	for (uint32_t i = 0; i < r->member_count; i++) {
		struct member *m = r->members[i];

		if (!m->ended)
			member_read_cpu(m);
		threads_get(m->threads, &seen);
		if (seen <
		    m->threads_first + m->news.begun) /* some ended before they were listed */
			seen = m->threads_first + m->news.begun;
		s->narrow += member_is_narrow(m);
		s->threads_alive += threads_alive(m->threads);
		s->threads_seen += seen;
		s->target_cpu_ns += m->cpu_ns;
	}
}

/* One process alone needs none. One that has taken it back keeps the last. */
static void read_title(const struct recorded *r, struct member *m)
{
	char title[TITLE_ROOM];

	if (r->member_count < 2 || m->ended)
		return;
	title_read(&m->process, title);
	if (*title)
		memcpy(m->title, title, sizeof(title));
}

static void read_titles_in_time(const struct recorded *r, uint64_t now)
{
	if (r->member_count < 2)
		return;
	for (uint32_t i = 0; i < r->living_count; i++) {
		struct member *m = r->living[i];

		if (!m->title_due_ns) {
			m->title_due_ns = now + TITLE_SOON_NS;
		} else if (now >= m->title_due_ns) {
			m->title_due_ns = now + TITLE_NS;
			read_title(r, m);
		}
	}
}

void round_take_stock(struct round *r)
{
	uint64_t cost;

	read_titles_in_time(&r->recorded, r->plan.tick_ns);
	cost = thread_cpu_ns();
	take_stock(&r->recorded, r->watchdog, monotonic_ns());
	r->recorded.stats.no_realtime = !tickers_are_realtime(&r->tickers,
							      &r->recorded.stats.cpus_refused);
	cost = (thread_cpu_ns() - cost) * STOCK_COST_FACTOR;
	r->plan.stock_due_ns = r->plan.tick_ns + (cost > STOCK_NS ? cost : STOCK_NS);
}

static void finish_member(struct recorded *r, struct member *m, uint64_t now)
{
	size_t count = 0;
	struct thread *threads = threads_get(m->threads, &count);

	/* A process that executes a program has the new address space before it has the new name
	 * (begin_new_exec() in fs/exec.c), so a name that was read then may be the old one. */
	process_read_comm(&m->process);
	for (size_t i = 0; i < count; i++) {
		if (thread_look(m->threads, &threads[i]) != LOOK_ENDED)
			r->stats.threads_stopped += threads[i].state == 'T' ||
						    threads[i].state == 't';
		walltime_finish(r, &threads[i], now);
		r->stats.starved_ns += threads[i].wait_ns - threads[i].wait_first;
		r->stats.realtime_target |= !m->by_events && threads[i].realtime &&
					    thread_cpu_here_ns(&threads[i]);
	}
	if (!m->ended)
		member_read_cpu(m);
	member_add_up_cpu(m);
	read_title(r, m);
}

static void note_remark(struct recorded *r)
{
	char *line = r->stats.interpreters;

	for (uint32_t i = 0; i < r->member_count && !*line; i++)
		interps_remark(r->members[i]->interps, line);
	for (uint32_t i = 0; r->counted && i < r->member_count && !*line; i++)
		if (interps_beside(r->members[i]->interps))
			snprintf(
				line, sizeof(r->stats.interpreters),
				"the interpreter's functions are not shown: what the kernel copies "
				"at an event is the machine's stack");
}

void round_finish(struct round *round)
{
	struct recorded *r = &round->recorded;
	struct recording_stats *s = &r->stats;
	uint64_t now = monotonic_ns();

	reader_use(round->reader);
	for (uint32_t i = 0; i < r->member_count; i++)
		finish_member(r, r->members[i], now);
	if (waiting_settle(r, round->plan.tick_ns))
		round->end = RECORDING_LOST;
	take_stock(r, round->watchdog, now);
	if (s->samples && !member_is_read(r->members[0])) /* the profile shows its program */
		member_read(r->members[0], NULL);
	ledger_guesses(&r->ledger, r->members[0]->maps, &s->guesses);
	note_remark(r);
	if (s->ticks_due < s->ticks)
		s->ticks_due = s->ticks;
	s->end = round->end;
	s->own_stuck = reader_stuck(round->reader);
	reader_use(NULL);
	recorded_publish_stats(r);
}
