/*
 * Limits the freed memory that malloc(3) keeps, for processes that run for months.
 */
#ifndef ROUNDS_HEAP_H
#define ROUNDS_HEAP_H

/* To be called before the first thread is started. From then on a large allocation goes back to the
 * kernel when it is freed (except one that fitted into a hole), and all threads together use two
 * arenas. Does nothing unless malloc is glibc's. */
void heap_settle(void);

/* Gives free memory back to the kernel. Concurrent malloc blocks for some hundred microseconds. */
void heap_trim(void);

#endif
