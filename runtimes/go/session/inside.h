/* What the files that make profiles of a Go process share. */
#ifndef RUNTIMES_GO_SESSION_INSIDE_H
#define RUNTIMES_GO_SESSION_INSIDE_H

#include <inttypes.h>

#include "base/buffer.h"
#include "runtimes/go/session/pcframes.h"
#include "runtimes/go/session/session.h"

struct builder;
struct gocallers;
struct golive;
struct profile;

struct goprofile {
	const struct process *process; /* not owned */
	struct goprofile_options options;
	enum gobuckets_moment heap;
	const struct go_held *held; /* goprofile_hold */
	size_t held_count;
	const atomic_bool *let_go;
	struct golive *live;
	struct gocallers *callers;
	struct pcframes frames; /* looked up in `callers` */
	unsigned minor;		/* the release: 1.minor */
	struct goprofile_stats stats;
	struct buffer remarks; /* of the current profile, lines: what was left out, and why */
};

#define REMARK_AGAIN "reads repeated, since the program had gone on: %" PRIu64

/* Adds a line to the remarks. ERR_NOMEM. */
int goprofile_remark(struct goprofile *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds the comments to a profile: which program it is from, and the remarks. ERR_NOMEM. */
int goprofile_add_comments(const struct goprofile *g, struct profile *p);

/* Begins the profile `p` with what all profiles of Go have: the builder, the time, the mappings.
 * The caller releases the builder, after an error too. ERR_NOMEM, ERR_GONE, ERR_PERM. */
int goprofile_begin(struct goprofile *g, struct builder *b, struct profile *p, struct error *err);

/* Ends the profile: adds mappings and comments. ERR_NOMEM. */
int goprofile_end(struct goprofile *g, struct builder *b, struct error *err);

/* Sets stats and remarks after reading buckets. ERR_NOMEM. */
int goprofile_note_buckets(struct goprofile *g, const struct gobuckets_stats *stats,
			   struct error *err);

/* The same after reading goroutines, of which `unreadable` had unreadable labels. ERR_NOMEM. */
int goprofile_note_goroutines(struct goprofile *g, const struct gogoroutines_stats *stats,
			      uint64_t unreadable, struct error *err);

#endif
