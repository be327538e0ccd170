/* Is a Go runtime what we take it for? */
#ifndef GORUNTIME_GOCHECK_H
#define GORUNTIME_GOCHECK_H

struct error;
struct golive;

/* Compares what was found (fields, places) with the live data: the list of goroutines and the
 * first of them, the list of Ms and the first of those, the reasons to wait. ERR_FORMAT: they
 * do not agree, or the runtime has not begun yet, the message says which; ERR_GONE, ERR_PERM. */
int gocheck(const struct golive *live, struct error *err);

#endif
