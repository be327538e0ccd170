/* Dispatches to the code that makes each profile of a Go process. */
#include "runtimes/go/profile/make.h"

#include <string.h>

#include "base/error.h"
#include "runtimes/go/numbers/custom.h"
#include "runtimes/go/profile/kinds.h"
#include "runtimes/go/profile/type.h"
#include "runtimes/go/session/inside.h"
#include "runtimes/go/stacks/callers.h"

const struct goprofile_id goprofile_ids[GOPROFILE_CUSTOM] = {
	[GOPROFILE_HEAP] = { GOPROFILE_HEAP, "heap" },
	[GOPROFILE_BLOCK] = { GOPROFILE_BLOCK, "block" },
	[GOPROFILE_MUTEX] = { GOPROFILE_MUTEX, "mutex" },
	[GOPROFILE_GOROUTINE] = { GOPROFILE_GOROUTINE, "goroutine" },
	[GOPROFILE_THREADCREATE] = { GOPROFILE_THREADCREATE, "threadcreate" },
};

/* True for the functions of runtime/mprof.go that fill buckets, advance their numbers or publish
 * them; and for the runtime's signal handlers (runtime/signal_unix.go), which may have interrupted
 * one of these. */
static bool writes_buckets(const char *function)
{
	static const char *const names[] = {
		"mProf_",    "(*memRecord",	 "(*bucket)",		"setprofilebucket",
		"stkbucket", "saveblockevent",	 "saveBlockEventStack", "sig",
		"dosig",     "adjustSignalStack"
	};

	if (!function || strncmp(function, "runtime.", 8) != 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(function + 8, names[i], strlen(names[i])))
			return true;
	return false;
}

/* True if a held thread is in a function that writes buckets. */
static bool make_is_written(struct goprofile *g)
{
	for (size_t i = 0; i < g->held_count; i++)
		if (writes_buckets(gocallers_function(g->callers, g->held[i].pc)))
			return true;
	return false;
}

/* Begins goprofile_make and goprofile_text. ERR_SHORT: a held thread is writing buckets. */
static int make_begin(struct goprofile *g, const struct goprofile_kind *kind, struct error *err)
{
	g->stats = (struct goprofile_stats){ 0 };
	g->remarks.len = 0;
	if (kind == &goprofile_count || !make_is_written(g))
		return 0;
	return error_set(err, ERR_SHORT, "a thread is held while it writes what is to be read");
}

static const struct goprofile_kind *make_kind_of(enum goprofile_type type)
{
	if (type == GOPROFILE_HEAP)
		return &goprofile_heap;
	return type == GOPROFILE_BLOCK || type == GOPROFILE_MUTEX ? &goprofile_delay :
								    &goprofile_count;
}

int goprofile_make(struct goprofile *g, const struct goprofile_id *id, struct profile *p,
		   struct error *err)
{
	const struct goprofile_kind *kind = make_kind_of(id->type);
	int rc = make_begin(g, kind, err);

	return rc ? rc : kind->make(g, id, p, err);
}

int goprofile_text(struct goprofile *g, const struct goprofile_id *id, struct buffer *out,
		   struct error *err)
{
	const struct goprofile_kind *kind = make_kind_of(id->type);
	int rc = make_begin(g, kind, err);

	return rc ? rc : kind->text(g, id, out, err);
}

static int make_add_name(void *ctx, const char *name, size_t len, struct error *err)
{
	struct buffer *names = ctx;

	if (memchr(name, '\0', len)) /* no caller could pass it */
		return 0;
	return buffer_add(names, name, len) || buffer_add(names, "", 1) ? error_nomem(err) : 0;
}

int goprofile_custom(struct goprofile *g, struct buffer *names, struct error *err)
{
	return gocustom_names(g->live, make_add_name, names, err);
}
