/* The list is in the order of members and of their threads; seats of those that stay are kept. */
#include "sampler/capture/roster.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/process.h"
#include "base/room.h"
#include "base/smallfile.h"
#include "sampler/account/budget.h"
#include "sampler/member/member.h"
#include "sampler/thread/openfiles.h"
#include "sampler/thread/threads.h"

enum {
	LOOK_COST_NS = 100000, /* fifty times the cost of a look */
	BACK_OFF_NS = 2000000000,
};

static const char *const file_names[SEAT_FILES] = { "schedstat", "stat", "sched", "stack",
						    "syscall" };

/* The list. */

int roster_init(struct roster *r)
{
	memset(r, 0, sizeof(*r));
	r->back_off = 1;
	r->apart_ns = BACK_OFF_NS;
	r->part = BUDGET_ONE;
	r->files_max = openfiles_for_threads();
	return pthread_rwlock_init(&r->lock, NULL) ? ERR_NOMEM : 0;
}

static void roster_close_files(struct roster *r, struct seat *s)
{
	for (int i = 0; i < SEAT_FILES; i++) {
		if (s->fds[i] < 0)
			continue;
		close(s->fds[i]);
		s->fds[i] = -1;
		r->files--;
	}
}

void roster_release(struct roster *r)
{
	for (size_t i = 0; i < r->seat_count; i++)
		roster_close_files(r, &r->seats[i]);
	free(r->benches);
	free(r->seats);
	pthread_rwlock_destroy(&r->lock);
	memset(r, 0, sizeof(*r));
}

void roster_lock(struct roster *r)
{
	pthread_rwlock_wrlock(&r->lock);
}

void roster_unlock(struct roster *r)
{
	pthread_rwlock_unlock(&r->lock);
}

bool roster_try(struct roster *r)
{
	return !pthread_rwlock_tryrdlock(&r->lock);
}

static bool roster_is_of(const struct seat *s, const struct member *m, uint32_t thread)
{
	return s->member == m && s->thread == thread;
}

static bool is_before(const struct seat *s, const struct member *m, uint32_t thread)
{
	return s->member->index < m->index || (s->member == m && s->thread < thread);
}

/* Of very many threads, those that sleep at first get their first look at a random later tick: the
 * first tick is not to look at all of them. */
static void plan_first(struct roster *r, struct seat *s, const struct thread *thread)
{
	uint64_t most = r->back_off, random = s->tid * 0x9e3779b97f4a7c15u;
	struct backoff b = { 0 };

	if (thread->state == 'R' || most == 1)
		return;
	s->due = r->ticks + backoff_first(&b, most, random >> 32);
	s->left_out = (uint32_t)(s->due - r->ticks < most ? most - 1 - (s->due - r->ticks) : 0);
}

/* Seats are in the order of members and threads, and so are the old ones: *old goes along. An old
 * seat whose thread is not met again is given up. */
static void take_seat(struct roster *r, struct seat *to, const struct seat *olds, size_t count,
		      size_t *old, struct member *m, const struct thread *thread)
{
	while (*old < count && is_before(&olds[*old], m, thread->index)) {
		struct seat gone = olds[(*old)++];

		roster_close_files(r, &gone);
	}
	if (*old < count && roster_is_of(&olds[*old], m, thread->index)) {
		*to = olds[(*old)++];
		return;
	}
	*to = (struct seat){ .member = m, .thread = thread->index, .tid = thread->tid };
	for (int i = 0; i < SEAT_FILES; i++)
		to->fds[i] = -1;
	plan_first(r, to, thread);
}

static clockid_t clock_of(const struct member *m)
{
	clockid_t clock;

	return clock_getcpuclockid(m->process.pid, &clock) ? 0 : clock;
}

/* Those that the other source serves need none. */
static bool has_seats(const struct member *m)
{
	return !m->ended && !m->by_events && !member_is_narrow(m);
}

static size_t count_alive(struct member *const *members, size_t count)
{
	size_t alive = 0;

	for (size_t i = 0; i < count; i++)
		if (has_seats(members[i]))
			alive += threads_alive(members[i]->threads);
	return alive;
}

static void fill_bench(struct roster *r, struct bench *b, struct member *m, const struct seat *olds,
		       size_t count, size_t *old)
{
	size_t threads;
	const struct thread *all = threads_get(m->threads, &threads);

	*b = (struct bench){ .member = m, .first = r->seat_count, .clock = clock_of(m) };
	for (size_t i = 0; i < threads; i++)
		if (!all[i].ended)
			take_seat(r, &r->seats[r->seat_count++], olds, count, old, m, &all[i]);
	b->count = r->seat_count - b->first;
}

void roster_pace(struct roster *r, uint64_t apart_ns)
{
	uint64_t cost = r->seat_count * LOOK_COST_NS;

	r->apart_ns = apart_ns;
	r->back_off = (cost < BACK_OFF_NS ? cost : BACK_OFF_NS) / apart_ns + 1;
}

int roster_list(struct roster *r, struct member *const *members, size_t count)
{
	struct seat *olds = r->seats;
	size_t old_count = r->seat_count, old = 0, alive = count_alive(members, count);

	if (room_for((void **)&r->benches, &r->bench_room, count + 1, sizeof(*r->benches)))
		return ERR_NOMEM;
	r->seats = malloc((alive + 1) * sizeof(*r->seats));
	if (!r->seats) {
		r->seats = olds;
		return ERR_NOMEM;
	}
	r->seat_count = alive;
	roster_pace(r, r->apart_ns);
	r->seat_count = r->bench_count = 0;
	for (size_t i = 0; i < count; i++)
		if (has_seats(members[i]))
			fill_bench(r, &r->benches[r->bench_count++], members[i], olds, old_count,
				   &old);
	for (; old < old_count; old++) {
		struct seat gone = olds[old];

		roster_close_files(r, &gone);
	}
	free(olds);
	return 0;
}

/* The files of a thread. */

static int roster_open_file(const struct seat *s, enum seat_file file)
{
	char path[48];

	snprintf(path, sizeof(path), "task/%d/%s", s->tid, file_names[file]);
	return process_openat(&s->member->process, path, O_RDONLY);
}

/* Keeps a descriptor open, unless another ticker has just opened one. False: too many are open. */
static bool keep_file(struct roster *r, struct seat *s, enum seat_file file, int fd)
{
	int none = -1;

	if (r->files >= r->files_max || !atomic_compare_exchange_strong(&s->fds[file], &none, fd))
		return false;
	r->files++;
	return true;
}

ssize_t seat_read(struct roster *r, struct seat *s, enum seat_file file, char *text, size_t room)
{
	int kept = s->fds[file], fd = kept >= 0 ? kept : roster_open_file(s, file);
	ssize_t len = smallfile_text(fd, text, room);

	if (kept < 0 && fd >= 0 && !keep_file(r, s, file, fd))
		close(fd);
	return len;
}

bool seat_counters(struct roster *r, struct seat *seat, struct schedstat *now)
{
	char text[96];
	ssize_t len = seat_read(r, seat, SEAT_SCHEDSTAT, text, sizeof(text));

	return len > 0 && schedstat_parse(text, (size_t)len, now);
}

uint64_t roster_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}
