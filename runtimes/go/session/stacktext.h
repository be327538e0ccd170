/* Stacks as runtime/pprof prints them with debug=1 (pprof.go, printStackRecord). */
#ifndef RUNTIMES_GO_SESSION_STACKTEXT_H
#define RUNTIMES_GO_SESSION_STACKTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct pcframes;

/* Appends " 0x47f3e1 0x4a2b00", as it follows the "@". ERR_NOMEM. */
int stacktext_pcs(struct buffer *out, const uint64_t *pcs, size_t count);

/* Appends a line for each frame, in columns that are aligned with tabs as by text/tabwriter, and an
 * empty line. The runtime's frames at the beginning of the stack are left out, unless it has no
 * others or `all` is set. ERR_NOMEM. */
int stacktext_frames(struct buffer *out, struct pcframes *frames, const uint64_t *pcs, size_t count,
		     bool all);

#endif
