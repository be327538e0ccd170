/*
 * The child reports through shared memory: the image that it is working on, so that we know which
 * one it was when the child dies; its result; the notes for -v. A child that was turned against us
 * could write anything there. So the strings are terminated by us and cleared of what would act on
 * a terminal, and numbers are only shown.
 *
 * After a child's death the image that it was working on is left out. If there was none, or if
 * LEFT_OUT_MAX were left out already, all images are. Then no foreign data is left to be decoded.
 * If a child fails even then, or cannot be started, our own process does the work.
 *
 * A child for which the user waits has a session of its own (priority.h), which a terminal's Ctrl-Z
 * does not reach. So it is stopped and continued with us.
 */
#include "sampler/child/decoding.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "base/printable.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "sampler/child/priority.h"
#include "sampler/child/sandbox.h"
#include "symbolize/symbolizer.h"

enum {
	LEFT_OUT_MAX = 8, /* images left out one by one, before all are */
	CPU_S = 120,	  /* seconds for all images together; a gigabyte of DWARF takes a few */
	HUNG_S = 120,	  /* seconds in one lookup: a file system that hangs */
	NOTE_ROOM = 640,
	WARNING_ROOM = 512,
	POLL_MS = 100,
};

static const char ALL_LEFT_OUT[] = "none, all were left out";
static const uint64_t MEMORY_MIN = 512ull << 20, MEMORY_MAX = 4ull << 30;

struct shared {
	struct symbolizer_trace trace;
	_Atomic bool done, writing;
	int rc;
	struct error error;
	struct decode_result result;
	char notes[][NOTE_ROOM]; /* by image id */
};

struct decoding_run {
	struct decoding *d;
	struct outfile *file;
	decode_work *work;
	void *ctx;
};

struct decoding {
	struct shared *shared;
	size_t shared_bytes;
	struct image **images; /* owned copy: the maps' array may move while a child works */
	size_t image_count;
	const char **left_out; /* by image id: why, or NULL */
	char warnings[LEFT_OUT_MAX + 1][WARNING_ROOM];
	size_t warning_count;
	bool all_left_out, hopeless; /* hopeless: a child fails although all are left out */
	bool urgent;		     /* the user waits */
	uint64_t cpu_ns, lost_cpu_ns;
	uint32_t lookups, stands; /* for hung() */
	struct decoding_run run;
	struct sandbox box;
	struct sandbox_child child;
};

int decoding_new(struct decoding **out, const struct modmap *maps, struct error *err)
{
	struct decoding *d = calloc(1, sizeof(*d));

	if (!d)
		return error_nomem(err);
	if (decoding_renew(d, maps, err)) {
		decoding_free(d);
		return ERR_NOMEM;
	}
	*out = d;
	return 0;
}

int decoding_renew(struct decoding *d, const struct modmap *maps, struct error *err)
{
	size_t count, bytes;
	struct image *const *images = modmap_images(maps, &count);
	struct image **copy = realloc(d->images, (count + 1) * sizeof(struct image *));
	const char **left_out = realloc(d->left_out, (count + 1) * sizeof(*left_out));
	struct shared *shared;

	d->images = copy ? copy : d->images;
	d->left_out = left_out ? left_out : d->left_out;
	bytes = sizeof(*shared) + count * NOTE_ROOM;
	shared = copy && left_out ? sandbox_share(bytes) : NULL;
	if (!shared)
		return error_nomem(err);
	sandbox_unshare(d->shared, d->shared_bytes);
	d->shared = shared;
	d->shared_bytes = bytes;
	for (size_t i = 0; i < count; i++) {
		d->images[i] = images[i];
		if (i >= d->image_count)
			d->left_out[i] = d->all_left_out ? ALL_LEFT_OUT : NULL;
	}
	d->image_count = count;
	return 0;
}

void decoding_free(struct decoding *d)
{
	if (!d)
		return;
	sandbox_kill(&d->child);
	sandbox_unshare(d->shared, d->shared_bytes);
	free(d->images);
	free(d->left_out);
	free(d);
}

/* The child's side. */

int decoding_watch(struct decoding *d, struct symbolizer *s)
{
	for (size_t i = 0; i < d->image_count; i++)
		if (d->left_out[i] && symbolizer_leave_out(s, d->images[i], d->left_out[i]))
			return ERR_NOMEM;
	symbolizer_trace_to(s, &d->shared->trace);
	return 0;
}

static void keep_notes(struct decoding *d, const struct symbolizer *s)
{
	for (size_t i = 0; i < d->image_count; i++) {
		const char *note = symbolizer_note(s, d->images[i]);

		if (note)
			snprintf(d->shared->notes[i], NOTE_ROOM, "%s", note);
	}
}

void decoding_before_writing(struct decoding *d, struct symbolizer *const *symbolizers,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		keep_notes(d, symbolizers[i]);
	d->shared->writing = true;
}

static int work_in_child(void *ctx)
{
	struct decoding_run *run = ctx;
	struct shared *shared = run->d->shared;

	shared->rc = run->work(run->ctx, &shared->result, &shared->error);
	shared->done = true;
	return 0;
}

/* Our side. */

/* Called once a second. True if the child has been in one lookup for HUNG_S seconds. Writing is not
 * counted: it may wait for a reader. */
static bool hung(void *ctx)
{
	struct decoding *d = ((struct decoding_run *)ctx)->d;
	const struct symbolizer_trace *trace = &d->shared->trace;

	d->stands = trace->image && trace->lookups == d->lookups ? d->stands + 1 : 0;
	d->lookups = trace->lookups;
	return d->stands >= HUNG_S;
}

static uint64_t memory_bound(void)
{
	uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);

	return half < MEMORY_MIN ? MEMORY_MIN : half > MEMORY_MAX ? MEMORY_MAX : half;
}

static void leave_out_all(struct decoding *d, const char *why)
{
	if (d->all_left_out)
		return;
	for (size_t i = 0; i < d->image_count; i++)
		if (!d->left_out[i])
			d->left_out[i] = ALL_LEFT_OUT;
	snprintf(d->warnings[d->warning_count++], WARNING_ROOM,
		 "all symbols are left out: the process that decodes %s", why);
	d->all_left_out = true;
}

/* Leaves out the image that the child was reading when it failed, or all images. */
static void blame(struct decoding *d, const char *why)
{
	uint32_t id = d->shared->trace.image - 1;
	char *warning = d->warnings[d->warning_count];

	if (id >= d->image_count || d->left_out[id] || d->warning_count == LEFT_OUT_MAX) {
		leave_out_all(d, why);
		return;
	}
	snprintf(warning, WARNING_ROOM,
		 "symbols of '%.256s' are left out: the process that decodes "
		 "them %s",
		 image_path(d->images[id]), why);
	printable(warning, WARNING_ROOM);
	d->left_out[id] = "left out, decoding them failed";
	d->warning_count++;
}

/* Why the child has left no usable result; NULL if it has. */
static const char *what_went_wrong(const struct decoding *d, const struct sandbox_end *end,
				   char *text, size_t room)
{
	const char *death = sandbox_death(end, text, room);

	if (death)
		return death;
	if (!d->shared->done)
		return "ended too early";
	return d->shared->rc == ERR_NOMEM && !d->all_left_out ? "ran out of memory" : NULL;
}

static void start_afresh(struct decoding *d)
{
	memset(d->shared, 0, d->shared_bytes);
	d->stands = d->lookups = 0;
}

/* Empties the file if the child died while it was writing. */
static int decoding_take_back(const struct decoding *d, struct outfile *file, struct error *err)
{
	if (!d->shared->writing || (!ftruncate(file->fd, 0) && !lseek(file->fd, 0, SEEK_SET)))
		return 0;
	return error_set(err, ERR_IO,
			 "cannot write '%s': the process that writes has died in the "
			 "middle of it",
			 file->path);
}

/* Takes over the child's result. */
static int decoding_conclude(struct decoding *d, struct error *err)
{
	/* The child's strings are made safe to print. */
	for (size_t i = 0; i < d->image_count; i++)
		printable(d->shared->notes[i], NOTE_ROOM);
	printable(d->shared->error.text, sizeof(d->shared->error.text));
	printable(d->shared->result.missing, sizeof(d->shared->result.missing));
	if (d->shared->rc && err)
		*err = d->shared->error;
	d->run.file->written = d->shared->result.written;
	return d->shared->rc;
}

int decoding_start(struct decoding *d, struct outfile *file, uint64_t file_bytes, decode_work *work,
		   void *ctx, struct error *err)
{
	d->run = (struct decoding_run){ d, file, work, ctx };
	d->box = (struct sandbox){ .writable_fd = file->fd,
				   .memory_bytes = memory_bound(),
				   .file_bytes = file_bytes,
				   .cpu_s = CPU_S,
				   .urgent = d->urgent,
				   .hung = hung,
				   .ctx = &d->run };
	start_afresh(d);
	return sandbox_start(&d->box, work_in_child, &d->child, err);
}

int decoding_wait(struct decoding *d, int timeout_ms, struct error *err)
{
	struct sandbox_end end;
	char text[128];
	const char *why;

	if (!sandbox_wait(&d->box, &d->child, timeout_ms, &end))
		return DECODING_RUNS;
	d->cpu_ns += end.cpu_ns;
	why = what_went_wrong(d, &end, text, sizeof(text));
	if (!why)
		return decoding_conclude(d, err);
	d->lost_cpu_ns += end.cpu_ns;
	if (decoding_take_back(d, d->run.file, err))
		return ERR_IO;
	d->hopeless = d->all_left_out;
	if (d->hopeless)
		return error_set(err, ERR_IO, "nothing can be decoded: the process that does it %s",
				 why);
	blame(d, why);
	return DECODING_AGAIN;
}

void decoding_calm(struct decoding *d)
{
	calm_session(d->child.pid);
}

/* Does the work in our own process. All images are left out, so no foreign data is decoded. */
static int do_it_ourselves(struct decoding *d, struct error *err)
{
	set_priority(PRIORITY_ORDINARY);
	start_afresh(d);
	work_in_child(&d->run);
	return decoding_conclude(d, err);
}

static volatile sig_atomic_t stop_wanted;

static void decoding_on_terminal_stop(int sig)
{
	(void)sig;
	stop_wanted = 1;
}

/* A handler of another kind, or none at all (nohup), stays. True if SIGTSTP is ours now. */
static bool catch_terminal_stop(void)
{
	struct sigaction old, ours = { .sa_handler = decoding_on_terminal_stop };

	stop_wanted = 0;
	return !sigaction(SIGTSTP, NULL, &old) && old.sa_handler == SIG_DFL &&
	       !sigaction(SIGTSTP, &ours, NULL);
}

static void stop_with(pid_t child)
{
	kill(child, SIGSTOP);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	catch_terminal_stop();
	kill(child, SIGCONT);
}

/* As decoding_wait, until the child has ended. */
static int wait_for_end(struct decoding *d, struct error *err)
{
	int rc;

	while ((rc = decoding_wait(d, POLL_MS, err)) == DECODING_RUNS) {
		if (stop_wanted)
			stop_with(d->child.pid);
		if (has_hurried(d->child.pid))
			decoding_calm(d);
	}
	return rc;
}

static int run_children(struct decoding *d, struct outfile *file, decode_work *work, void *ctx,
			struct error *err)
{
	int rc;

	do {
		if (decoding_start(d, file, 0, work, ctx, NULL)) {
			leave_out_all(d, "cannot be started");
			return do_it_ourselves(d, err);
		}
		rc = wait_for_end(d, err);
	} while (rc == DECODING_AGAIN);
	return d->hopeless ? do_it_ourselves(d, err) : rc;
}

int decoding_run(struct decoding *d, struct outfile *file, decode_work *work, void *ctx,
		 struct error *err)
{
	bool caught = catch_terminal_stop();
	int rc;

	d->urgent = true;
	rc = run_children(d, file, work, ctx, err);
	d->urgent = false;
	if (caught)
		signal(SIGTSTP, SIG_DFL);
	if (stop_wanted)
		raise(SIGTSTP);
	return rc;
}

uint64_t decoding_cpu_ns(const struct decoding *d)
{
	return d->cpu_ns;
}

uint64_t decoding_lost_cpu_ns(const struct decoding *d)
{
	return d->lost_cpu_ns;
}

const struct decode_result *decoding_result(const struct decoding *d)
{
	return &d->shared->result;
}

const char *decoding_note(const struct decoding *d, const struct image *image)
{
	size_t id = image_id(image);

	return id < d->image_count && *d->shared->notes[id] ? d->shared->notes[id] : NULL;
}

const char *decoding_warning(const struct decoding *d, size_t i)
{
	return i < d->warning_count ? d->warnings[i] : NULL;
}
