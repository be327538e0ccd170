/* Members are found by their PID through a hash index, and those that live are listed apart, since
 * a round of many workers has many that have ended. */
#include "sampler/recorded/recorded.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "sampler/member/member.h"
#include "sampler/member/reserve.h"
#include "sampler/thread/threads.h"

static bool recorded_runs(const struct member *m)
{
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);
	bool runs = false;

	for (size_t i = 0; i < count; i++)
		runs |= threads[i].state == 'R';
	return runs;
}

int recorded_start_member(const struct recorded *r, struct member *m, bool old, struct error *err)
{
	int rc = member_begin(m, old, err);

	return rc || (r->late && !(old && recorded_runs(m))) ? rc : member_read(m, err);
}

static bool recorded_has_pid(const void *owner, uint32_t id, const void *key)
{
	const struct recorded *r = owner;

	return id < r->member_count && !r->members[id]->ended &&
	       r->members[id]->process.pid == *(const pid_t *)key;
}

struct member *recorded_member(const struct recorded *r, pid_t pid)
{
	uint32_t at = hashindex_find(&r->by_pid, hash_bytes(&pid, sizeof(pid)), recorded_has_pid, r,
				     &pid);

	return at == HASHINDEX_NONE ? NULL : r->members[at];
}

int recorded_add_member(struct recorded *r, pid_t pid, struct member **m, struct error *err)
{
	int rc;

	if (room_for((void **)&r->members, &r->member_room, r->member_count + 1u,
		     sizeof(struct member *)) ||
	    room_for((void **)&r->living, &r->living_room, r->living_count + 1u,
		     sizeof(struct member *)) ||
	    hashindex_reserve(&r->by_pid, 1))
		return error_nomem(err);
	rc = member_open(m, pid, r->member_count ? r->members[0] : NULL, err);
	if (rc)
		return rc;
	if (!recorded_member(r, pid))
		hashindex_add(&r->by_pid, hash_bytes(&pid, sizeof(pid)), r->member_count);
	(*m)->index = r->member_count;
	r->members[r->member_count++] = r->living[r->living_count++] = *m;
	return 0;
}

void recorded_drop_member(struct recorded *r)
{
	member_close(r->members[--r->member_count]);
	r->living_count--;
}

void recorded_sweep(struct recorded *r)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->living_count; i++)
		if (!r->living[i]->ended)
			r->living[kept++] = r->living[i];
		else if (r->living[i]->by_events) /* no ticker may be at work on it */
			member_let_go(r->living[i]);
	r->living_count = kept;
}

/* What was lacking may be there the next time. */
int recorded_note_lacking(struct recorded *r, pid_t pid, const struct error *err)
{
	bool lacks = err->code && err->code != ERR_GONE && err->code != ERR_PERM;

	pidset_remove(&r->lacking, pid);
	if (err->code == ERR_NOMEM || (lacks && pidset_add(&r->lacking, pid)))
		return ERR_NOMEM;
	if (lacks)
		snprintf(r->stats.why_lacking, sizeof(r->stats.why_lacking), "%.159s", err->text);
	r->stats.lacking = r->lacking.count;
	return 0;
}

/* The first one must be there. */
static int recorded_open_process(struct recorded *r, pid_t pid, struct error *err)
{
	struct error why = { 0 };
	struct member *m;
	int rc = recorded_add_member(r, pid, &m, &why);

	if (!rc && r->member_count > 1) {
		rc = reserve_keep(m, r->member_count, &why);
		if (rc)
			recorded_drop_member(r);
	}
	if (rc == ERR_IO && r->member_count)
		return recorded_note_lacking(r, pid, &why) ? error_nomem(err) : 0;
	return rc ? error_set(err, rc, "%s", why.text) : 0;
}

int recorded_init(struct recorded *r, const pid_t *pids, size_t count,
		  const struct recording_options *options, struct error *err)
{
	int rc = 0;

	r->rate = options->rate;
	r->wall = options->wall;
	r->counted = options->counted;
	r->children = options->children;
	r->goid = options->goid;
	r->command = options->command != NULL;
	pthread_mutex_init(&r->lock, NULL);
	for (size_t i = 0; !rc && i < count; i++)
		rc = recorded_open_process(r, pids[i], err);
	if (rc)
		return rc;
	if (labelling_init(&r->labelling) ||
	    interp_names_init(&r->interpreted, r->members[0]->maps) ||
	    (options->wall && waitset_init(&r->waits, !options->no_peers)) ||
	    (options->kernel && kernelstack_init(&r->kernel, r->members[0]->maps)))
		return error_nomem(err);
	return 0;
}

void recorded_publish_stats(struct recorded *r)
{
	pthread_mutex_lock(&r->lock);
	r->published = r->stats;
	pthread_mutex_unlock(&r->lock);
}

void recorded_read_stats(struct recorded *r, struct recording_stats *stats)
{
	pthread_mutex_lock(&r->lock);
	*stats = r->published;
	pthread_mutex_unlock(&r->lock);
}

void recorded_release(struct recorded *r)
{
	kernelstack_release(&r->kernel);
	interp_names_release(&r->interpreted);
	labelling_release(&r->labelling);
	stackset_release(&r->stacks);
	lockset_release(&r->locks);
	waitset_release(&r->waits);
	free(r->waiting.times);
	ledger_release(&r->ledger);
	for (uint32_t i = 0; i < r->member_count; i++)
		member_close(r->members[i]);
	free(r->members);
	free(r->living);
	hashindex_release(&r->by_pid);
	pidset_release(&r->lacking);
	pidset_release(&r->narrow);
	pthread_mutex_destroy(&r->lock);
}
