/* The VM's list of its threads (threads.c), for what else is read of them. */
#ifndef RUNTIMES_HOTSPOT_THREADS_H
#define RUNTIMES_HOTSPOT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtimes/common/managed.h"

struct hotspot;
struct hotspot_oops;

struct hotspot_listed {
	pid_t tid;	     /* in its own PID namespace; 0: it has none yet */
	uint64_t thread, os; /* addresses: of its C++ object, of its OSThread */
	bool java;	     /* a JavaThread */
	uint64_t vtable;
	const char *role; /* a constant; NULL: none */
	char name[MANAGED_THREAD_NAME];
};

/* The JavaThread of that number, which is still its own; NULL: none. Valid until the next call of
 * this function or of hotspot_thread. */
const struct hotspot_listed *hotspot_threads_java(const struct hotspot *hs, pid_t own_tid);

/* All, as they were listed last; valid as above. */
const struct hotspot_listed *hotspot_threads_list(const struct hotspot *hs, size_t *count);

/* Does the VM still say the same of it? */
bool hotspot_threads_is(const struct hotspot *hs, const struct hotspot_listed *k);

/* How objects are read; NULL: not known yet, or not to us. */
struct hotspot_oops *hotspot_threads_oops(const struct hotspot *hs);

/* Its java.lang.Thread. False: not known, as ZGC may have moved it. */
bool hotspot_threads_object(const struct hotspot *hs, const struct hotspot_listed *k,
			    uint64_t *object);

#endif
