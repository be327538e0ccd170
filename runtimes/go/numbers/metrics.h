/*
 * The counters of a Go runtime, read from its memory while it runs. Nothing is stopped, and no
 * function of it is called.
 *
 * The values are those of runtime.ReadMemStats, runtime.NumGoroutine and runtime/metrics, exact to
 * the object in a program that is at rest. A running program continues between two reads: numbers
 * that belong together may be a fraction of a millisecond apart.
 */
#ifndef RUNTIMES_GO_NUMBERS_METRICS_H
#define RUNTIMES_GO_NUMBERS_METRICS_H

#include <stdint.h>

struct error;
struct gometrics;
struct process;

enum gometric {
	GOMETRIC_GOROUTINES,	/* runtime.NumGoroutine */
	GOMETRIC_PROCS,		/* GOMAXPROCS */
	GOMETRIC_THREADS,	/* Ms: pprof.Lookup("threadcreate").Count */
	GOMETRIC_GC_CYCLES,	/* MemStats.NumGC */
	GOMETRIC_GC_FORCED,	/* MemStats.NumForcedGC */
	GOMETRIC_GC_PAUSE,	/* MemStats.PauseTotalNs */
	GOMETRIC_HEAP,		/* MemStats.HeapAlloc, bytes */
	GOMETRIC_HEAP_LIVE,	/* marked by the last GC, bytes: /gc/heap/live:bytes */
	GOMETRIC_HEAP_GOAL,	/* MemStats.NextGC, bytes */
	GOMETRIC_ALLOC_BYTES,	/* MemStats.TotalAlloc */
	GOMETRIC_ALLOC_OBJECTS, /* MemStats.Mallocs */
	GOMETRIC_FREE_BYTES,
	GOMETRIC_FREE_OBJECTS, /* MemStats.Frees */
	GOMETRIC_COUNT,
};

struct gometric_value {
	uint64_t number;
	const char *why_not; /* NULL, or why there is no number; static text */
};

/* Finds the runtime of a process (not owned) and its variables. Takes some ms. The caller frees
 * *g with gometrics_free. ERR_NOTFOUND: it is not a Go program; ERR_FORMAT: it is not supported,
 * or perhaps only not ready yet, and the message says how; ERR_PERM, ERR_GONE, ERR_NOMEM. x86-64
 * only. */
int gometrics_new(struct gometrics **g, const struct process *process, struct error *err);
void gometrics_free(struct gometrics *g);

/* The release as runtime.Version returns it; owned by `g`. */
const char *gometrics_version(const struct gometrics *g);

/* Reads all counters. */
void gometrics_read(struct gometrics *g, struct gometric_value values[GOMETRIC_COUNT]);

#endif
