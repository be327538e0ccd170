/*
 * What comes back from the child lies in shared memory: which image it is at, so
 * that we know when it has died, its result, and the notes for -v. A child that was
 * turned against us could write anything there, so strings are ended by us, cleared
 * of what would act on a terminal, and numbers are only shown.
 *
 * After a death the image at hand is left out; without one at hand, or after too many,
 * all are. Then nothing foreign is left to be decoded, and if even that does not
 * succeed in a child (there can be none), it is done by us.
 */
#include "sampler/decoding.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/outfile.h"
#include "base/printable.h"
#include "sampler/sandbox.h"
#include "symbolize/symbolizer.h"
#include "target/image.h"
#include "target/modmap.h"

enum {
	LEFT_OUT_MAX = 8, /* images, before all are */
	CPU_S = 120,	  /* for all images together; a gigabyte of DWARF takes a few */
	HUNG_S = 120,	  /* without getting to the next lookup: a file system that hangs */
	NOTE_ROOM = 640,
	WARNING_ROOM = 512,
};

static const uint64_t MEMORY_MIN = 512ull << 20, MEMORY_MAX = 4ull << 30;

struct shared {
	struct symbolizer_trace trace;
	_Atomic bool done, writing;
	int rc;
	struct error error;
	struct decode_result result;
	char notes[][NOTE_ROOM]; /* by image id */
};

struct decoding {
	struct shared *shared;
	size_t shared_bytes;
	struct image *const *images;
	size_t image_count;
	const char **left_out; /* by image id: why, or NULL */
	char warnings[LEFT_OUT_MAX + 1][WARNING_ROOM];
	size_t warning_count;
	bool all_left_out;
	uint64_t lost_cpu_ns;
	uint32_t lookups, stands; /* for hung() */
};

struct run {
	struct decoding *d;
	struct outfile *file;
	decode_work *work;
	void *ctx;
};

int decoding_new(struct decoding **out, const struct modmap *maps, struct error *err)
{
	struct decoding *d = calloc(1, sizeof(*d));

	if (!d)
		return error_set(err, ERR_NOMEM, "out of memory");
	d->images = modmap_images(maps, &d->image_count);
	d->shared_bytes = sizeof(*d->shared) + d->image_count * NOTE_ROOM;
	d->shared = sandbox_share(d->shared_bytes);
	d->left_out = calloc(d->image_count + 1, sizeof(*d->left_out));
	if (!d->shared || !d->left_out) {
		decoding_free(d);
		return error_set(err, ERR_NOMEM, "out of memory");
	}
	*out = d;
	return 0;
}

void decoding_free(struct decoding *d)
{
	if (!d)
		return;
	sandbox_unshare(d->shared, d->shared_bytes);
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
	struct run *run = ctx;
	struct shared *shared = run->d->shared;

	shared->rc = run->work(run->ctx, &shared->result, &shared->error);
	shared->done = true;
	return 0;
}

/* Our side. */

/* Once a second: has it got to another lookup? Writing may wait for a reader. */
static bool hung(void *ctx)
{
	struct decoding *d = ((struct run *)ctx)->d;
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

/* The child's words, made safe. */
static void accept_result(struct decoding *d)
{
	for (size_t i = 0; i < d->image_count; i++)
		printable(d->shared->notes[i], NOTE_ROOM);
	printable(d->shared->error.text, sizeof(d->shared->error.text));
}

static void leave_out_all(struct decoding *d, const char *why)
{
	static const char note[] = "none, all were left out";

	for (size_t i = 0; i < d->image_count; i++)
		if (!d->left_out[i])
			d->left_out[i] = note;
	snprintf(d->warnings[d->warning_count++], WARNING_ROOM,
		 "all symbols are left out: the process that decodes %s", why);
	d->all_left_out = true;
}

/* Whose file was it? */
static void blame(struct decoding *d, const char *why)
{
	uint32_t id = d->shared->trace.image - 1;
	char *warning = d->warnings[d->warning_count];

	if (id >= d->image_count || d->left_out[id] || d->warning_count == LEFT_OUT_MAX) {
		leave_out_all(d, why);
		return;
	}
	snprintf(warning, WARNING_ROOM, "symbols of '%.256s' are left out: the process that decodes "
		 "them %s", image_path(d->images[id]), why);
	printable(warning, WARNING_ROOM);
	d->left_out[id] = "left out, decoding them failed";
	d->warning_count++;
}

/* Why is its result not to be had? NULL when it is. */
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

/* Takes back what a child has written that died in the middle of it. */
static int take_back(const struct decoding *d, struct outfile *file, struct error *err)
{
	if (!d->shared->writing || (!ftruncate(file->fd, 0) && !lseek(file->fd, 0, SEEK_SET)))
		return 0;
	return error_set(err, ERR_IO, "cannot write '%s': the process that writes has died in the "
			 "middle of it", file->path);
}

static int run_in_sandbox(struct run *run, struct sandbox_end *end, struct error *err)
{
	struct sandbox box = { .writable_fd = run->file->fd, .memory_bytes = memory_bound(),
			       .cpu_s = CPU_S, .hung = hung, .ctx = run };

	return sandbox_run(&box, work_in_child, end, err);
}

/* Nothing foreign is decoded any more. */
static int do_it_ourselves(struct run *run)
{
	start_afresh(run->d);
	work_in_child(run);
	return 1;
}

/* 1: there is a result; 0: it is to be done again. */
static int attempt(struct run *run, struct error *err)
{
	struct decoding *d = run->d;
	struct sandbox_end end;
	char text[128];
	const char *why;

	start_afresh(d);
	if (run_in_sandbox(run, &end, NULL)) {
		leave_out_all(d, "cannot be started");
		return do_it_ourselves(run);
	}
	why = what_went_wrong(d, &end, text, sizeof(text));
	if (!why)
		return 1;
	d->lost_cpu_ns += end.cpu_ns;
	if (take_back(d, run->file, err))
		return ERR_IO;
	if (d->all_left_out)
		return do_it_ourselves(run);
	blame(d, why);
	return 0;
}

int decoding_run(struct decoding *d, struct outfile *file, decode_work *work, void *ctx,
		 struct error *err)
{
	struct run run = { d, file, work, ctx };
	int rc;

	while ((rc = attempt(&run, err)) == 0)
		;
	if (rc < 0)
		return rc;
	accept_result(d);
	if (d->shared->rc)
		*err = d->shared->error;
	file->written = d->shared->result.written;
	return d->shared->rc;
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
