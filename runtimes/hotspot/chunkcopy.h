/* The StackChunks of a virtual thread (chunks.h): found by its Continuation, copied, and read again
 * to prove that none has changed. */
#ifndef RUNTIMES_HOTSPOT_CHUNKCOPY_H
#define RUNTIMES_HOTSPOT_CHUNKCOPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtimes/hotspot/vm/invokes.h"
#include "runtimes/hotspot/vm/oops.h"

struct hotspot;

enum {
	CHUNKS_MAX = 64, /* of a continuation */
	CHUNK_HEAD = 16, /* bytes in front of a frame: its rbp and pc */
};

struct chunk_layout {
	int32_t super, layout_helper;
};

/* Fields of jdk.internal.vm.Continuation and StackChunk; from JDK 22 on `bottom`, before it
 * `argsize`. */
struct chunk_fields {
	bool ready;
	uint64_t klass; /* StackChunk's */
	uint64_t start; /* of the words, from the object on */
	int32_t tail, parent, size, sp, bottom, argsize;
};

struct copied_chunk {
	uint64_t oop, sp, bottom; /* addresses */
	size_t at;		  /* of the bytes from sp - HEAD on */
};

struct hotspot_chunks {
	struct chunk_layout l;
	struct chunk_fields f;
	struct invoke_layout invokes;
	struct hotspot_oops oops;
	uint64_t barrier; /* 0: not known */
	/* Address of ContinuationEntry::_return_pc: in enterSpecial; 0: not known. */
	uint64_t return_pc;

	/* Of this walk. */
	uint64_t last_sp, last_method; /* of the frame on the stack that was stepped from */
	uint64_t entry;		       /* enterSpecial's frame: the ContinuationEntry */
	uint64_t enter_pc, enter_size;
	uint64_t first_sp; /* where the walk enters the heap */
	struct copied_chunk at[CHUNKS_MAX];
	unsigned count, now; /* now == count: the walk is in none */
	uint8_t *bytes;	     /* owned */
	size_t used, room;
};

/* The youngest chunk of the Continuation at that address; false: there is none. */
bool chunkcopy_find_tail(const struct hotspot *hs, uint64_t cont, uint64_t *chunk);

/* Copies that chunk and the older ones which have frames to hs->chunks. ERR_FORMAT, ERR_IO,
 * ERR_NOMEM; ERR_LIMIT: there are too many. */
int chunkcopy_all(const struct hotspot *hs, uint64_t chunk);

/* Are the chunks as they were when they were copied? */
bool chunkcopy_holds(const struct hotspot *hs);

/* A word of the copy, by its address in the process. */
uint64_t chunkcopy_word(const struct hotspot_chunks *c, const struct copied_chunk *chunk,
			uint64_t addr);

#endif
