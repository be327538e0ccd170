/*
 * Go's own profiles, as runtime/pprof would write them, made from the process's memory.
 *
 * This is the one place where the results of runtimes/go/ become a pprof profile, or the text of
 * debug=1 or debug=2. Numbers, labels, types, periods and hidden frames follow
 * runtime/pprof/pprof.go, protomem.go and proto.go of the target's release.
 */
#ifndef RUNTIMES_GO_PROFILE_MAKE_H
#define RUNTIMES_GO_PROFILE_MAKE_H

struct buffer;
struct error;
struct goprofile;
struct goprofile_id;
struct profile;

/* Makes a profile (runtimes/go/profile/type.h) in an initialised, empty one. ERR_NOTFOUND: the
 * program has no such profile, and the message says why; ERR_SHORT: not possible at the moment,
 * because a held thread is writing the profile's data or (GO_FRESH) the GC is sweeping; ERR_FORMAT,
 * ERR_LIMIT, ERR_PERM, ERR_GONE, ERR_NOMEM. What was repeated or left out is in the profile's
 * comments. */
int goprofile_make(struct goprofile *g, const struct goprofile_id *id, struct profile *p,
		   struct error *err);

/* Appends the same in the text form of debug=1. */
int goprofile_text(struct goprofile *g, const struct goprofile_id *id, struct buffer *out,
		   struct error *err);

/* Appends all goroutines in the text form of debug=2. Errors of gogoroutines_read. */
int goprofile_dump(struct goprofile *g, struct buffer *out, struct error *err);

/* Appends the names of custom profiles, each NUL-terminated. Errors of gocustom_names. */
int goprofile_custom(struct goprofile *g, struct buffer *names, struct error *err);

#endif
