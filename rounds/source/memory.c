/*
 * A process's memory as a source, read by runtimes/go/profile/.
 *
 * Each of our collecting processes opens the target anew at its first call: maps, modules and
 * addresses are then up to date, whatever was loaded since, and after an exec they are those of
 * the new program. It costs some ten milliseconds of CPU. Rejected: opening it once, in the
 * process that runs the rounds, which would then parse untrusted ELF files, and keep their
 * contents for months.
 *
 * process_vm_readv(2) identifies a process by its number only. So the process is checked after the
 * read: if its pidfd shows that it still exists, it has had its number all the time. If it executed
 * another program meanwhile, the profile may mix tables of two programs. That is checked too, and
 * the profile is rejected.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"
#include "runtimes/go/profile/make.h"
#include "runtimes/go/profile/waits.h"
#include "runtimes/go/session/session.h"
#include "rounds/metrics/subject.h"
#include "rounds/source/capture.h"
#include "rounds/source/heldread.h"
#include "rounds/source/heldset.h"
#include "rounds/source/memory.h"
#include "rounds/source/handover.h"
#include "rounds/source/sourceops.h"

static const uint64_t USUAL_TIMEOUT_NS = 60 * NS_PER_S;
static const size_t USUAL_BYTES = 256 << 20;

struct source_memory_reader {
	struct source source;
	struct source_options options;
	struct process *process; /* not owned; pid 0: none */
	struct process no_process;
	struct goprofile *go;		/* NULL: not opened */
	struct subject_program program; /* the program that `go` was opened for */
	struct error failed;		/* why opening failed */
	struct handover handover;	/* of earlier rounds; and what is new for the next */
	char held[200];			/* heldread_make's words on the last read */
	struct heldset together;	/* read in one hold, not yet taken */
	struct source_remark heldset_remark;
	char heldset_held[200];
};

static struct source_memory_reader *reader_of(struct source *s)
{
	return (struct source_memory_reader *)s;
}

static int gone(const struct source_memory_reader *r, const char *when, struct error *err)
{
	return error_set(err, ERR_GONE, "process %d %s", r->process->pid, when);
}

/* Opening. */

/* Opens once: a failure is kept, not retried for each profile. */
static int have_go(struct source_memory_reader *r, struct error *err)
{
	struct goprofile_options o = { .max_goroutines = r->options.max_goroutines_wait };

	if (!r->failed.code && !r->go) {
		r->program = subject_program_of(r->process);
		o.frequency = handover_frequency(&r->handover, &r->program);
		if (r->process->pid)
			goprofile_new(&r->go, r->process, &o, &r->failed);
		else
			error_set(&r->failed, ERR_GONE, "there is no process");
	}
	return r->failed.code ? error_set(err, r->failed.code, "%s", r->failed.text) : 0;
}

/* After reading: does the process still run the program that was opened? If not, that is the
 * error, whatever `rc` is. */
static int check_program(const struct source_memory_reader *r, int rc, struct error *err)
{
	struct subject_program now = subject_program_of(r->process);

	if (!process_alive(r->process))
		return gone(r, "ended while it was read", err);
	if (!subject_program_same(&r->program, &now))
		return gone(r, "executed another program while it was read", err);
	return rc;
}

/* Profiles. */

/* Calls `read`; with stop_ns all threads are held, and `read` may be called several times. */
static int source_memory_read_once(struct source_memory_reader *r, heldread_profiles *read,
				   void *ctx, struct error *err)
{
	*r->held = '\0';
	if (r->options.stop_ns)
		return heldread_make(r->go, r->process, r->options.stop_ns, read, ctx, r->held,
				     sizeof(r->held), err);
	return read(ctx, err);
}

/* Retries ERR_SHORT until the time-out: a fresh heap profile cannot be read while the GC sweeps,
 * and the next cycle may have begun already. */
static int read_now(struct source_memory_reader *r, heldread_profiles *read, void *ctx,
		    struct error *err)
{
	const struct timespec pause = to_timespec(2 * NS_PER_MS);
	uint64_t began = monotonic_ns();
	int rc;

	while ((rc = source_memory_read_once(r, read, ctx, err)) == ERR_SHORT &&
	       monotonic_ns() - began < r->options.timeout_ns)
		nanosleep(&pause, NULL);
	return check_program(r, rc, err);
}

struct making {
	struct source_memory_reader *r;
	const struct goprofile_id *id;
	struct profile profile;
};

static int make_profile(void *making, struct error *err)
{
	struct making *m = making;

	profile_release(&m->profile);
	if (profile_init(&m->profile))
		return error_nomem(err);
	return goprofile_make(m->r->go, m->id, &m->profile, err);
}

/* Adds the words on the hold as a comment of the profile. */
static int source_memory_pack(const struct source_memory_reader *r, struct profile *p,
			      struct buffer *out, struct error *err)
{
	size_t before = out->len;
	int rc = 0;

	if (*r->held && profile_add_comment(p, r->held))
		rc = error_nomem(err);
	if (!rc)
		rc = r->options.plain ? profile_encode(p, out, err) : profile_pack(p, out, err);
	if (!rc && out->len - before > r->options.max_bytes)
		rc = error_set(err, ERR_LIMIT, "the profile has more than %zu bytes",
			       r->options.max_bytes);
	return rc;
}

static int source_memory_make(struct source_memory_reader *r, const struct goprofile_id *id,
			      struct buffer *out, struct error *err)
{
	struct making m = { .r = r, .id = id };
	int rc = read_now(r, make_profile, &m, err);

	rc = rc ? rc : source_memory_pack(r, &m.profile, out, err);
	profile_release(&m.profile);
	return rc;
}

static void note_hold(const struct source_memory_reader *r, struct source_remark *remark)
{
	if (*r->held && !*remark->note)
		snprintf(remark->note, sizeof(remark->note), "%s", r->held);
}

/* Best effort: a profile without the wait is better than none. */
static enum gobuckets_moment moment_of_heap(struct source_memory_reader *r,
					    struct source_remark *remark)
{
	struct error err;
	bool ended;

	if (goprofile_gc_wait(r->go, r->options.timeout_ns, &ended, &err))
		snprintf(remark->note, sizeof(remark->note), "no GC cycle was waited for: %.200s",
			 err.text);
	else if (!ended)
		snprintf(remark->note, sizeof(remark->note),
			 "no GC cycle that began after that has "
			 "ended within %g s",
			 (double)r->options.timeout_ns / NS_PER_S);
	else
		return GO_FRESH;
	return GO_PUBLISHED;
}

/* Opens the process. With `gc_wait`, waits for a GC cycle, which heap profiles are then of. */
static int have_profile(struct source_memory_reader *r, bool gc_wait, struct source_remark *remark,
			struct error *err)
{
	int rc = have_go(r, err);

	if (!rc && gc_wait)
		goprofile_heap_of(r->go, moment_of_heap(r, remark));
	return rc;
}

static int read_together(void *reader, struct error *err)
{
	struct source_memory_reader *r = reader;

	return heldset_make(&r->together, r->go, err);
}

/* A failure is not reported here: the profile is then read when it is taken, and fails there. */
static void make_together(struct source *s, unsigned types, bool gc_wait)
{
	struct source_memory_reader *r = reader_of(s);
	struct error err;
	int rc;

	if (!r->options.stop_ns)
		return;
	r->heldset_remark = (struct source_remark){ 0 };
	rc = heldset_want(&r->together, types);
	rc = rc ? rc : have_profile(r, gc_wait && types & CAPTURE_HEAPS, &r->heldset_remark, &err);
	if (!rc && types & CAPTURE_BIT(CAPTURE_GOROUTINEWAIT) && r->options.max_goroutines_wait)
		rc = handover_waits(&r->handover, &r->program, &r->together.waits, &err);
	rc = rc ? rc : read_now(r, read_together, r, &err);
	if (rc)
		heldset_release(&r->together);
	snprintf(r->heldset_held, sizeof(r->heldset_held), "%s", r->held);
}

static bool take_together(struct source_memory_reader *r, const struct goprofile_id *id,
			  struct buffer *out, struct source_remark *remark, int *rc,
			  struct error *err)
{
	struct profile *p;

	if (!heldset_take(&r->together, id, &p, rc, err))
		return false;
	snprintf(r->held, sizeof(r->held), "%s", r->heldset_held);
	if (id->type == GOPROFILE_HEAP)
		*remark = r->heldset_remark;
	if (!*rc)
		*rc = source_memory_pack(r, p, out, err);
	note_hold(r, remark);
	return true;
}

static int source_memory_take_profile(struct source *s, const struct goprofile_id *id, bool gc_wait,
				      struct buffer *out, struct source_remark *remark,
				      struct error *err)
{
	struct source_memory_reader *r = reader_of(s);
	int rc;

	if (take_together(r, id, out, remark, &rc, err))
		return rc;
	rc = have_profile(r, gc_wait && id->type == GOPROFILE_HEAP, remark, err);
	rc = rc ? rc : source_memory_make(r, id, out, err);
	note_hold(r, remark);
	return rc;
}

static int source_memory_take_custom(struct source *s, struct buffer *names, struct error *err)
{
	struct source_memory_reader *r = reader_of(s);
	size_t before = names->len, count = 0;
	int rc = have_go(r, err);

	if (!rc)
		rc = check_program(r, goprofile_custom(r->go, names, err), err);
	if (rc)
		return rc;
	for (size_t at = before; at < names->len; at += strlen((char *)names->data + at) + 1)
		if (count++ == SOURCE_CUSTOM_MAX)
			names->len = at;
	return 0;
}

static int no_trace(struct source *s, uint64_t duration_ns, struct buffer *out,
		    struct source_remark *remark, struct error *err)
{
	(void)s;
	(void)duration_ns;
	(void)out;
	(void)remark;
	return error_set(err, ERR_USAGE,
			 "execution traces are of a URL only (--url): the program "
			 "itself must write them");
}

/* Waits. */

struct source_memory_waiting {
	struct source_memory_reader *r;
	struct waits *waits;
	struct profile *profile; /* owned by waits */
};

static int make_waits(void *waiting, struct error *err)
{
	struct source_memory_waiting *w = waiting;
	int rc = waits_make(w->waits, w->r->go, &w->profile, err);

	if (rc == ERR_LIMIT)
		return error_set(err, rc,
				 "more goroutines than the %" PRIu64 " of "
				 "--max-goroutines-wait",
				 w->r->options.max_goroutines_wait);
	return rc;
}

/* Takes the waits that were read together with other profiles, if any. */
static int take_waits_together(struct source_memory_waiting *w, struct error *err)
{
	struct heldset *t = &w->r->together;

	if (!t->waits)
		return 0;
	snprintf(w->r->held, sizeof(w->r->held), "%s", w->r->heldset_held);
	w->waits = t->waits;
	w->profile = t->waited;
	t->waits = NULL;
	if (t->waits_rc && err)
		*err = t->waits_error;
	return t->waits_rc;
}

static int source_memory_take_waits(struct source *s, struct buffer *out, struct error *err)
{
	struct source_memory_waiting w = { .r = reader_of(s) };
	int rc;

	if (!w.r->options.max_goroutines_wait)
		return error_set(err, ERR_LIMIT,
				 "more goroutines than the 0 of "
				 "--max-goroutines-wait");
	rc = take_waits_together(&w, err);
	if (!w.waits) {
		rc = have_go(w.r, err);
		rc = rc ? rc : handover_waits(&w.r->handover, &w.r->program, &w.waits, err);
		rc = rc ? rc : read_now(w.r, make_waits, &w, err);
	}
	if (!rc) {
		handover_keep(&w.r->handover, &w.r->program, w.waits);
		rc = source_memory_pack(w.r, w.profile, out, err);
	}
	waits_free(w.waits);
	return rc;
}

static int save(const struct source *s, struct buffer *out)
{
	const struct source_memory_reader *r = (const struct source_memory_reader *)s;
	double frequency = r->go ? goprofile_frequency(r->go) : 0;

	return handover_save(&r->handover, &r->program, frequency, out);
}

static void source_memory_load(struct source *s, const void *data, size_t len)
{
	handover_load(&reader_of(s)->handover, data, len);
}

/* Texts. */

int source_memory_open(struct source *s, struct error *err)
{
	struct source_memory_reader *r = reader_of(s);

	return have_go(r, err);
}

struct source_memory_writing {
	struct source_memory_reader *r;
	const struct goprofile_id *id; /* NULL: a dump */
	struct buffer *out;
	size_t before; /* length of `out` at the start */
};

static int source_memory_write_text(void *writing, struct error *err)
{
	struct source_memory_writing *w = writing;

	w->out->len = w->before;
	if (w->id)
		return goprofile_text(w->r->go, w->id, w->out, err);
	return goprofile_dump(w->r->go, w->out, err);
}

int source_memory_text(struct source *s, const struct goprofile_id *id, bool gc_wait,
		       struct buffer *out, struct source_remark *remark, struct error *err)
{
	struct source_memory_writing w = { reader_of(s), id, out, out->len };
	int rc = have_profile(w.r, gc_wait && id->type == GOPROFILE_HEAP, remark, err);

	rc = rc ? rc : read_now(w.r, source_memory_write_text, &w, err);
	note_hold(w.r, remark);
	return rc;
}

int source_memory_dump(struct source *s, struct buffer *out, struct error *err)
{
	struct source_memory_writing w = { .r = reader_of(s), .out = out, .before = out->len };
	int rc = have_go(w.r, err);

	return rc ? rc : read_now(w.r, source_memory_write_text, &w, err);
}

const char *source_memory_held(const struct source *s)
{
	return ((const struct source_memory_reader *)s)->held;
}

/* The source. */

static void set_process(struct source *s, struct process *process)
{
	reader_of(s)->process = process;
}

static void say_needs(struct source *s, struct source_needs *needs)
{
	struct process *p = reader_of(s)->process;

	*needs = (struct source_needs){ .tracing = p->pid,
					.holding = reader_of(s)->options.stop_ns != 0,
					.fds = { &p->proc_fd, &p->pid_fd, &p->root_fd } };
}

static void free_reader(struct source *s)
{
	struct source_memory_reader *r = reader_of(s);

	heldset_release(&r->together);
	goprofile_free(r->go);
	handover_release(&r->handover);
	free(r);
}

static const struct source_ops ops = { .profile = source_memory_take_profile,
				       .goroutine_waits = source_memory_take_waits,
				       .trace = no_trace,
				       .custom = source_memory_take_custom,
				       .about = set_process,
				       .needs = say_needs,
				       .together = make_together,
				       .save = save,
				       .load = source_memory_load,
				       .free = free_reader };

int source_memory(struct source **s, const struct source_options *options, struct error *err)
{
	struct source_memory_reader *r = calloc(1, sizeof(*r));

	*s = NULL;
	if (!r)
		return error_nomem(err);
	r->source.ops = &ops;
	r->options = *options;
	r->options.timeout_ns = options->timeout_ns ? options->timeout_ns : USUAL_TIMEOUT_NS;
	r->options.max_bytes = options->max_bytes ? options->max_bytes : USUAL_BYTES;
	r->no_process = (struct process){ .proc_fd = -1, .pid_fd = -1, .root_fd = -1 };
	r->process = &r->no_process;
	*s = &r->source;
	return 0;
}
