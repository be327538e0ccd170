/* Each runtime lists the states of its threads. The lists are read again when a thread is in none,
 * but not sooner than they may have changed, and not more often than their cost allows. */
#include "base/clock.h"
#include "base/process/process.h"
#include "runtimes/interpset.h"

enum { STATES_AGE_NS = 2000000 };

/* The main thread has the process's number. What a child of fork(2) in C (a worker of uWSGI) has
 * recorded is its parent's number, unless libc is asked; the main thread has no successor. */
static void number_main(pid_t own_tid, struct buffer *states)
{
	struct interp_state *s = (struct interp_state *)states->data;

	for (size_t n = states->len / sizeof(*s); n; n--, s++)
		if (s->main || s->libc_tid == own_tid)
			s->own_tid = own_tid;
}

static int read_states(struct interps *i)
{
	uint64_t cpu = thread_cpu_ns();
	pid_t main_tid = process_own_tid(i->process, i->process->pid);
	int rc = 0;

	for (unsigned k = 0; !rc && k < i->set.count; k++) {
		const struct interp_runtime *r = &i->set.at[k];

		i->states[k].len = 0;
		if (!r->gone)
			rc = r->ops->threads(r->rt, &i->live.memory, &i->states[k]);
		number_main(main_tid, &i->states[k]);
	}
	i->reading++;
	i->due_ns = monotonic_ns() + STATES_AGE_NS + (thread_cpu_ns() - cpu) * INTERP_COST_FACTOR;
	return rc;
}

static uint64_t interps_state_of(const struct buffer *states, pid_t own_tid, uint64_t tp)
{
	const struct interp_state *s = (const struct interp_state *)states->data;

	for (size_t n = states->len / sizeof(*s); n; n--, s++)
		if (s->any || (s->own_tid ? s->own_tid == own_tid : tp && s->tp == tp))
			return s->at;
	return 0;
}

/* True if the thread has any. */
static bool take_states(const struct interps *i, pid_t own_tid, struct interp_place *place)
{
	bool any = false;

	for (unsigned k = 0; k < i->set.count; k++) {
		place->states[k] = interps_state_of(&i->states[k], own_tid, place->tp);
		any |= place->states[k] != 0;
	}
	place->reading = i->reading;
	return any;
}

static bool has_state(const struct interps *i, const struct interp_place *place)
{
	for (unsigned k = 0; k < i->set.count; k++)
		if (place->states[k])
			return true;
	return false;
}

int interps_place(struct interps *i, pid_t own_tid, struct interp_place *place)
{
	if (!i->set.count || has_state(i, place))
		return 0;
	if (place->reading != i->reading && take_states(i, own_tid, place))
		return 0;
	if (monotonic_ns() < i->due_ns)
		return 0;
	if (read_states(i))
		return ERR_NOMEM;
	take_states(i, own_tid, place);
	return 0;
}

bool interps_task(struct interps *i, const struct interp_look *look, char *name, size_t room)
{
	const struct interp_runtime *r = &i->set.at[look->task_of];

	if (!look->any || !look->task || !r->ops->task_name)
		return false;
	*name = '\0';
	r->ops->task_name(r->rt, &look->copy.memory, &i->live.memory, look->task, name, room);
	return *name;
}
