/*
 * The numbers of CPUs.
 */
#ifndef SAMPLER_CAPTURE_CPUS_H
#define SAMPLER_CAPTURE_CPUS_H

#include <stddef.h>

/* One more than the highest number that a CPU of this machine can have while the kernel runs: CPUs
 * may come, and numbers may be missing. sysconf(3), _SC_NPROCESSORS_CONF, counts CPUs instead, and
 * in a container (lxcfs) only those that are shown there. At least 1. */
unsigned cpus_bound(void);

/* The same from the text of /sys/devices/system/cpu/possible ("0-3,8-11"); 0: it has none. */
unsigned cpus_bound_of(const char *text, size_t len);

#endif
