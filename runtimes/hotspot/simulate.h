/*
 * The way out of HotSpot's code that has no frame, or none yet or no more: the instructions are
 * simulated from the pc on.
 *
 * It is like unwind/code/forward.h, but HotSpot's code has rules of its own: the interpreter
 * returns by a jump to an address that it has popped, adapters keep the return address in a
 * register while they move the arguments, and a jump out of a blob hands over the caller's return
 * address. What is a return address, the caller tells.
 */
#ifndef RUNTIMES_HOTSPOT_SIMULATE_H
#define RUNTIMES_HOTSPOT_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

struct hotspot;
struct regs;
struct walk;

/* Can `addr` be where the caller goes on? */
typedef bool simulate_accepts(void *ctx, uint64_t addr);

struct simulation {
	struct hotspot *hs;
	const struct walk *w; /* where it begins */
	uint64_t start, end;  /* the blob's code: a jump out of it ends the way */
	uint64_t goal;	      /* where the frame is complete, of */
	uint64_t frame_size;  /* this size: the simulation ends there, too; 0: nowhere */
	/* It is complete at the first call, too, where it is removed, and at a jump out. */
	bool until_call;
	bool by_r13;	 /* r13 is the caller's rsp, below which are arguments */
	uint64_t lowest; /* the caller's rsp is not below it */
	unsigned most;	 /* instructions */
	bool straight;	 /* conditional jumps are not taken */
	enum {
		THROUGH_ALL,
		THROUGH_END,	    /* only through what a compiled method ends with */
		THROUGH_ACTIVATION, /* only through what the interpreter ends a method with */
	} through;
	simulate_accepts *accepts;
	void *ctx;
};

enum simulation_end {
	SIMULATED_RETURN,
	SIMULATED_EXHAUSTED, /* the return address may be beyond the copy of the stack */
	SIMULATED_NOTHING
};

/* On SIMULATED_RETURN *regs and *valid become the caller's. */
enum simulation_end simulate(const struct simulation *s, struct regs *regs, uint32_t *valid);

/* What the code straight ahead tells about rsp in a method whose frame has s->frame_size bytes. */
enum simulation_ahead {
	/* It is moved up to *rsp, where the frame is: it is that already, or something is on the
	 * stack for a moment. */
	AHEAD_LEVEL,
	AHEAD_RETURN, /* the frame is removed, and the return address is at *rsp */
	AHEAD_UNCLEAR
};

enum simulation_ahead simulate_ahead(const struct simulation *s, uint64_t *rsp);

#endif
