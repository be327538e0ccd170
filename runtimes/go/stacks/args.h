/*
 * A function's arguments as tracebacks print them: "0xc000012345, {0x2, _}, 0x3?".
 *
 * The compiler records for each function where its arguments are above its frame and how they nest.
 * For arguments that are passed in registers it also records whether the place on the stack to
 * which they are spilled holds the value at an instruction ("?": it may not).
 *
 * Sources: runtime/traceback.go, printArgs; cmd/compile/internal/ssagen, emitArgInfo, and
 * liveness/arg.go, of Go 1.18 to 1.27, which all print the same.
 */
#ifndef RUNTIMES_GO_STACKS_ARGS_H
#define RUNTIMES_GO_STACKS_ARGS_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct gosites;

enum {
	GOARGS_OPS = 171, /* abi.TraceArgsMaxLen */
	GOARGS_LIVE = 24, /* bytes, with one bit for each argument that is passed in a register */
};

struct goargs {
	uint8_t ops[GOARGS_OPS]; /* end at the first 0xff, or at the end of the array */
	uint8_t known_from;	 /* `live` applies from this offset on; 0xff: it does not apply */
	uint8_t live[GOARGS_LIVE];
};

/* Loads the arguments of the function that covers the instruction before pc. They are empty where
 * the tables have none. */
void goargs_load(struct gosites *s, uint64_t pc, struct goargs *args);

/* Appends the arguments to `out`, without parentheses. `bytes` are the stack from the end of the
 * function's frame on (behind the return address); a value outside of them prints as "_".
 * ERR_NOMEM. */
int goargs_print(const struct goargs *args, const uint8_t *bytes, size_t len, struct buffer *out);

#endif
