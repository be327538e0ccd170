/* Prints the tree of all threads' frames, outermost first, the call with most threads first. */
#ifndef CLI_DUMP_MERGE_MERGETREE_H
#define CLI_DUMP_MERGE_MERGETREE_H

struct merged;
struct printer;

/*
 *    8  main, train.py:10
 *    7  ├─all_reduce, distributed.py:2806
 *    7  │ poll in libc.so.6  (sleeping in poll; 7 processes)
 *    1  └─next, train.py:212  (running; process 4711 "python3")
 */
void mergetree_print(const struct merged *m, struct printer *p);

#endif
