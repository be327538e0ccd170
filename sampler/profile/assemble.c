/*
 * Passes:
 *   1. mappings: one for each image that a stack touches, the program first,
 *      because pprof names the profile after mapping 1 (locations.c)
 *   2. locations: each distinct code address symbolized once, all addresses of a file
 *      together (announce.c)
 *   3. samples: values are computed by thread, so that their sum is the kernel's account
 *
 * A thread that ran for N ns and was sampled n times has each sample stand for N / n ns, in whole
 * ns that add up to N exactly. (A sample also counts for the ticks and threads that the budget left
 * out.) Threads that ran too little for an account of their own share one. The reason: of a
 * thousand threads that each ran for a sample's time, a third is never caught, and the fraction
 * that is never caught differs between longer and shorter threads. The time that a thread ran
 * decides whether it shares the account, never the number of its samples, which is chance. The time
 * of threads that were never caught goes to a frame named [not sampled], so that totals stay true.
 */
#include "sampler/profile/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/profile.h"
#include "sampler/account/budget.h"
#include "sampler/account/counted.h"
#include "sampler/child/decoding.h"
#include "runtimes/go/labels.h"
#include "sampler/profile/accounts.h"
#include "sampler/profile/locations.h"
#include "sampler/profile/locklabels.h"
#include "sampler/profile/missing.h"
#include "sampler/profile/waitlabels.h"
#include "sampler/recorded/recorded.h"
#include "sampler/thread/syscalls.h"
#include "sampler/thread/threads.h"
#include "sampler/member/member.h"

struct assembly {
	struct recorded *recorded;
	struct profile *profile;
	struct locations places;
	uint32_t *locations; /* of the current stack */
	size_t location_room;
	struct accounts accounts;
	bool several; /* several processes: samples carry the labels of theirs */
	struct locklabels lock_labels;
	struct waitlabels wait_labels;
	uint32_t label_thread, label_tid, label_pid, label_process, label_state, label_syscall,
		label_goid;
};

static const char NOT_SAMPLED[] = "[not sampled]";

enum {
	THREAD_LABELS_MAX = 4,
	LABELS_MAX = 7 + LOCK_LABELS_MAX + WAIT_LABELS_MAX + GO_LABELS_MAX,
	VALUES_MAX = 3
};

/* The main thread of one of several processes has the title of its process. */
static int thread_label(struct assembly *a, const struct member *m, const struct thread *thread,
			uint32_t *id)
{
	if (a->several && *m->title && thread->tid == m->process.pid)
		return profile_text(a->profile, m->title, strlen(m->title), id);
	return profile_string(a->profile, thread_name(thread), id);
}

/* Of a member's thread, or of the member alone if `thread` is NULL. */
static size_t thread_labels(struct assembly *a, const struct member *m, const struct thread *thread,
			    struct profile_label labels[THREAD_LABELS_MAX])
{
	size_t n = 0;

	if (thread) {
		labels[n++] = (struct profile_label){ .key = a->label_thread };
		if (thread_label(a, m, thread, &labels[0].str))
			labels[0].str = 0;
	}
	if (thread && thread->tid)
		labels[n++] = (struct profile_label){ .key = a->label_tid, .num = thread->tid };
	if (!a->several)
		return n;
	labels[n++] = (struct profile_label){ .key = a->label_pid, .num = m->process.pid };
	labels[n++] = (struct profile_label){ .key = a->label_process };
	if (profile_string(a->profile, m->process.comm, &labels[n - 1].str))
		labels[n - 1].str = 0;
	return n;
}

/* A label of the program's own may have the same name as one of ours. Both are kept. */
static int goroutine_labels(struct assembly *a, const struct stack_context *context,
			    struct profile_label *labels, size_t *count)
{
	struct labelling_label l;
	size_t at = 0;

	if (context->goid)
		labels[(*count)++] = (struct profile_label){ .key = a->label_goid,
							     .num = (int64_t)context->goid };
	while (labelling_next(&a->recorded->labelling, context->labels, &at, &l)) {
		struct profile_label *to = &labels[(*count)++];

		*to = (struct profile_label){ .key = 0 };
		if (profile_text(a->profile, l.key, l.key_len, &to->key) ||
		    profile_text(a->profile, l.value, l.value_len, &to->str))
			return ERR_NOMEM;
	}
	return 0;
}

static int entry_labels(struct assembly *a, const struct stackset_entry *e,
			struct profile_label labels[LABELS_MAX], size_t *count)
{
	const struct stack_context *context = &e->context;
	static const char *const states[] = { "running", "runnable", "blocked", "stopped" };
	const struct member *m = a->recorded->members[context->member];
	char text[SYSCALL_NAME_ROOM];

	*count = thread_labels(a, m, member_thread(m, context->thread), labels);
	if (goroutine_labels(a, context, labels, count))
		return ERR_NOMEM;
	if (!a->recorded->wall)
		return 0;
	labels[*count] = (struct profile_label){ .key = a->label_state };
	if (profile_string(a->profile, states[context->state], &labels[*count].str))
		return ERR_NOMEM;
	(*count)++;
	if (context->state != THREAD_BLOCKED || context->syscall < 0)
		return 0;
	labels[*count] = (struct profile_label){ .key = a->label_syscall };
	if (profile_string(a->profile, syscall_name(context->syscall, text),
			   &labels[(*count)++].str))
		return ERR_NOMEM;
	if (waitlabels_add(&a->wait_labels, a->profile, &a->recorded->waits, context->awaited,
			   labels, count))
		return ERR_NOMEM;
	return locklabels_add(&a->lock_labels, &a->places, e, labels, count);
}

/* The CPU time of an entry's samples, in ns: their share of the account. Rounding errors do not add
 * up because each share is the difference of two rounded sums. What is counted instead is in the
 * samples themselves. */
static int64_t assemble_share(struct assembly *a, const struct stackset_entry *e)
{
	struct account *s = accounts_of(&a->accounts, e->context.member, e->context.thread);
	uint64_t upto, ns;

	if (!e->cpu_weight || a->recorded->counted)
		return (int64_t)(e->cpu_weight / BUDGET_ONE);
	s->seen += e->cpu_weight;
	upto = (uint64_t)((unsigned __int128)s->ns * s->seen / s->weight);
	ns = upto - s->given;
	s->given = upto;
	return (int64_t)ns;
}

/* A sample without a stack: the thread was in a call in which it was not stopped. */
static int assemble_add_call(struct assembly *a, const struct stackset_entry *e)
{
	char name[SYSCALL_NAME_ROOM], text[SYSCALL_NAME_ROOM + 2];

	snprintf(text, sizeof(text), "[%s]", syscall_name(e->context.syscall, name));
	return locations_add_named(&a->places, text, &a->locations[0]);
}

static int assemble_add_sample(struct assembly *a, const struct stackset_entry *e)
{
	const struct frame *frames = a->recorded->stacks.frames + e->first;
	struct profile_label labels[LABELS_MAX];
	int64_t values[VALUES_MAX] = { (int64_t)e->samples, assemble_share(a, e),
				       (int64_t)e->wall_ns };
	size_t label_count, count = e->count ? e->count : 1, all = count + e->context.cut;

	if (!values[0] && !values[1] && !values[2])
		return 0; /* no part of it lies in the time that is shown */
	if (room_for((void **)&a->locations, &a->location_room, all, sizeof(*a->locations)))
		return ERR_NOMEM;
	if (!e->count && assemble_add_call(a, e))
		return ERR_NOMEM;
	if (e->context.cut && locations_add_named(&a->places, "[cut]", &a->locations[count]))
		return ERR_NOMEM;
	for (size_t i = 0; i < e->count; i++)
		if (locations_get(&a->places, &frames[i], &a->locations[i]))
			return ERR_NOMEM;
	if (e->count && locations_count_leaf(&a->places, &frames[0], e->samples))
		return ERR_NOMEM;
	if (entry_labels(a, e, labels, &label_count))
		return ERR_NOMEM;
	return profile_add_sample(a->profile, a->locations, all, values, labels, label_count);
}

/* Adds time that the kernel accounted and no sample stands for, as a frame of that name. */
static int assemble_add_unsampled(struct assembly *a, const char *name, const struct member *m,
				  const struct thread *thread, uint64_t cpu_ns, uint64_t wall_ns)
{
	struct profile_label labels[THREAD_LABELS_MAX];
	int64_t values[VALUES_MAX] = { 0, (int64_t)cpu_ns, (int64_t)wall_ns };
	uint32_t id;

	if (!cpu_ns && !wall_ns)
		return 0;
	if (locations_add_named(&a->places, name, &id))
		return ERR_NOMEM;
	return profile_add_sample(a->profile, &id, 1, values, labels,
				  thread_labels(a, m, thread, labels));
}

/* The part of a thread's CPU time that was given to no sample. */
static uint64_t not_given(const struct account *a, uint64_t thread_ns)
{
	return a->ns ? (uint64_t)((unsigned __int128)thread_ns * (a->ns - a->given) / a->ns) : 0;
}

static int add_unsampled_of(struct assembly *a, const struct member *m, const struct thread *thread)
{
	const struct account *account = accounts_of(&a->accounts, m->index, thread->index);
	uint64_t kernel = accounts_kernel_ns(a->recorded, m, thread);
	uint64_t cpu = not_given(account, thread_cpu_here_ns(thread) - kernel), wall = 0;

	if (a->recorded->wall && thread->newest.stack == NO_STACK)
		wall = thread->alive_ns - thread->wall.from;
	return assemble_add_unsampled(a, "[kernel]", m, thread, kernel, 0) ||
	       assemble_add_unsampled(a, NOT_SAMPLED, m, thread, cpu, wall);
}

/* Adds the time of threads that were never caught, and the time by which the process's CPU clock
 * exceeds the sum of its threads. */
static int add_rest_of(struct assembly *a, const struct member *m)
{
	size_t count;
	const struct thread *threads = threads_get(m->threads, &count);

	for (size_t i = 0; i < count; i++)
		if (add_unsampled_of(a, m, &threads[i]))
			return ERR_NOMEM;
	return assemble_add_unsampled(a, NOT_SAMPLED, m, NULL, accounts_beyond_ns(m), 0);
}

static int name_labels(struct assembly *a)
{
	struct profile *p = a->profile;

	if (profile_string(p, "thread", &a->label_thread) ||
	    profile_string(p, "tid", &a->label_tid))
		return ERR_NOMEM;
	if (a->several && (profile_string(p, "pid", &a->label_pid) ||
			   profile_string(p, "process", &a->label_process)))
		return ERR_NOMEM;
	if (a->recorded->goid && profile_string(p, "goid", &a->label_goid))
		return ERR_NOMEM;
	if (a->recorded->wall && (profile_string(p, "state", &a->label_state) ||
				  profile_string(p, "syscall", &a->label_syscall)))
		return ERR_NOMEM;
	if (waitlabels_init(&a->wait_labels, p, &a->recorded->waits))
		return ERR_NOMEM;
	return locklabels_init(&a->lock_labels, &a->places);
}

static int assemble_add_samples(struct assembly *a)
{
	const struct stackset *stacks = &a->recorded->stacks;
	int rc = accounts_open(&a->accounts, a->recorded) || name_labels(a);

	for (uint32_t i = 0; !rc && i < stacks->count; i++)
		rc = assemble_add_sample(a, &stacks->entries[i]);
	for (uint32_t i = 0; !rc && !a->recorded->counted && i < a->recorded->member_count; i++)
		rc = add_rest_of(a, a->recorded->members[i]);
	return rc;
}

static int assemble_add_header(struct assembly *a)
{
	struct profile *p = a->profile;
	const struct counted *counted = a->recorded->counted;
	const char *type = counted ? counted->name : "cpu";
	const char *unit = counted ? "count" : "nanoseconds";

	p->time_nanos = (int64_t)a->recorded->start_real_ns;
	p->duration_nanos = (int64_t)a->recorded->stats.elapsed_ns;
	p->period = counted ? 0 : 1000000000 / (int64_t)a->recorded->rate; /* 0: it varies */
	if (profile_add_type(p, "samples", "count") || profile_add_type(p, type, unit) ||
	    profile_string(p, type, &p->period_type.type) ||
	    profile_string(p, unit, &p->period_type.unit) ||
	    profile_string(p, a->recorded->wall ? "wall" : type, &p->default_type))
		return ERR_NOMEM;
	return a->recorded->wall ? profile_add_type(p, "wall", "nanoseconds") : 0;
}

int assemble(struct recorded *r, const struct assemble_names *names, struct profile *profile,
	     struct error *err)
{
	struct assembly a = { .recorded = r,
			      .profile = profile,
			      .several = r->member_count > 1 || r->children };
	int rc = kernelstack_load(&r->kernel) || assemble_add_header(&a) ||
		 locations_init(&a.places, r, names, profile) || assemble_add_samples(&a) ||
		 locations_tell(&a.places);

	if (!rc && names->missing)
		missing_symbols(&a.places, names->asked_network, names->missing,
				DECODE_MISSING_ROOM);
	locations_release(&a.places);
	free(a.locations);
	accounts_release(&a.accounts);
	return rc ? error_nomem(err) : 0;
}
