/* The last name that a record told of a thread is kept by its number modulo BRIEF_NAMES; a
 * collision only costs the name of a brief thread. */
#include "sampler/tick/brief.h"

#include <string.h>

#include "sampler/member/member.h"
#include "sampler/thread/threads.h"

static struct brief_name *brief_place_of(struct brief_names *b, pid_t tid)
{
	return &b->of[(unsigned)tid % BRIEF_NAMES];
}

static const char *brief_name_of(struct brief_names *b, const struct member *m, pid_t tid)
{
	const struct brief_name *told = brief_place_of(b, tid);
	const struct thread *listed;

	if (told->tid == tid)
		return told->name;
	listed = threads_find(m->threads, tid);
	return listed ? listed->name : m->process.comm;
}

static void brief_note(struct brief_names *b, pid_t tid, const char *name)
{
	struct brief_name told = { .tid = tid };

	memcpy(told.name, name, strnlen(name, sizeof(told.name) - 1));
	*brief_place_of(b, tid) = told;
}

void brief_take(struct brief_names *b, struct member *m, const struct event *e)
{
	if (e->kind == EVENT_BEGUN && e->pid == e->maker)
		brief_note(b, e->tid, brief_name_of(b, m, e->maker_tid));
	else if (e->kind == EVENT_NAMED)
		brief_note(b, e->tid, e->name);
}

struct thread *brief_thread(struct brief_names *b, struct member *m, pid_t tid)
{
	return threads_brief(m->threads, brief_name_of(b, m, tid));
}
