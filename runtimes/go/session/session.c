/* Opens a Go process, and makes what all of its profiles have: comments, mappings, statistics. */
#include "runtimes/go/session/session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/maps.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "pprof/profile.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/gc.h"
#include "runtimes/go/session/builder.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/stacks/callers.h"

static bool session_frame_of(void *ctx, uint64_t pc, struct gocallers_frame *f)
{
	return gocallers_frame(ctx, pc, f);
}

static int expand_one(void *ctx, uint64_t pc, uint64_t *pcs, size_t room, size_t *count)
{
	return gocallers_expand(ctx, &pc, 1, 0, pcs, room, count);
}

static const char *session_function_at(void *ctx, uint64_t entry)
{
	return gocallers_function(ctx, entry);
}

int goprofile_new(struct goprofile **out, const struct process *process,
		  const struct goprofile_options *options, struct error *err)
{
	struct goprofile *g = calloc(1, sizeof(*g));
	struct pcframes_source source = { .frame = session_frame_of,
					  .expand = expand_one,
					  .function = session_function_at };
	int rc = g ? golive_open(&g->live, process, err) : error_nomem(err);

	if (!rc && gocallers_new(&g->callers, g->live))
		rc = error_nomem(err);
	if (rc) {
		goprofile_free(g);
		return rc;
	}
	g->process = process;
	g->options = *options;
	g->heap = GO_PUBLISHED;
	g->minor = g->live->vars.layout->minor;
	source.ctx = g->callers;
	source.minor = g->minor;
	pcframes_init(&g->frames, &source);
	*out = g;
	return 0;
}

void goprofile_free(struct goprofile *g)
{
	if (!g)
		return;
	pcframes_release(&g->frames);
	gocallers_free(g->callers);
	golive_free(g->live);
	buffer_release(&g->remarks);
	free(g);
}

const char *goprofile_version(const struct goprofile *g)
{
	return g->live->vars.version;
}

void goprofile_hold(struct goprofile *g, const struct go_held *held, size_t count,
		    const atomic_bool *let_go)
{
	g->held = held;
	g->held_count = count;
	g->let_go = let_go;
}

int goprofile_gc_wait(struct goprofile *g, uint64_t timeout_ns, bool *ended, struct error *err)
{
	return gogc_wait(g->live, timeout_ns, ended, err);
}

double goprofile_frequency(const struct goprofile *g)
{
	return g->options.frequency;
}

void goprofile_heap_of(struct goprofile *g, enum gobuckets_moment moment)
{
	g->heap = moment;
}

const struct goprofile_stats *goprofile_stats(const struct goprofile *g)
{
	return &g->stats;
}

int goprofile_remark(struct goprofile *g, const char *fmt, ...)
{
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = buffer_vaddf(&g->remarks, fmt, args);
	va_end(args);
	return rc ? rc : buffer_add(&g->remarks, "\n", 1);
}

int goprofile_note_buckets(struct goprofile *g, const struct gobuckets_stats *s, struct error *err)
{
	g->stats = (struct goprofile_stats){
		.reported = s->buckets, .again = s->again, .reads = s->reads, .bytes = s->bytes
	};
	if ((s->all && goprofile_remark(g, "no GC cycle has ended yet: all that was allocated")) ||
	    (s->mixed && goprofile_remark(g, "GC cycles ended while it was read: some numbers are "
					     "of the one before")) ||
	    (s->again && goprofile_remark(g, REMARK_AGAIN, s->again)))
		return error_nomem(err);
	return 0;
}

int goprofile_note_goroutines(struct goprofile *g, const struct gogoroutines_stats *s,
			      uint64_t unreadable, struct error *err)
{
	uint64_t cut = s->ends[GO_WALK_SHORT] + s->ends[GO_WALK_UNKNOWN] + s->ends[GO_WALK_BROKEN];

	g->stats = (struct goprofile_stats){ .reported = s->goroutines,
					     .again = s->again,
					     .without_stack = s->without_stack,
					     .left_out = s->left_out,
					     .reads = s->reads,
					     .bytes = s->bytes };
	if ((s->without_stack &&
	     goprofile_remark(g,
			      "goroutines that were running, whose stacks are not known: %" PRIu64,
			      s->without_stack)) ||
	    (cut && goprofile_remark(g, "stacks that end before their beginning: %" PRIu64, cut)) ||
	    (unreadable &&
	     goprofile_remark(g, "goroutines whose labels could not be read: %" PRIu64,
			      unreadable)) ||
	    (s->left_out &&
	     goprofile_remark(g, "entries left out that were no goroutines: %" PRIu64,
			      s->left_out)) ||
	    (s->again && goprofile_remark(g, REMARK_AGAIN, s->again)))
		return error_nomem(err);
	return 0;
}

/* The build ID of the file that the process would find by the name of the mapping; "": none. */
static const char *build_id(const struct goprofile *g, const struct maps_line *line)
{
	const struct mapping *m;

	if (!line->path_len || line->path[0] != '/')
		return "";
	m = modmap_find(g->live->maps, line->start);
	return m ? image_build_id(m->image) : "";
}

/* runtime/pprof/proto.go, parseProcSelfMaps: adds executable ranges. If text is mapped to huge
 * pages, the part that is not populated yet has neither file nor inode; it is left out. */
static int session_add_mapping(struct goprofile *g, struct builder *b, const struct maps_line *line)
{
	struct profile_mapping m = { .start = line->start,
				     .limit = line->end,
				     .offset = line->offset };
	size_t len = process_path_len(g->process, line->path, line->path_len, line->inode);

	if (line->prot[2] != 'x' || (!line->inode && !len))
		return 0;
	if (profile_text(b->profile, line->path, len, &m.filename) ||
	    profile_string(b->profile, build_id(g, line), &m.build_id))
		return ERR_NOMEM;
	return builder_add_mapping(b, &m);
}

static int session_add_mappings(struct goprofile *g, struct builder *b, struct error *err)
{
	struct buffer text = { 0 };
	struct maps_line line;
	struct cursor c;
	int rc = process_read(g->process, "maps", &text, err);

	cursor_init(&c, text.data, text.len, "maps");
	while (!rc && (rc = maps_next(&c, &line, err)) > 0)
		rc = session_add_mapping(g, b, &line) ? error_nomem(err) : 0;
	buffer_release(&text);
	return rc;
}

int goprofile_begin(struct goprofile *g, struct builder *b, struct profile *p, struct error *err)
{
	builder_init(b, p, &g->frames);
	p->time_nanos = (int64_t)clock_ns(CLOCK_REALTIME);
	return session_add_mappings(g, b, err);
}

int goprofile_add_comments(const struct goprofile *g, struct profile *p)
{
	const char *at = (const char *)g->remarks.data;
	struct buffer text = { 0 };
	uint32_t id;
	int rc = buffer_addf(&text,
			     "sampler " SAMPLER_VERSION ": read from the memory of a %s program",
			     goprofile_version(g));

	if (!rc)
		rc = profile_text(p, (const char *)text.data, text.len, &id) ||
				     profile_add_comment_id(p, id) ?
			     ERR_NOMEM :
			     0;
	buffer_release(&text);
	for (size_t left = g->remarks.len; left && !rc;) {
		size_t len = (size_t)((const char *)memchr(at, '\n', left) - at);

		rc = profile_text(p, at, len, &id) || profile_add_comment_id(p, id) ? ERR_NOMEM : 0;
		at += len + 1;
		left -= len + 1;
	}
	return rc;
}

int goprofile_end(struct goprofile *g, struct builder *b, struct error *err)
{
	return builder_finish(b) || goprofile_add_comments(g, b->profile) ? error_nomem(err) : 0;
}
