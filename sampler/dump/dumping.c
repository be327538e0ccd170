/*
 * Life and output of a dump. Tracing threads make the looks, one after the other, because only the
 * exit of the tracing thread releases a repaired thread (sampler/stop/stop.h). The calling thread
 * never traces.
 */
#include "sampler/dump/dumping.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file/outfile.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "base/room.h"
#include "sampler/child/decoding.h"
#include "sampler/child/watchdog.h"
#include "sampler/dump/dumplook.h"
#include "runtimes/interps.h"
#include "sampler/member/member.h"
#include "sampler/member/offspring.h"
#include "sampler/member/reserve.h"
#include "sampler/stop/copier.h"
#include "sampler/stop/reader.h"
#include "unwind/unwinder.h"
#include "symbolize/symbolizer.h"

enum { ENDING_MS = 1000 };

static bool dumping_is_in(const struct dump *d, pid_t pid)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->members[i]->process.pid == pid)
			return true;
	return false;
}

static int dumping_add_process(struct dump *d, pid_t pid, struct error *err)
{
	struct member *m;
	int rc;

	if (room_for((void **)&d->members, &d->member_room, d->count + 1, sizeof(m)) ||
	    room_for_zeros((void **)&d->processes, &d->process_room, d->count + 1,
			   sizeof(*d->processes)))
		return error_nomem(err);
	rc = member_open(&m, pid, d->count ? d->members[0] : NULL, err);
	if (rc)
		return rc;
	rc = d->count ? reserve_keep(m, d->count, err) : 0;
	rc = rc ? rc : process_may_trace(pid, err);
	if (rc) {
		member_close(m);
		return rc;
	}
	m->index = (uint32_t)d->count;
	d->members[d->count] = m;
	d->processes[d->count++].process = &m->process;
	return 0;
}

static int dumping_leave_out(struct dump *d, const struct error *why)
{
	d->left_out = *why;
	d->stats.left_out++;
	return 0;
}

/* All must be there, but descriptors for the first one are enough. */
static int add_given(struct dump *d, pid_t pid, struct error *err)
{
	int rc = dumping_is_in(d, pid) ? 0 : dumping_add_process(d, pid, err);

	return rc == ERR_IO && d->count ? dumping_leave_out(d, err) : rc;
}

/* One that has ended is no loss. */
static int dumping_add_child(struct dump *d, pid_t pid, struct error *err)
{
	int rc = dumping_is_in(d, pid) ? 0 : dumping_add_process(d, pid, err);

	if (!rc || rc == ERR_GONE || rc == ERR_NOMEM)
		return rc == ERR_NOMEM ? rc : 0;
	return dumping_leave_out(d, err);
}

/* Children that are added here have theirs looked for in the same loop. */
static int dumping_add_children(struct dump *d, struct error *err)
{
	pid_t found[OFFSPRING_MAX];
	int rc = 0;

	for (size_t i = 0; !rc && i < d->count; i++) {
		size_t count = offspring_children(&d->members[i]->process, found);

		for (size_t at = 0; !rc && at < count; at++)
			rc = dumping_add_child(d, found[at], err);
	}
	return rc;
}

/* dumplook.c gives up all that a copier may still use. */
static void ignore(const void *args)
{
	(void)args;
}

static const struct copier_loss copy_loss = { ignore, ignore };

static int dumping_init(struct dump *d, const struct dump_wish *wish, struct error *err)
{
	int rc = 0;

	if (unwinder_new(&d->unwinder) || reader_new(&d->reader, NULL) ||
	    copiers_new(&d->copiers, &copy_loss, NULL) || livestack_init(&d->livestack) ||
	    snapshot_init(&d->snapshot, LIVESTACK_PIECE + 256))
		return error_nomem(err);
	d->peers = !wish->no_peers;
	for (size_t i = 0; !rc && i < wish->count; i++)
		rc = add_given(d, wish->pids[i], err);
	if (!rc && wish->children)
		rc = dumping_add_children(d, err);
	if (!rc && interp_names_init(&d->interpreted, d->members[0]->maps))
		rc = error_nomem(err);
	return rc;
}

int dump_new(struct dump **out, const struct dump_wish *wish, struct error *err)
{
	struct dump *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return error_nomem(err);
	rc = dumping_init(d, wish, err);
	if (rc) {
		dump_free(d);
		return rc;
	}
	*out = d;
	return 0;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	reader_free(d->reader);
	copiers_free(d->copiers);
	decoding_free(d->decoding);
	atrest_close(&d->atrest);
	if (d->stuck)
		return;
	stack_release(&d->walk);
	stack_release(&d->merged);
	interp_names_release(&d->interpreted);
	snapshot_release(&d->snapshot);
	livestack_release(&d->livestack);
	unwinder_free(d->unwinder);
	for (size_t i = 0; i < d->count; i++)
		member_close(d->members[i]);
	free(d->members);
	free(d->processes);
	arena_release(&d->arena);
	free(d);
}

/* Lists the threads of all processes. A process that has ended has none. */
static int dumping_list_threads(struct dump *d, struct error *err)
{
	for (size_t i = 0; i < d->count; i++) {
		struct dump_process *p = &d->processes[i];
		int rc = member_start(d->members[i], true, err);
		size_t count = 0;

		if (rc && rc != ERR_GONE)
			return rc;
		p->time_ns = clock_ns(CLOCK_REALTIME);
		if (!rc)
			threads_get(d->members[i]->threads, &count);
		p->threads = arena_alloc(&d->arena, (count + 1) * sizeof(*p->threads));
		if (!p->threads)
			return error_nomem(err);
	}
	return members_settle(d->members, d->count) ? error_nomem(err) : 0;
}

static void *looking_thread(void *dump)
{
	dump_look(dump);
	return NULL;
}

static int dumping_look_at_all(struct dump *d, struct error *err)
{
	int rc = 0;

	while (!rc && !d->error.code && !d->stop && !dump_looked(d)) {
		pthread_t thread;

		rc = pthread_create(&thread, NULL, looking_thread, d);
		if (!rc)
			pthread_join(thread, NULL);
		/* The tracing thread's exit has released the threads that it still had attached. */
		watchdog_none_held(d->watchdog, 0);
		watchdog_obey(d->watchdog);
	}
	if (rc)
		return error_set(err, ERR_IO, "cannot start a thread: %s", strerror(rc));
	if (d->error.code)
		*err = d->error;
	return d->error.code;
}

static int dumping_by_tid(const void *a, const void *b)
{
	pid_t x = ((const struct dump_thread *)a)->tid, y = ((const struct dump_thread *)b)->tid;

	return (x > y) - (x < y);
}

/* One that is ending has no thread to show, and may need a while for its end on a busy machine. */
static bool dumping_goes_on(const struct process *p)
{
	struct pollfd end = { .fd = p->pid_fd, .events = POLLIN };

	return process_alive(p) && poll(&end, 1, ENDING_MS) == 0;
}

static int dumping_conclude(struct dump *d, struct error *err)
{
	size_t threads = 0;
	int rc = 0;

	for (size_t i = 0; i < INTERP_LANGUAGES; i++)
		d->stats.interpreted += d->counts[i].frames;
	for (size_t i = 0; i < d->count; i++) {
		struct dump_process *p = &d->processes[i];

		qsort(p->threads, p->count, sizeof(*p->threads), dumping_by_tid);
		threads += p->count;
	}
	reader_use(d->reader);
	if (!d->stop)
		dump_look_at_locks(d);
	if (!d->stop && dump_look_at_waits(d))
		rc = error_nomem(err);
	reader_use(NULL);
	if (rc)
		return rc;
	if (d->stop)
		return error_set(err, ERR_LIMIT, "interrupted");
	if (threads)
		return 0;
	if (dumping_goes_on(d->processes[0].process))
		return error_set(err, ERR_IO,
				 "no thread of process %d could be read: Too many open files "
				 "(ulimit -n), as a rule",
				 d->processes[0].process->pid);
	return error_set(err, ERR_GONE, "process %d has ended", d->processes[0].process->pid);
}

int dump_take(struct dump *d, struct error *err)
{
	uint64_t start = monotonic_ns();
	int rc;

	reader_use(d->reader);
	rc = dumping_list_threads(d, err);
	reader_use(NULL);

	dump_look_begin(d);
	if (!rc)
		rc = watchdog_start(&d->watchdog, err);
	if (rc)
		return rc;
	rc = dumping_look_at_all(d, err);
	watchdog_stop(d->watchdog);
	d->watchdog = NULL;
	d->stats.elapsed_ns = monotonic_ns() - start;
	return rc ? rc : dumping_conclude(d, err);
}

void dump_stop(struct dump *d)
{
	d->stop = 1;
}

const struct dump_process *dump_processes(const struct dump *d, size_t *count)
{
	*count = d->count;
	return d->processes;
}

bool dump_remark(const struct dump *d, size_t i, char line[INTERP_REMARK])
{
	return interps_remark(d->members[i]->interps, line);
}

const char *dump_left_out(const struct dump *d)
{
	return d->left_out.text;
}

const struct dump_stats *dump_stats(const struct dump *d)
{
	return &d->stats;
}

/* What dump_write passes to the process that decodes. */
struct dumping_job {
	struct dump *d;
	unsigned flags;
	bool no_native;
	struct outfile *file;
	dump_format *format;
	struct symbolizer **symbolizers; /* by process */
};

static int make_symbolizers(struct dumping_job *job)
{
	struct dump *d = job->d;

	job->symbolizers = calloc(d->count, sizeof(struct symbolizer *));
	if (!job->symbolizers)
		return ERR_NOMEM;
	for (size_t i = 0; i < d->count; i++)
		if (member_symbolizer(d->members[i], job->flags, &job->symbolizers[i]) ||
		    decoding_watch(d->decoding, job->symbolizers[i]))
			return ERR_NOMEM;
	return 0;
}

/* Runs in the child. All symbols are looked up before the first byte is written, so that a lookup
 * that kills the child leaves no half of a dump. */
static int dumping_decode(void *ctx, struct decode_result *result, struct error *err)
{
	struct dumping_job *job = ctx;
	struct dump *d = job->d;
	int rc = make_symbolizers(job);

	if (!rc)
		rc = dump_symbolize(d, job->symbolizers);
	if (!rc)
		rc = dump_prove_locks(d, job->symbolizers);
	if (!rc && job->no_native)
		dump_drop_native(d);
	if (!rc)
		decoding_before_writing(d->decoding, job->symbolizers, d->count);
	rc = rc ? error_nomem(err) : job->format(d, job->file, err);
	result->written = job->file->written;
	for (size_t i = 0; job->symbolizers && i < d->count; i++)
		symbolizer_free(job->symbolizers[i]);
	free(job->symbolizers);
	return rc;
}

int dump_write(struct dump *d, unsigned flags, bool no_native, struct outfile *file,
	       dump_format *format, struct error *err)
{
	struct dumping_job job = {
		.d = d, .flags = flags, .no_native = no_native, .file = file, .format = format
	};
	int rc = decoding_new(&d->decoding, d->members[0]->maps, err);

	if (!rc)
		rc = decoding_run(d->decoding, file, dumping_decode, &job, err);
	return rc;
}

const char *dump_warning(const struct dump *d, size_t i)
{
	return d->decoding ? decoding_warning(d->decoding, i) : NULL;
}

const struct unwinder *dump_unwinder(const struct dump *d)
{
	return d->unwinder;
}

struct image *const *dump_images(const struct dump *d, size_t *count)
{
	return modmap_images(d->members[0]->maps, count);
}

const char *dump_symbol_note(const struct dump *d, const struct image *image)
{
	return d->decoding ? decoding_note(d->decoding, image) : NULL;
}
