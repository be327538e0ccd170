/* The kinds of profiles that goprofile_make and goprofile_text dispatch to (make.c). */
#ifndef RUNTIMES_GO_PROFILE_KINDS_H
#define RUNTIMES_GO_PROFILE_KINDS_H

struct buffer;
struct error;
struct goprofile;
struct goprofile_id;
struct profile;

struct goprofile_kind {
	/* Fills a profile that has no types yet. */
	int (*make)(struct goprofile *g, const struct goprofile_id *id, struct profile *p,
		    struct error *err);
	/* Appends the text form. */
	int (*text)(struct goprofile *g, const struct goprofile_id *id, struct buffer *out,
		    struct error *err);
};

/* The heap; block and mutex; goroutines, threads and custom profiles. */
extern const struct goprofile_kind goprofile_heap, goprofile_delay, goprofile_count;

/* Appends runtime.MemStats as runtime/pprof prints it at the end of a heap profile's text: the
 * fields in Go's order, without those that are not known. ERR_NOMEM. */
int memstats_add(struct goprofile *g, struct buffer *out);

#endif
