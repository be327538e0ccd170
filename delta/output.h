/* Writes protobuf records to a sink, through a block of memory. After the first error, which is
 * kept, nothing more is written. */
#ifndef DELTA_OUTPUT_H
#define DELTA_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "delta/delta.h"
#include "pprof/wire/writer.h"

enum { OUTPUT_BLOCK = 64 << 10, OUTPUT_NUMBER_MAX = 10 };

struct output {
	delta_sink *sink;
	void *ctx;
	struct error *err;
	int rc;
	size_t len;
	uint8_t block[OUTPUT_BLOCK];
};

void output_begin(struct output *o, delta_sink *sink, void *ctx, struct error *err);

/* Passes the rest of the block to the sink. 0 or the first error of the sink. */
int output_end(struct output *o);

void output_bytes(struct output *o, const void *data, size_t len);
void output_flush(struct output *o);

/* The number of bytes of a number (varint). */
static inline size_t output_number_size(uint64_t v)
{
	return (size_t)(70 - __builtin_clzl(v | 1)) / 7;
}

static inline void output_number(struct output *o, uint64_t v)
{
	if (OUTPUT_BLOCK - o->len < OUTPUT_NUMBER_MAX)
		output_flush(o);
	o->len = (size_t)(writer_varint(o->block + o->len, v) - o->block);
}

#endif
