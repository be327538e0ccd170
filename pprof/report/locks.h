/* The time that threads waited for locks, by lock and by the stack of the thread that held it, from
 * the labels of a wall profile (sampler/profile/locklabels.h). A report_writer. ERR_NOTFOUND: no
 * sample waits for a lock. */
#ifndef PPROF_REPORT_LOCKS_H
#define PPROF_REPORT_LOCKS_H

#include "pprof/view.h"

int report_locks(const struct profile *p, const struct report_view *v, struct buffer *out,
		 struct error *err);

#endif
