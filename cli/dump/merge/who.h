/* Prints frames, and the threads and processes that are in one, by name if they are few. */
#ifndef CLI_DUMP_MERGE_WHO_H
#define CLI_DUMP_MERGE_WHO_H

#include <stddef.h>
#include <stdint.h>

struct merged;
struct printer;

enum { WHO_FEW = 4 }; /* threads or processes that are named */

/* `next, train.py:212` */
void who_print_frame(const struct merged *m, uint32_t frame, struct printer *p);

/* `node17: process 4711 "python3"`, `thread 4713 "io-3" of process 4711 "python3"`, several with
 * commas between them; of many threads of few processes the processes; else `93 processes`. Nothing
 * if there is only one process, and many threads. The threads are in the order of
 * merged_compare. */
void who_print(const struct merged *m, const uint32_t *threads, size_t count, struct printer *p);

/* How many processes they are of. */
size_t who_count_processes(const struct merged *m, const uint32_t *threads, size_t count);

#endif
