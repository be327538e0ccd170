/* What goroutines wait for, in the words that the program has for it. */
#ifndef GORUNTIME_GOREASONS_H
#define GORUNTIME_GOREASONS_H

#include <stdbool.h>
#include <stdint.h>

struct memory;

enum { GO_REASONS = 256, GO_REASON_ROOM = 64 };

struct goreasons {
	char texts[GO_REASONS][GO_REASON_ROOM];
	bool known[GO_REASONS];
};

/* runtime.waitReason.String (runtime/runtime2.go); `strings` is where waitReasonStrings is, 0:
 * nobody knows. "" for none. Remembered in `r`, {0} at first, and good as long as it. */
const char *goreasons_text(struct goreasons *r, const struct memory *memory, uint64_t strings,
			   uint8_t reason);

#endif
