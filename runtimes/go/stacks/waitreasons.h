/* The reasons for which goroutines wait, in the program's own words. */
#ifndef RUNTIMES_GO_STACKS_WAITREASONS_H
#define RUNTIMES_GO_STACKS_WAITREASONS_H

#include <stdbool.h>
#include <stdint.h>

struct memory;

enum { GO_REASONS = 256, GO_REASON_ROOM = 64 };

/* Zeroed at first. */
struct goreasons {
	char texts[GO_REASONS][GO_REASON_ROOM];
	bool known[GO_REASONS];
};

/* The text of a reason (runtime.waitReason.String, runtime/runtime2.go), read at its first use from
 * the array of strings at `strings`, waitReasonStrings (0: not known). "": there is none. Valid as
 * long as `r`. */
const char *goreasons_text(struct goreasons *r, const struct memory *memory, uint64_t strings,
			   uint8_t reason);

#endif
