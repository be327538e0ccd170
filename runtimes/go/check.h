/* Checks whether a Go runtime is laid out as expected. */
#ifndef RUNTIMES_GO_CHECK_H
#define RUNTIMES_GO_CHECK_H

struct error;
struct golive;

/* Compares what was found (fields, places) with the live data: the list of goroutines and the first
 * goroutines, the list of Ms and the first Ms, the reasons to wait. ERR_FORMAT: they do not agree,
 * or the runtime has not begun yet, and the message says which; ERR_GONE. */
int gocheck(const struct golive *live, struct error *err);

#endif
