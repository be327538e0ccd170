/*
 * Prints where nearly all processes are alike and few differ, a line each: of main threads first,
 * the largest number of compared threads first; then main threads that are all alike.
 *
 *   7 of 8 in all_reduce, distributed.py:2806; 1 in next, train.py:212 (process 4711 "python3")
 */
#ifndef CLI_DUMP_MERGE_OUTLIERS_H
#define CLI_DUMP_MERGE_OUTLIERS_H

struct merged;
struct printer;

void outliers_print(const struct merged *m, struct printer *p);

#endif
