/*
 * Where V8 leaves optimized code (DeoptimizationData in V8's src/objects, the safepoint table
 * behind the code in src/codegen).
 *
 * Code that cannot be used any more has its return addresses on the stack replaced: each leads to
 * an exit behind the code, of a few bytes, which has the number of an entry. First come the exits
 * of code that itself finds out, then those of return addresses. TurboFan's entry has the return
 * address that it is for; Maglev's is in the safepoint table.
 */
#ifndef RUNTIMES_V8_HEAP_DEOPT_H
#define RUNTIMES_V8_HEAP_DEOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v8_deopt {
	const uint64_t *words; /* of the DeoptimizationData, from where the exits start; tagged */
	size_t count;
	unsigned exit_bytes;
	/* Maglev's table, from its length on; NULL: it is TurboFan's code. */
	const uint8_t *safepoints;
	size_t safepoints_len;
};

/* Is it an exit's offset, or behind them all? */
bool v8_deopt_is_exit(const struct v8_deopt *d, uint64_t offset);

/* The offset that an exit's offset stands for on the stack. False: there is none. */
bool v8_deopt_return(const struct v8_deopt *d, uint64_t exit, uint64_t *offset);

#endif
