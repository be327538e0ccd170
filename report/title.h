/* What a profile is of, in words. */
#ifndef REPORT_TITLE_H
#define REPORT_TITLE_H

#include "report/view.h"

/* Appends v->title, or the program's name, or without one the sample type's. The text is as
 * foreign as the profile. ERR_NOMEM. */
int title_add(const struct profile *p, const struct report_view *v, struct buffer *text);

#endif
