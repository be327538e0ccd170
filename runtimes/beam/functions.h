/* From an address to the function and the line, as a frame's key (struct managed_frame). */
#ifndef RUNTIMES_BEAM_FUNCTIONS_H
#define RUNTIMES_BEAM_FUNCTIONS_H

#include "runtimes/beam/runtime.h"

/* What a function's frame is: the numbers of atoms, and the line. */
struct beam_key {
	uint32_t module, function; /* atoms */
	uint32_t file;		   /* of beam_runtime.files, or BEAM_NO_FILE, BEAM_FILE_OF_MODULE */
	uint32_t line;		   /* 0: not known */
	uint8_t arity;
};

static inline void beam_key_pack(const struct beam_key *key, struct managed_frame *frame)
{
	frame->kind = BEAM_FUNCTION;
	/* No atom has the number 2^32 - 1: the code is not 0. */
	frame->code = (uint64_t)key->module << 32 | (key->function + 1u);
	frame->id = (uint64_t)key->arity << 32 | key->file;
	frame->at = key->line;
}

static inline void beam_key_unpack(const struct managed_frame *frame, struct beam_key *key)
{
	key->module = (uint32_t)(frame->code >> 32);
	key->function = (uint32_t)frame->code - 1u;
	key->arity = (uint8_t)(frame->id >> 32);
	key->file = (uint32_t)frame->id;
	key->line = (uint32_t)frame->at;
}

/* The frame's key, by an address in a function's code. False: it is in no function's. */
bool beam_function_at(struct beam_runtime *rt, uint64_t addr, struct managed_frame *frame);

/* Is this address behind the beginning of its module's last function? */
bool beam_is_last(struct beam_runtime *rt, uint64_t addr);

/* Is this the first instruction of a function? */
bool beam_is_entry(struct beam_runtime *rt, uint64_t addr);

#endif
