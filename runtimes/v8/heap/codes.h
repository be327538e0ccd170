/*
 * Which of V8's code objects holds an address: what Sparkplug, Maglev, TurboFan and the regular
 * expressions' compiler have made.
 *
 * Nothing in V8 that can be found from outside leads from an address to its code object. A
 * JSFunction leads to the newest code of a function, which is not that of its older frames. But the
 * object begins with its header right before the first instruction. So the words before an address
 * are looked through, up to the first that is such a header and points to a Code that says that
 * these are its instructions.
 *
 * What was found is kept by address, and proven before each use: header and Code still have to say
 * so.
 */
#ifndef RUNTIMES_V8_HEAP_CODES_H
#define RUNTIMES_V8_HEAP_CODES_H

#include <stdbool.h>
#include <stdint.h>

struct v8_runtime;

enum { V8_CODE_HEAD = 64 };

struct v8_code {
	uint64_t code;		    /* tagged Code */
	uint64_t stream;	    /* tagged; what has the instructions: the same up to Node 18 */
	uint64_t start;		    /* of the instructions */
	uint32_t size;		    /* bytes */
	uint8_t kind;		    /* CodeKind */
	uint8_t head[V8_CODE_HEAD]; /* the Code's first words */
};

struct v8_codes;

/* ERR_NOMEM. */
int v8_codes_new(struct v8_codes **c);
void v8_codes_free(struct v8_codes *c);

/* Finds the code object that holds an address. False: none does, or it cannot be read. */
bool v8_code_find(struct v8_runtime *rt, uint64_t pc, struct v8_code *code);

/* Room for the code's bytes, owned by the codes, until the next call; NULL: they cannot be read, or
 * are too many. */
const uint8_t *v8_code_bytes(struct v8_runtime *rt, const struct v8_code *code);

#endif
