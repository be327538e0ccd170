/* How many descriptors we may have open. */
#ifndef SAMPLER_THREAD_OPENFILES_H
#define SAMPLER_THREAD_OPENFILES_H

#include <stddef.h>

enum { OPENFILES_OTHER = 1024 }; /* which the rest of the program may need */

/* Raises the limit of open descriptors as far as it may be raised, and returns it. 0: not known. */
size_t openfiles_allowed(void);

/* How many of them may be kept open for looks at threads, and as many for the searches of tickers
 * (sampler/capture/roster.h). */
size_t openfiles_for_threads(void);

#endif
