// links: runtimes/go/stacks
/*
 * Any bytes as a Go process's memory: its list of goroutines, their gs, ms and stacks. Pointers
 * in them lead into the same bytes if possible.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/stacks/callers.h"
#include "runtimes/go/stacks/goroutines.h"
#include "tests/unit/runtimes/go/gotable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 0x100000, HEAD = 4, G_BYTES = 176, TOLD_MAX = 4096 };

static const struct gofields fields = {
	.g = { .bytes = G_BYTES,
	       .m = 48,
	       .sp = 56,
	       .pc = 64,
	       .bp = 168,
	       .syscall_sp = 72,
	       .syscall_pc = 80,
	       .status = 88,
	       .goid = 96,
	       .wait_since = 104,
	       .wait_reason = 112,
	       .tracking_seq = 113,
	       .locked_m = 120,
	       .go_pc = 136,
	       .start_pc = 144,
	       .labels = 152,
	       .parent = 128,
	       .running_cleanups = 114,
	       .bubble = 160 },
	.m = { .gsignal = 16, .procid = 24, .vdso_sp = 32, .vdso_pc = 40, .syscall_tick = 48 },
};

static int look(void *ctx, const struct go_goroutine *g, struct error *err)
{
	unsigned *told = ctx;

	(void)err;
	if (!g->goid || g->status > GO_DEADEXTRA || g->pc_count > 64 || !g->wait_reason ||
	    (g->has_stack && g->end >= GO_WALK_ENDS) || (!g->has_stack && g->pc_count))
		abort();
	for (size_t i = 0; i < g->pc_count; i++)
		if (!g->pcs[i])
			abort();
	return ++*told == TOLD_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct golive live;
	static struct gocallers *callers;
	static struct image *image;
	struct memory_bytes memory;
	struct go_held held[2];
	struct gogoroutines_options options = { 0 };
	struct gogoroutines_stats stats;
	unsigned told = 0;
	int rc;

	if (size < HEAD + sizeof(held))
		return 0;
	if (!callers && (!table_open(&live, &image, "go1.26") || gocallers_new(&callers, &live)))
		abort();
	memcpy(held, data + HEAD, sizeof(held));
	options.stacks = data[0] & 1;
	options.system = data[0] & 2;
	options.held = data[0] & 4 ? held : NULL;
	options.held_count = options.held ? 2 : 0;
	options.max_frames = data[1] % 65;
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	live.fields = fields;
	live.memory = &memory.memory;
	live.places.all_gs = START + sizeof(held);
	live.places.wait_reasons = START + data[2] * 8u;
	live.places.fing_status = START + data[3] * 8u;
	rc = gogoroutines_read(&live, callers, &options, look, &told, &stats, NULL);
	if (rc && rc != 1 && rc != ERR_FORMAT)
		abort();
	if (stats.goroutines != told)
		abort();
	return 0;
}
