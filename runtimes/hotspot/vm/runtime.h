/*
 * A HotSpot VM in a process: what its files share.
 *
 * A frame's key (struct managed_frame), by its kind:
 *
 *   kind          code               id                           at
 *   interpreted   the Method         hotspot_method_id: of what   the bytecode index;
 *                                    makes it this method         HOTSPOT_NO_BCI
 *   compiled,     the nmethod: the   its compile id, and above    HOTSPOT_AT: where in its code
 *   native        CodeBlob's         32 bits its entry bci: no
 *                 address            two of a VM have the same
 *   the others    the CodeBlob       hash of its name and size    HOTSPOT_AT
 */
#ifndef RUNTIMES_HOTSPOT_VM_RUNTIME_H
#define RUNTIMES_HOTSPOT_VM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hotspot_blobs;
struct hotspot_heaps;
struct hotspot_methods;
struct image;
struct memory;
struct walkview;
struct vmstructs;

enum hotspot_kind {
	HOTSPOT_INTERPRETED = 1,
	HOTSPOT_COMPILED,
	HOTSPOT_NATIVE,	      /* the wrapper through which Java calls a native method */
	HOTSPOT_STUB,	      /* the VM's own code: StubRoutines, Runtime1, ... */
	HOTSPOT_CODELET,      /* the interpreter's code, where it has no method's frame */
	HOTSPOT_ADAPTER,      /* between compiled and interpreted code */
	HOTSPOT_ENTRY,	      /* the call stub: Java was called from C++ */
	HOTSPOT_CONTINUATION, /* the carrier of a virtual thread has called the frames below here */
	/* In an nmethod, but none of its frames: on the way to the interpreter. */
	HOTSPOT_STATIC_STUB,
};

enum { HOTSPOT_NO_BCI = 0xffff };

/* `at` of code: its distance from the blob's code begin, and whether the address is that of the
 * next instruction (bit 0), not a return address. A return address has a PcDesc of its own; an
 * interrupted one has the first PcDesc that is not below it. */
#define HOTSPOT_AT(offset, interrupted) ((uint64_t)(offset) << 1 | ((interrupted) ? 1 : 0))

static inline uint32_t hotspot_offset(uint64_t at)
{
	return (uint32_t)(at >> 1);
}

static inline bool hotspot_interrupted(uint64_t at)
{
	return at & 1;
}

struct hotspot_name_state; /* of names.c */
struct hotspot_steps;	   /* of step.c */
struct hotspot_chunks;	   /* of chunks_x86_64.c */

struct hotspot {
	char version[80];	     /* first: see struct interp_ops */
	const struct memory *memory; /* of the process, now; borrowed */
	/* The same as the walk has seen it first: what is read twice is the same. */
	const struct memory *seen;
	struct walkview *view;		/* owned; of `seen` */
	const struct vmstructs *tables; /* these are NULL but in find: the VM's tables, */
	const struct image *image;	/* its file, */
	uint64_t bias;			/* and that file's address in the process */
	int release;			/* 8, 11, ... */
	struct hotspot_heaps *heaps;
	struct hotspot_blobs *blobs;
	struct hotspot_methods *methods;
	struct hotspot_steps *steps;	  /* owned */
	struct hotspot_chunks *chunks;	  /* owned */
	struct hotspot_name_state *names; /* owned */
};

static inline uint64_t hotspot_plus(uint64_t base, int32_t offset)
{
	return base + (uint64_t)(int64_t)offset;
}

#endif
