/*
 * The text of debug=2, as the target's release of the runtime prints it (runtime/traceback.go;
 * mprof.go, Stack). The differences are:
 *
 * - An argument that could not be read is printed as "_", as Go prints an argument that it cannot
 *   print.
 * - All goroutines are in the order of runtime.allgs. Go begins with the goroutine that requests
 *   the dump; here no goroutine does.
 * - Up to 1.20 the runtime stops after 100 physical frames, and says so only if it has printed 100.
 *   It counts frames of wrappers, which it does not print. Our stacks have no wrappers, so more
 *   frames may be printed here.
 */
#include <inttypes.h>

#include "base/utf8.h"
#include "runtimes/go/debug.h"
#include "runtimes/go/nanotime.h"
#include "runtimes/go/profile/make.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/session/labelled.h"
#include "runtimes/go/session/traceback.h"
#include "runtimes/go/stacks/goroutines.h"

static const int64_t MINUTE = INT64_C(60000000000);

struct dumping {
	struct traceback traceback;
	struct buffer *out;
	unsigned minor;
	bool labels; /* true: labels are printed */
	bool first;
	int64_t now; /* runtime.nanotime, ns; 0: not known */
};

static int profile_dump_put(struct buffer *out, struct goparse_text t)
{
	return buffer_add(out, t.at, t.len);
}

/* runtime/print.go, printquoted. */
static int put_rune(struct buffer *out, uint32_t r)
{
	static const char plain[] = "\n\r\t\\\"", letters[] = "nrt\\\"";

	for (size_t i = 0; i < sizeof(plain) - 1; i++)
		if (r == (uint8_t)plain[i])
			return buffer_addf(out, "\\%c", letters[i]);
	if (r >= ' ' && r <= '~')
		return buffer_addf(out, "%c", (int)r);
	return buffer_addf(out,
			   r < 127     ? "\\x%02" PRIx32 :
			   r < 0x10000 ? "\\u%04" PRIx32 :
					 "\\U%08" PRIx32,
			   r);
}

static int profile_dump_put_quoted(struct dumping *d, struct goparse_text t)
{
	int rc = buffer_add(d->out, "\"", 1);
	size_t len;

	for (size_t i = 0; i < t.len && !rc; i += len) {
		uint32_t r = utf8_next(t.at + i, t.len - i, &len);
		bool broken = r == UTF8_REPLACEMENT && len == 1;

		/* From 1.27 on, bytes that are not UTF-8 are distinguished from U+FFFD. */
		if (broken && d->minor >= 27)
			rc = buffer_addf(d->out, "\\x%02x", (uint8_t)t.at[i]);
		else
			rc = put_rune(d->out, r);
	}
	return rc ? rc : buffer_add(d->out, "\"", 1);
}

/* tracebackStringNeedsQuoting, from 1.27 on. */
static int profile_dump_put_label(struct dumping *d, struct goparse_text t)
{
	if (d->minor < 27)
		return profile_dump_put_quoted(d, t);
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '.' || c == '/' || c == '_'))
			return profile_dump_put_quoted(d, t);
	}
	return profile_dump_put(d->out, t);
}

static int profile_dump_put_labels(struct dumping *d, const struct goparse_goroutine *g)
{
	int rc = buffer_addf(d->out, d->minor < 27 ? " labels:{" : " {");

	for (size_t i = 0; i < g->label_count && !rc; i++)
		rc = (i && buffer_addf(d->out, ", ")) ||
				     profile_dump_put_label(d, g->labels[i].key) ||
				     buffer_addf(d->out, ": ") ||
				     profile_dump_put_label(d, g->labels[i].value) ?
			     ERR_NOMEM :
			     0;
	return rc ? rc : buffer_add(d->out, "}", 1);
}

/* goroutineheader */
static int profile_dump_put_header(struct dumping *d, const struct go_goroutine *r,
				   const struct goparse_goroutine *g)
{
	bool waits = r->status == GO_WAITING || r->status == GO_SYSCALL;
	int64_t minutes = waits && r->wait_since > 0 && d->now > r->wait_since ?
				  (d->now - r->wait_since) / MINUTE :
				  0;
	bool labels = d->labels && g->label_count;

	if (buffer_addf(d->out, "%sgoroutine %" PRIu64 " [", d->first ? "" : "\n", g->stack.id) ||
	    profile_dump_put(d->out, g->state) ||
	    (g->flags & GOPARSE_LEAKED && buffer_addf(d->out, " (leaked)")) ||
	    (g->flags & GOPARSE_SCAN && buffer_addf(d->out, " (scan)")) ||
	    (g->flags & GOPARSE_DURABLE && buffer_addf(d->out, " (durable)")) ||
	    (minutes && buffer_addf(d->out, ", %" PRId64 " minutes", minutes)) ||
	    (g->locked && buffer_addf(d->out, ", locked to thread")) ||
	    (g->bubble && buffer_addf(d->out, ", synctest bubble %" PRIu64, g->bubble)) ||
	    (labels && d->minor < 27 && profile_dump_put_labels(d, g)) ||
	    buffer_add(d->out, "]", 1) ||
	    (labels && d->minor >= 27 && profile_dump_put_labels(d, g)) ||
	    buffer_add(d->out, ":\n", 2))
		return ERR_NOMEM;
	return 0;
}

static int profile_dump_put_place(struct buffer *out, const struct goparse_frame *f)
{
	if (buffer_add(out, "\t", 1) || profile_dump_put(out, f->file) ||
	    buffer_addf(out, ":%" PRIu64, f->line) ||
	    (f->pc_offset && buffer_addf(out, " +0x%" PRIx64, f->pc_offset)) ||
	    buffer_add(out, "\n", 1))
		return ERR_NOMEM;
	return 0;
}

static int profile_dump_put_frame(struct buffer *out, const struct goparse_frame *f)
{
	if (profile_dump_put(out, f->function) || buffer_add(out, "(", 1) ||
	    profile_dump_put(out, f->args) || buffer_add(out, ")\n", 2) ||
	    profile_dump_put_place(out, f))
		return ERR_NOMEM;
	return 0;
}

static int profile_dump_put_stack(struct buffer *out, const struct goparse_stack *s)
{
	int rc = 0;

	if (s->unavailable)
		rc = buffer_addf(out, "\tgoroutine running on other thread; stack unavailable\n");
	for (size_t i = 0; i <= s->count && !rc; i++) {
		if (s->elided && i == s->elided_at)
			rc = s->elided_count ? buffer_addf(out, "...%" PRIu64 " frames elided...\n",
							   s->elided_count) :
					       buffer_addf(out, "...additional frames elided...\n");
		if (!rc && i < s->count)
			rc = profile_dump_put_frame(out, &s->frames[i]);
	}
	if (rc || !s->created_by.function.len)
		return rc;
	if (buffer_addf(out, "created by ") || profile_dump_put(out, s->created_by.function) ||
	    (s->created_in && buffer_addf(out, " in goroutine %" PRIu64, s->created_in)) ||
	    buffer_add(out, "\n", 1) || profile_dump_put_place(out, &s->created_by))
		return ERR_NOMEM;
	return 0;
}

static int put_ancestors(struct buffer *out, const struct goparse_goroutine *g)
{
	int rc = 0;

	for (size_t i = 0; i < g->ancestor_count && !rc; i++)
		rc = buffer_addf(out, "[originating from goroutine %" PRIu64 "]:\n",
				 g->ancestors[i].id) ||
				     profile_dump_put_stack(out, &g->ancestors[i]) ?
			     ERR_NOMEM :
			     0;
	return rc;
}

static int dump_one(void *ctx, const struct go_goroutine *r, uint32_t set, struct error *err)
{
	struct dumping *d = ctx;
	struct goparse_goroutine g;

	if (traceback_make(&d->traceback, r, set, &g) || profile_dump_put_header(d, r, &g) ||
	    profile_dump_put_stack(d->out, &g.stack) || put_ancestors(d->out, &g))
		return error_nomem(err);
	d->first = false;
	return 0;
}

/* GODEBUG=tracebacklabels exists from 1.26 on, and is on by default from 1.27 on. */
static bool prints_labels(const struct goprofile *g)
{
	long asked = g->minor >= 26 ? godebug_setting(g->live, "tracebacklabels") : 0;

	return asked < 0 ? g->minor >= 27 : asked == 1;
}

int goprofile_dump(struct goprofile *g, struct buffer *out, struct error *err)
{
	struct dumping d = { .out = out,
			     .minor = g->minor,
			     .labels = prints_labels(g),
			     .first = true,
			     .now = gonanotime(g->process) };
	const struct labelled_wants wants = { .max_frames = TRACEBACK_FRAMES_MAX, .bytes = true };
	int rc;

	g->remarks.len = 0;
	traceback_init(&d.traceback, g);
	rc = labelled_read(g, wants, &d.traceback.sets, dump_one, &d, err);
	traceback_release(&d.traceback);
	return rc;
}
