/*
 * What a search costs decides how often ticks may come, and for how long the displaced thread
 * waits. Per file read: the CPU clock of a process 0.15 µs, schedstat 0.5, stat 2, sched 5, and
 * three to five times that where the CPU's caches hold the target's data. So the search goes from
 * the cheap to the dear: a process whose CPU time stands still is passed over; a thread whose CPU
 * time stands still was not on a CPU since it was looked at last. Where one or two remain, their
 * moments are read. Where more do, one that is not in state R, S or D, or was last on another CPU,
 * cannot be it. Only one has our moment.
 *
 * Since the last look, 5 to 10 ms ago, many threads of a server may have run. Then their CPU times
 * are noted a moment before the tick (ticker.c), by a ticker of another CPU. Few have run since
 * then, and one of these it is.
 *
 * Which thread is looked at first, or not at all since another one was found, has no influence on
 * what is found: there is one thread at most. So the ones that were found last come first, and two
 * of them are judged at once: beside 100 threads that wait, one that runs waited 166 µs for each of
 * its samples, mostly for looks at the others. A thread that stays asleep is looked at less and
 * less often, at random moments, and then its sample stands for the ticks without a look
 * (backoff.h).
 *
 * Rejected: a bound instead of equal moments. With 60 µs, threads that had been woken and waited
 * for the CPU were taken (PostgreSQL's epoll_wait: 13.9 % of the samples, 5 % by perf). Also
 * rejected: the threads of the machine by CPU in debugfs, which the kernel takes milliseconds to
 * write.
 */
#include <string.h>

#include "base/clock.h"
#include "sampler/account/budget.h"
#include "sampler/capture/roster.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/threads.h"

/* Has the CPU time grown since the last look? Another ticker may have looked since our tick was
 * due, and so have read what this tick's switch has added: then it counts as grown. */
static bool has_run(_Atomic uint64_t *ran_ns, _Atomic uint64_t *read_ns, uint64_t now_ns,
		    uint64_t due_ns)
{
	bool run = *ran_ns != now_ns || *read_ns >= due_ns;

	*ran_ns = now_ns;
	*read_ns = monotonic_ns();
	return run;
}

/* Plans the seat's next look. Several tickers may do so at a time; the last one's plan holds. What
 * is looked at in each tick is always due: a search that began before this one has yet to look. */
static void plan_look(struct roster *r, struct sought *s, struct seat *seat, uint64_t tick,
		      bool ran)
{
	struct backoff b = { .unmoved = seat->unmoved };
	uint64_t due = backoff_next(&b, tick, !ran, r->back_off, roster_random(&s->random));

	seat->unmoved = b.unmoved;
	seat->left_out = (uint32_t)backoff_left_out(&b, due);
	seat->due = b.last == tick + 1 ? 0 : due;
}

/* A thread that has run since the last look. */
struct roster_candidate {
	struct seat *seat;
	uint64_t weight;
	char state; /* 0: not read */
};

enum { FEW = 2, MANY = 4, AT_ONCE = 2 };

/* A search's own state. */
struct roster_search {
	struct roster *roster;
	struct sought *sought;
	uint64_t tick;
	uint64_t came_ns; /* when we got the CPU; 0: not read yet */
	uint64_t best_ns; /* not bound: when the thread found so far left the CPU */
	struct roster_candidate few[FEW];
	const struct seat *hinted[ROSTER_HINTS];
	unsigned hinted_count, at_once; /* how many more are judged at once */
};

static char living_state(struct roster *r, struct seat *seat, struct thread_stat *now)
{
	char text[512];

	if (seat_read(r, seat, SEAT_STAT, text, sizeof(text)) <= 0 ||
	    !thread_stat_parse(text, now) || !strchr("RSD", now->state) ||
	    now->flags & (THREAD_DYING | THREAD_DUMPS_CORE))
		return 0;
	return now->state;
}

/* Was it on that CPU last? A thread that is about to wait is in state S or D a moment before it
 * leaves the CPU by itself. */
static bool is_at_cpu(struct roster_search *search, struct roster_candidate *c)
{
	struct sought *s = search->sought;
	struct thread_stat now;

	c->state = living_state(search->roster, c->seat, &now);
	return c->state && now.cpu == s->cpu && (s->bound || c->state == 'R');
}

/* When the thread left its CPU, by the run queue's clock. */
static uint64_t left_at(struct roster *r, struct seat *seat)
{
	char text[THREAD_SCHED_ROOM];

	return seat_read(r, seat, SEAT_SCHED, text, sizeof(text)) > 0 ? exec_start_parse(text) : 0;
}

/* To be read soon after we came: the scheduler's tick, 4 ms apart, writes a new time there. */
static uint64_t came_at(struct roster_search *search)
{
	if (!search->came_ns)
		search->came_ns = exec_start_read(search->sought->own_sched_fd);
	return search->came_ns;
}

/* True if the search is over. Where the moments cannot be compared, since we look from elsewhere or
 * the kernel does not tell them, the thread that was put on the CPU last counts. */
static bool roster_judge(struct roster_search *search, struct roster_candidate *c)
{
	struct sought *s = search->sought;
	bool comparable = s->bound && came_at(search);
	uint64_t left;

	if (!comparable && !c->state && !is_at_cpu(search, c))
		return false;
	left = left_at(search->roster, c->seat);
	if (comparable ? left != search->came_ns :
			 c->state != 'R' || (s->seat && left <= search->best_ns))
		return false;
	search->best_ns = left;
	s->seat = c->seat;
	s->weight = c->weight;
	s->state = c->state;
	s->proven = comparable;
	return comparable;
}

static bool judge_at_cpu(struct roster_search *search, struct roster_candidate *c)
{
	return is_at_cpu(search, c) && roster_judge(search, c);
}

/* The first ones wait until it is known whether they remain few, unless a note has seen to it. True
 * if the search is over. */
static bool judge_in_turn(struct roster_search *search, struct roster_candidate c)
{
	unsigned before = search->sought->moved++;

	if (search->sought->noted && before < MANY)
		return roster_judge(search, &c);
	if (search->sought->noted)
		return judge_at_cpu(search, &c);
	if (before < FEW) {
		search->few[before] = c;
		return false;
	}
	for (unsigned i = 0; before == FEW && i < FEW; i++)
		if (judge_at_cpu(search, &search->few[i]))
			return true;
	return judge_at_cpu(search, &c);
}

static void judge_few(struct roster_search *search)
{
	unsigned count = search->sought->noted ? 0 : search->sought->moved;

	for (unsigned i = 0; count <= FEW && i < count; i++)
		if (roster_judge(search, &search->few[i]))
			return;
}

static bool is_chosen(struct roster_search *search)
{
	return (roster_random(&search->sought->random) >> 32) % BUDGET_ONE < search->sought->part;
}

static bool is_due(struct roster_search *search, const struct seat *seat)
{
	return seat->due <= search->tick && is_chosen(search);
}

/* Has the thread run since the last look? `alone`: its process has no other thread, and has run. */
static bool has_moved(struct roster_search *search, struct seat *seat, bool alone)
{
	struct schedstat now;

	return alone ||
	       (seat_counters(search->roster, seat, &now) &&
		has_run(&seat->ran_ns, &seat->read_ns, now.cpu_ns, search->sought->due_ns));
}

/* Ticks for which a look at the seat stands now. If the planned look did not come, its search had
 * found another thread before: the ticks around are accounted for. (On many CPUs the search may
 * also have passed the seat before the look was planned. That loss is not made up for.) */
static uint64_t weight_of(const struct roster_search *search, const struct seat *seat)
{
	return seat->due == search->tick ? 1 + (uint64_t)seat->left_out : 1;
}

/* True if the search is over. */
static bool roster_look_at(struct roster_search *search, struct seat *seat, bool alone)
{
	struct sought *s = search->sought;
	uint64_t weight;
	bool moved;

	if (!is_due(search, seat))
		return false;
	weight = weight_of(search, seat);
	moved = has_moved(search, seat, alone);
	if (s->notes) {
		s->moved += moved;
		return false; /* the search that follows is to see the same threads */
	}
	plan_look(search->roster, s, seat, search->tick, moved);
	if (!moved)
		return false;
	if (!search->at_once)
		return judge_in_turn(search,
				     (struct roster_candidate){ .seat = seat, .weight = weight });
	search->at_once--;
	return roster_judge(search, &(struct roster_candidate){ .seat = seat, .weight = weight });
}

/* A process without a clock is one that has ended: its threads' files say so. */
static bool bench_ran(struct bench *b, uint64_t due_ns)
{
	struct timespec ts;

	if (!b->clock || clock_gettime(b->clock, &ts))
		return false;
	return has_run(&b->ran_ns, &b->read_ns,
		       (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec, due_ns);
}

static bool was_hinted(const struct roster_search *search, const struct seat *seat)
{
	for (unsigned i = 0; i < search->hinted_count; i++)
		if (search->hinted[i] == seat)
			return true;
	return false;
}

static bool look_at_bench(struct roster_search *search, struct bench *b)
{
	size_t at = b->count ? roster_random(&search->sought->random) % b->count : 0;

	if (!b->count || !bench_ran(b, search->sought->due_ns))
		return false;
	for (size_t i = 0; i < b->count; i++) {
		struct seat *seat = &search->roster->seats[b->first + at];

		if (!was_hinted(search, seat) && roster_look_at(search, seat, b->count == 1))
			return true;
		at = at + 1 < b->count ? at + 1 : 0;
	}
	return false;
}

/* True if the search is over. */
static bool look_at_hints(struct roster_search *search)
{
	struct roster *r = search->roster;

	search->at_once = AT_ONCE;
	for (unsigned i = 0; i < ROSTER_HINTS; i++) {
		size_t bench = search->sought->hints[i].bench, at = search->sought->hints[i].seat;
		struct bench *b = &r->benches[bench];
		struct seat *seat = &r->seats[at];

		if (bench >= r->bench_count || at < b->first || at - b->first >= b->count ||
		    was_hinted(search, seat))
			continue;
		search->hinted[search->hinted_count++] = seat;
		/* The clock of a process with many threads costs more than a thread's. */
		if (b->count == 1 && !bench_ran(b, search->sought->due_ns))
			continue;
		if (roster_look_at(search, seat, b->count == 1))
			return true;
	}
	search->at_once = 0;
	return false;
}

/* The found one comes first, the others behind it. */
static void note_hint(const struct roster *r, struct sought *s)
{
	size_t bench = 0, at = (size_t)(s->seat - r->seats), last = 0;

	while (bench + 1 < r->bench_count && r->benches[bench + 1].first <= at)
		bench++;
	while (last + 1 < ROSTER_HINTS && s->hints[last].seat != at)
		last++;
	memmove(&s->hints[1], &s->hints[0], last * sizeof(s->hints[0]));
	s->hints[0].bench = (uint32_t)bench;
	s->hints[0].seat = (uint32_t)at;
}

static void roster_look_at_all(struct roster_search *search)
{
	struct roster *r = search->roster;
	size_t at = r->bench_count ? roster_random(&search->sought->random) % r->bench_count : 0;

	for (size_t i = 0; i < r->bench_count; i++) {
		if (look_at_bench(search, &r->benches[at]))
			return;
		at = at + 1 < r->bench_count ? at + 1 : 0;
	}
}

/* Of the thread that was found. */
static bool roster_read_counters(struct roster_search *search)
{
	struct sought *s = search->sought;
	struct schedstat now;

	if (!s->seat || !seat_counters(search->roster, s->seat, &now))
		return false;
	s->ran_ns = now.cpu_ns;
	s->waited_ns = now.wait_ns;
	s->slices = now.slices;
	return true;
}

void roster_search(struct roster *r, struct sought *s)
{
	struct roster_search search = { .roster = r, .sought = s, .tick = r->ticks++ };

	s->seat = NULL;
	s->proven = false;
	s->moved = 0;
	s->part = r->part;
	if (s->expects)
		came_at(&search);
	if (!look_at_hints(&search)) {
		roster_look_at_all(&search);
		judge_few(&search);
	}
	if (!roster_read_counters(&search))
		s->seat = NULL;
	if (s->seat)
		note_hint(r, s);
}

bool roster_state(struct roster *r, struct sought *s)
{
	struct thread_stat now;

	if (!s->state)
		s->state = living_state(r, s->seat, &now);
	return s->state;
}

unsigned roster_note(struct roster *r)
{
	struct sought notes = { .notes = true, .due_ns = UINT64_MAX, .random = 1, .part = r->part };
	struct roster_search search = { .roster = r, .sought = &notes, .tick = r->ticks };

	roster_look_at_all(&search);
	return notes.moved;
}
