/* A profile's title. */
#ifndef PPROF_FLAME_TITLE_H
#define PPROF_FLAME_TITLE_H

#include "pprof/view.h"

/* Appends v->title. If it is NULL, appends the program's name; without a program, the sample type's
 * name. The text is as untrusted as the profile. ERR_NOMEM. */
int title_add(const struct profile *p, const struct report_view *v, struct buffer *text);

#endif
