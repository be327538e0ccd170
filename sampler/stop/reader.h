/*
 * Reads of live processes for a thread that holds no thread, each by a copier (copier.h), so that
 * one which does not come back costs that read only. It fails with EIO after READER_NS, as do all
 * others of the same process or thread until it is back.
 *
 * The copier reads into memory of its own, so that nothing of the caller's is in use after that.
 */
#ifndef SAMPLER_STOP_READER_H
#define SAMPLER_STOP_READER_H

#include <stdint.h>

struct error;
struct reader;

enum { READER_NS = 250000000 };

/* The caller frees *r with reader_free. ERR_NOMEM. */
int reader_new(struct reader **r, struct error *err);

/* A read that is not back is left to itself. NULL is harmless. */
void reader_free(struct reader *r);

/* The calling thread reads by `r` from now on, or with NULL as before (memory_live_reads_by). One
 * thread at a time uses a reader. */
void reader_use(struct reader *r);

/* `of` stands for the process whose threads are read from now on; NULL: each number is one. */
void reader_reads(struct reader *r, const void *of);

/* Reads that have not come back in time. */
uint64_t reader_stuck(const struct reader *r);

/* CPU time of its copiers, in ns. */
uint64_t reader_cpu_ns(const struct reader *r);

#endif
