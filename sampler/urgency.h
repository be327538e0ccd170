/* Being there when a thread stops, on a machine whose CPUs are busy. */
#ifndef SAMPLER_URGENCY_H
#define SAMPLER_URGENCY_H

#include <stdbool.h>

/* Makes the calling thread one of the lowest real-time priority, or an ordinary one
 * again. Where that is not permitted (CAP_SYS_NICE) nothing happens. */
void set_urgent(bool urgent);

#endif
