/*
 * A function's arguments as tracebacks print them: "0xc000012345, {0x2, _}, 0x3?".
 *
 * The compiler tells, function by function, where they are above its frame and how they nest;
 * and for those that come in registers, whether what was spilled there holds the value already,
 * or still ("?": it may not).
 *
 * Sources: runtime/traceback.go, printArgs; cmd/compile/internal/ssagen, emitArgInfo, and
 * liveness/arg.go, of Go 1.18 to 1.27, which all print the same.
 */
#ifndef GORUNTIME_GOARGS_H
#define GORUNTIME_GOARGS_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct gosites;

enum {
	GOARGS_OPS = 171, /* abi.TraceArgsMaxLen */
	GOARGS_LIVE = 24, /* one bit for each that comes in a register */
};

struct goargs {
	uint8_t ops[GOARGS_OPS];  /* up to the first 0xff, or the end */
	uint8_t known_from;	  /* offset from which on `live` tells; 0xff: it tells nothing */
	uint8_t live[GOARGS_LIVE];
};

/* Those of the function that covers the instruction before pc. Without any where the tables
 * tell none. */
void goargs_load(struct gosites *s, uint64_t pc, struct goargs *args);

/* Appends them, in no parentheses. `bytes` are those of the stack from the end of the function's
 * frame on (behind the return address); what is not in them prints as "_". ERR_NOMEM. */
int goargs_print(const struct goargs *args, const uint8_t *bytes, size_t len, struct buffer *out);

#endif
