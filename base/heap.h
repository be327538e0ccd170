/*
 * How much freed memory malloc(3) may keep, for what runs for months.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

/* Before the first thread: large pieces go back to the kernel when they are freed (but those
 * that fitted into a hole), and all threads together make two arenas. Only where malloc is
 * glibc's. */
void heap_settle(void);

/* Gives back what is free. Holds up who allocates meanwhile (some hundred microseconds). */
void heap_trim(void);

#endif
