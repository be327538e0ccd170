/*
 * The one table of profile types that a round can take: names, files, collectors, and which types
 * have a delta. delta/delta.h says which values a delta subtracts.
 *
 * Names and files are those of dd-trace-go (profiler/profile.go); inuse and alloc are those of
 * Google Cloud Profiler's agent.
 */
#ifndef ROUNDS_SOURCE_CAPTURE_H
#define ROUNDS_SOURCE_CAPTURE_H

struct error;
struct goprofile_id;

enum capture_type {
	CAPTURE_CPU,
	CAPTURE_WALL,
	CAPTURE_HEAP,
	CAPTURE_ALLOCS,
	CAPTURE_INUSE,
	CAPTURE_ALLOC,
	CAPTURE_BLOCK,
	CAPTURE_MUTEX,
	CAPTURE_GOROUTINE,
	CAPTURE_GOROUTINEWAIT,
	CAPTURE_THREADCREATE,
	CAPTURE_CUSTOM,
	CAPTURE_METRICS,
	CAPTURE_TRACE,
	CAPTURE_TYPES, /* the number of types */
};

enum capture_collector {
	CAPTURE_BY_SAMPLING, /* the target's threads, through the round */
	CAPTURE_BY_GO,	     /* the Go runtime's own profiles (rounds/source/source.h) */
	CAPTURE_BY_PROC,     /* counters (rounds/metrics/metrics.h) */
};

struct capture_info {
	const char *name;	/* for -t */
	const char *file;	/* in a batch; for custom, NAME is encoded
				 * (rounds/collect/customname.h) */
	const char *delta_file; /* NULL: it has no delta */
	enum capture_collector by;
	const struct goprofile_id *go_profile; /* the one it is made from; or NULL */
	const char *what;		       /* for --help: a few words */
};

extern const struct capture_info captures[CAPTURE_TYPES];

/* A set of types has bit 1 << type for each. */
#define CAPTURE_BIT(type) (1U << (type))

/* The set of types that are made from the heap profile. */
#define CAPTURE_HEAPS \
	(CAPTURE_BIT(CAPTURE_HEAP) | CAPTURE_BIT(CAPTURE_ALLOCS) | CAPTURE_BIT(CAPTURE_INUSE) | \
	 CAPTURE_BIT(CAPTURE_ALLOC))

/* "cpu,heap" -> a set. ERR_USAGE: no such type; the message lists all. */
int capture_parse(const char *list, unsigned *set, struct error *err);

/* The set of all types with this collector. */
unsigned capture_set(enum capture_collector by);

#endif
