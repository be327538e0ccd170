/* Which of a Go program's profiles: what runtime/pprof.Lookup finds. */
#ifndef RUNTIMES_GO_PROFILE_TYPE_H
#define RUNTIMES_GO_PROFILE_TYPE_H

enum goprofile_type {
	GOPROFILE_HEAP,
	GOPROFILE_BLOCK,
	GOPROFILE_MUTEX,
	GOPROFILE_GOROUTINE,
	GOPROFILE_THREADCREATE,
	GOPROFILE_CUSTOM, /* one that the program itself registered */
};

struct goprofile_id {
	enum goprofile_type type;
	const char *name; /* for Lookup; distinguishes custom profiles */
};

/* The runtime's own profiles (make.c). "allocs" is not in the table: it is "heap" with another
 * default_sample_type. */
extern const struct goprofile_id goprofile_ids[GOPROFILE_CUSTOM];

#endif
