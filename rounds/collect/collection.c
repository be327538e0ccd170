/*
 * The file in memory is sealed after its process has ended: then no process can shorten it while
 * it is mapped (SIGBUS) or change bytes that are checked already, and it need not be copied. When
 * a process ends, its end of a pipe is closed. That works on any kernel, and poll(2) can wait for
 * it together with other things.
 *
 * A trace takes as long as its round, and has a process of its own.
 */
#include "rounds/collect/collection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "rounds/collect/collected.h"
#include "rounds/collect/customname.h"
#include "rounds/source/source.h"
#include "sampler/child/bound.h"
#include "sampler/child/errand.h"
#include "sampler/child/sandbox.h"

enum { TRACER, OTHERS, WORKERS };

/* One process. */
struct worker {
	unsigned types; /* of items: CAPTURE_HEAP for all heap types */
	pid_t pid;	/* 0: none, or ended */
	int file;
	uint8_t *map;
	size_t map_len;
	char why[256]; /* the reason for items that are missing */
};

struct collection {
	struct source *source;
	struct worker workers[WORKERS];
	int pipe; /* -1: the collection is over */
	struct collected found;
	int rc;
	struct error error;
};

/* The process that collects. */

_Static_assert(ERRAND_FDS == 2 + SOURCE_FDS, "two of the collection's, and the source's");

enum {
	CPU_S = 600,	    /* limit, for a source in an endless loop */
	WORDS = 1 << 20,    /* bytes of the file for record heads and texts */
	MEMORY = 256 << 20, /* bytes of the file for what source_save gives */
};

struct collecting {
	struct source *source;
	uint64_t trace_ns;
	bool gc_wait;
	int file;
	uint64_t written; /* bytes of profiles */
	struct buffer data;
};

static struct source *finishing; /* for the SIGTERM handler */

static void on_term(int sig)
{
	(void)sig;
	source_finish(finishing);
}

static void collection_put(struct collecting *c, struct collection_item *item)
{
	item->time_nanos = (int64_t)clock_ns(CLOCK_REALTIME);
	if (collected_write(c->file, item, NULL))
		_exit(1);
}

/* Writes the item with the data, or with err's text as its reason if `rc` is an error. */
static void put_result(struct collecting *c, struct collection_item *item, int rc,
		       const struct source_remark *remark, struct error *err)
{
	if (!rc && c->data.len > COLLECTION_BYTES - c->written)
		rc = error_set(err, ERR_LIMIT, "the profiles of one round have more than %d MiB",
			       COLLECTION_BYTES >> 20);
	item->note = *remark->note ? remark->note : NULL;
	if (rc) {
		item->why_not = err->text;
	} else {
		item->data = c->data.data;
		item->len = c->data.len;
		item->cut = remark->cut;
		c->written += c->data.len;
	}
	collection_put(c, item);
}

static void collect_custom(struct collecting *c, const char *name)
{
	const struct goprofile_id id = { GOPROFILE_CUSTOM, name };
	struct collection_item item = { .type = CAPTURE_CUSTOM };
	char encoded[CUSTOMNAME_MAX + 1];
	struct source_remark remark = { 0 };
	struct error err = { 0 };
	int rc = 0;

	if (!customname_encode(name, encoded))
		rc = error_set(&err, ERR_LIMIT,
			       "the name is too long, or no URL can hold it: '%.80s'", encoded);
	item.name = encoded;
	c->data.len = 0;
	rc = rc ? rc : source_profile(c->source, &id, false, &c->data, &remark, &err);
	put_result(c, &item, rc, &remark, &err);
}

static void collect_customs(struct collecting *c)
{
	struct collection_item none = { .type = CAPTURE_CUSTOM, .name = "" };
	struct buffer names = { 0 };
	struct error err = { 0 };
	int rc = source_custom(c->source, &names, &err);

	if (rc)
		none.why_not = err.text;
	else if (!names.len)
		none.why_not = "the program has registered none";
	if (none.why_not)
		collection_put(c, &none);
	for (size_t at = 0; !rc && at < names.len; at += strlen((char *)names.data + at) + 1)
		collect_custom(c, (const char *)names.data + at);
	buffer_release(&names);
}

static void collect_one(struct collecting *c, enum capture_type type)
{
	struct collection_item item = { .type = type };
	struct source_remark remark = { 0 };
	struct error err = { 0 };
	int rc;

	c->data.len = 0;
	if (type == CAPTURE_GOROUTINEWAIT)
		rc = source_goroutine_waits(c->source, &c->data, &err);
	else if (type == CAPTURE_TRACE)
		rc = source_trace(c->source, c->trace_ns, &c->data, &remark, &err);
	else
		rc = source_profile(c->source, captures[type].go_profile, c->gc_wait, &c->data,
				    &remark, &err);
	put_result(c, &item, rc, &remark, &err);
}

/* Best effort: a failure only resets the wait times of goroutines. */
static void collection_put_memory(const struct collecting *c)
{
	struct buffer memory = { 0 };

	if (source_save(c->source, &memory) == 0 && memory.len && memory.len <= MEMORY &&
	    collected_write_memory(c->file, memory.data, memory.len, NULL))
		_exit(1);
	buffer_release(&memory);
}

static void collect_all(struct collecting *c, unsigned types)
{
	source_together(c->source, types, c->gc_wait);
	for (int i = 0; i < CAPTURE_TYPES; i++) {
		if (!(types & CAPTURE_BIT(i)))
			continue;
		if (i == CAPTURE_CUSTOM)
			collect_customs(c);
		else
			collect_one(c, (enum capture_type)i);
	}
	collection_put_memory(c);
	if (collected_write_end(c->file, NULL))
		_exit(1);
}

/* In a child of fork_bound: takes q->types (CAPTURE_HEAP for all heap types) from the source,
 * writes them to `file` as items, and exits, which closes `pipe`. Other descriptors are closed
 * first, except those that the source needs. This is an errand (sampler/child/errand.h) that also
 * handles SIGTERM, which ends a trace early. */
_Noreturn static void collecting_run(struct source *s, const struct collection_request *q, int file,
				     int pipe)
{
	struct errand_bounds bounds = { .fds = { &file, &pipe },
					.term = on_term,
					.cpu_s = CPU_S,
					.file_bytes = (uint64_t)COLLECTION_BYTES + WORDS + MEMORY };
	struct collecting c = { .source = s, .trace_ns = q->trace_ns, .gc_wait = q->gc };
	struct source_needs needs;

	source_needs(s, &needs);
	bounds.tracing = needs.tracing != 0;
	bounds.holding = needs.holding;
	memcpy(bounds.fds + 2, needs.fds, sizeof(needs.fds));
	errand_settle(&bounds);
	/* Holding needs ptrace(2), through which any filter could be evaded. */
	if (needs.tracing && !needs.holding)
		sandbox_filter(file, needs.tracing);
	c.file = file;
	finishing = s;
	unblock_signals();
	collect_all(&c, q->types);
	_exit(0);
}

/* In the parent. */

static int start_worker(struct worker *w, struct source *s, const struct collection_request *q,
			int pipe, struct error *err)
{
	struct collection_request own = { w->types, q->gc, q->trace_ns };

	if (!w->types)
		return 0;
	w->file = memfd_create("sampler-collection", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (w->file < 0)
		return error_errno(err, ERR_IO, "cannot make a file in memory");
	w->pid = fork_bound(SIGKILL);
	if (!w->pid)
		collecting_run(s, &own, w->file, pipe);
	if (w->pid > 0)
		return 0;
	w->pid = 0;
	return error_errno(err, ERR_IO, "cannot make a process that collects");
}

static int collection_start_request(struct collection *c, struct source *s,
				    const struct collection_request *q, struct error *err)
{
	int ends[2], rc = 0;

	if (pipe2(ends, O_CLOEXEC))
		return error_errno(err, ERR_IO, "cannot make a pipe");
	c->pipe = ends[0];
	for (int i = 0; !rc && i < WORKERS; i++)
		rc = start_worker(&c->workers[i], s, q, ends[1], err);
	close(ends[1]);
	return rc;
}

int collection_start(struct collection **out, struct source *s, const struct collection_request *q,
		     struct error *err)
{
	struct collection *c = calloc(1, sizeof(*c));
	unsigned types = q->types & ~CAPTURE_HEAPS;
	int rc;

	*out = NULL;
	if (!c)
		return error_nomem(err);
	c->source = s;
	if (q->types & CAPTURE_HEAPS)
		types |= CAPTURE_BIT(CAPTURE_HEAP);
	c->workers[TRACER].types = types & CAPTURE_BIT(CAPTURE_TRACE);
	c->workers[OTHERS].types = types & ~CAPTURE_BIT(CAPTURE_TRACE);
	c->pipe = c->workers[TRACER].file = c->workers[OTHERS].file = -1;
	rc = collection_start_request(c, s, q, err);
	if (rc)
		collection_free(c);
	else
		*out = c;
	return rc;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int collection_map_file(struct worker *w, struct error *err)
{
	struct stat st;

	if (fcntl(w->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) ||
	    fstat(w->file, &st))
		return error_errno(err, ERR_IO, "cannot seal what was collected");
	if (!st.st_size)
		return 0;
	w->map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, w->file, 0);
	if (w->map == MAP_FAILED) {
		w->map = NULL;
		return error_errno(err, ERR_NOMEM, "cannot map what was collected");
	}
	w->map_len = (size_t)st.st_size;
	return 0;
}

/* Sets w->why to how its process ended, unless collection_cancel has set it. */
static void explain_death(struct worker *w, int status)
{
	if (*w->why)
		return;
	if (WIFSIGNALED(status))
		snprintf(w->why, sizeof(w->why),
			 "the process that collects was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(w->why, sizeof(w->why), "the process that collects %s",
			 WEXITSTATUS(status) ? "had no memory for it" : "broke off");
}

/* Kills the process first: it may have closed the pipe and live on. */
static void end_worker(struct worker *w)
{
	int status = 0;

	if (!w->pid)
		return;
	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
	explain_death(w, status);
}

/* Reads what a worker has found. If it was cancelled, missing items are no error. */
static int read_found(struct collection *c, struct worker *w, bool cancelled, struct error *err)
{
	int rc;

	if (!w->types)
		return 0;
	c->found.whole = false;
	c->found.memory = NULL;
	rc = collection_map_file(w, err);
	close_fd(&w->file);
	if (!rc && w->map)
		rc = collected_read(&c->found, w->map, w->map_len, w->types, err);
	if (!rc && !c->found.whole)
		rc = error_set(err, ERR_FORMAT, "%s", w->why);
	if (!rc && c->found.memory)
		source_load(c->source, c->found.memory, c->found.memory_len);
	if (rc == ERR_FORMAT && cancelled)
		rc = 0;
	if (collected_fill(&c->found, w->types, w->why))
		rc = error_nomem(err);
	return rc;
}

static void collection_conclude(struct collection *c, bool cancelled)
{
	close_fd(&c->pipe);
	for (int i = 0; i < WORKERS; i++) {
		struct error error = { 0 };
		int rc;

		end_worker(&c->workers[i]);
		rc = read_found(c, &c->workers[i], cancelled, &error);
		if (rc && !c->rc) {
			c->rc = rc;
			c->error = error;
		}
	}
}

int collection_fd(const struct collection *c)
{
	return c->pipe;
}

bool collection_over(struct collection *c)
{
	struct pollfd pf = { .fd = c->pipe, .events = POLLIN };

	if (c->pipe >= 0 && poll(&pf, 1, 0) > 0)
		collection_conclude(c, false);
	return c->pipe < 0;
}

void collection_finish(struct collection *c)
{
	if (c->workers[TRACER].pid)
		kill(c->workers[TRACER].pid, SIGTERM);
}

void collection_cancel(struct collection *c, const char *why)
{
	if (c->pipe < 0)
		return;
	for (int i = 0; i < WORKERS; i++)
		snprintf(c->workers[i].why, sizeof(c->workers[i].why), "%s", why);
	collection_conclude(c, true);
}

int collection_items(struct collection *c, const struct collection_item **items, size_t *count,
		     struct error *err)
{
	*items = c->found.items;
	*count = c->found.count;
	return c->rc ? error_set(err, c->rc, "%s", c->error.text) : 0;
}

void collection_free(struct collection *c)
{
	if (!c)
		return;
	collection_cancel(c, "");
	for (int i = 0; i < WORKERS; i++) {
		close_fd(&c->workers[i].file);
		if (c->workers[i].map)
			munmap(c->workers[i].map, c->workers[i].map_len);
	}
	collected_release(&c->found);
	free(c);
}
