/*
 * The counters of a Go runtime, read out of its memory while it runs: nothing is stopped,
 * nothing called.
 *
 * They are what runtime.ReadMemStats, runtime.NumGoroutine and runtime/metrics would say,
 * to the object in a program that is at rest. One that runs goes on between two reads:
 * numbers that belong together may be a fraction of a millisecond apart.
 */
#ifndef GORUNTIME_GOMETRICS_H
#define GORUNTIME_GOMETRICS_H

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
	GOMETRIC_FREE_OBJECTS,	/* MemStats.Frees */
	GOMETRIC_COUNT,
};

struct gometric_value {
	uint64_t number;
	const char *why_not; /* NULL, or why there is none; static text */
};

/* Finds the runtime of a process (not owned) and its variables. Takes some ms. ERR_NOTFOUND:
 * it is no program of Go's; ERR_FORMAT: one that is not understood, the message says how, or
 * perhaps only not yet; ERR_PERM, ERR_GONE, ERR_NOMEM. x86-64 only. */
int gometrics_new(struct gometrics **g, const struct process *process, struct error *err);
void gometrics_free(struct gometrics *g);

/* As runtime.Version says it. */
const char *gometrics_version(const struct gometrics *g);

/* Reads all of them. */
void gometrics_read(struct gometrics *g, struct gometric_value values[GOMETRIC_COUNT]);

#endif
