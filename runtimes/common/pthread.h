/*
 * What CPython's and Ruby's thread_id points to: glibc's struct pthread, from which the thread's
 * number can be read. CPython up to 3.10 does not record that number itself; Ruby up to 3.0 does
 * not, and up to 3.2 not for a child of fork(2).
 *
 * glibc's nptl/descr.h: x86-64: the header is a tcbhead_t of 704 bytes (sysdeps/x86_64/nptl/tls.h)
 * whose first word and third one are pthread_self; a list of 16 bytes and tid follow. aarch64: the
 * header has 192 bytes; the thread pointer is another address, behind struct pthread, whose size
 * differs by release. Since glibc 2.11 nothing of this has changed. musl's structure has another
 * first word, or none of these; its threads have no number here.
 */
#ifndef RUNTIMES_COMMON_PTHREAD_H
#define RUNTIMES_COMMON_PTHREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/process/memory.h"

#if defined(__x86_64__)
enum { PTHREAD_TID = 720, PTHREAD_SELF_IS_TP = 1 };
#else
enum { PTHREAD_TID = 208, PTHREAD_SELF_IS_TP = 0 };
#endif
enum { PTHREAD_BYTES = PTHREAD_TID + 8, PTHREAD_TID_MAX = 1 << 22 }; /* PID_MAX_LIMIT in Linux */

static inline pid_t pthread_plausible_tid(uint64_t id)
{
	return id && id <= PTHREAD_TID_MAX ? (pid_t)id : 0;
}

/* `bytes`: PTHREAD_BYTES of the structure at `self`. 0: it has another layout. */
static inline pid_t pthread_tid(const void *bytes, uint64_t self)
{
	if (PTHREAD_SELF_IS_TP && (memory_word(bytes, 0) != self || memory_word(bytes, 16) != self))
		return 0;
	return pthread_plausible_tid((uint32_t)memory_word(bytes, PTHREAD_TID));
}

/* The same, read from the process. 0: it cannot be read, either. */
static inline pid_t pthread_read_tid(const struct memory *memory, uint64_t self)
{
	uint8_t bytes[PTHREAD_BYTES];

	return memory->read(memory, self, bytes, sizeof(bytes)) ? 0 : pthread_tid(bytes, self);
}

#endif
