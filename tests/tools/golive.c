// links: runtimes/go
/*
 * Prints what is found of the Go runtime of process PID, a line for each thing: its name, and an
 * offset or an address in the file. With a second argument "code", places come from code alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "runtimes/go/live.h"

#define PLACE(name) { #name, offsetof(struct goplaces, name) }
#define FIELD(name) { #name, offsetof(struct gofields, name) }

struct named {
	const char *name;
	size_t at;
};

static const struct named places[] = {
	PLACE(all_gs),	     PLACE(all_ms),	     PLACE(heap),	 PLACE(block),
	PLACE(mutex),	     PLACE(heap_cycle),	     PLACE(heap_lock),	 PLACE(heap_rate),
	PLACE(block_rate),   PLACE(mutex_rate),	     PLACE(ticks),	 PLACE(profiles),
	PLACE(wait_reasons), PLACE(fing_status),     PLACE(cache_alloc), PLACE(gc_cycles),
	PLACE(sweep_active), PLACE(mem_profile_off),
};

static const struct named fields[] = {
	FIELD(g.bytes),	       FIELD(g.m),
	FIELD(g.sp),	       FIELD(g.pc),
	FIELD(g.bp),	       FIELD(g.syscall_sp),
	FIELD(g.syscall_pc),   FIELD(g.status),
	FIELD(g.goid),	       FIELD(g.wait_since),
	FIELD(g.wait_reason),  FIELD(g.tracking_seq),
	FIELD(g.locked_m),     FIELD(g.go_pc),
	FIELD(g.start_pc),     FIELD(g.labels),
	FIELD(g.parent),       FIELD(g.running_cleanups),
	FIELD(g.bubble),       FIELD(g.ancestors),
	FIELD(m.bytes),	       FIELD(m.id),
	FIELD(m.g0),	       FIELD(m.gsignal),
	FIELD(m.curg),	       FIELD(m.procid),
	FIELD(m.all_link),     FIELD(m.create_stack),
	FIELD(m.vdso_sp),      FIELD(m.vdso_pc),
	FIELD(m.syscall_tick), FIELD(bubble.id),
	FIELD(profile.bytes),  FIELD(profile.name),
	FIELD(profile.stacks), FIELD(profile.write),
};

static void show(const struct golive *live, const struct goplaces *p)
{
	printf("version %s\n", live->vars.version);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t at;

		memcpy(&at, (const char *)p + places[i].at, sizeof(at));
		printf("%s 0x%" PRIx64 "\n", places[i].name, at ? at - live->rt.bias : 0);
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		uint32_t offset;

		memcpy(&offset, (const char *)&live->fields + fields[i].at, sizeof(offset));
		printf("%s %d\n", fields[i].name, (int)offset);
	}
}

int main(int argc, char **argv)
{
	struct goplaces p;
	struct golive *live = NULL;
	struct process process;
	struct error err;
	int rc;

	if (argc < 2) {
		fprintf(stderr, "usage: golive PID [code]\n");
		return 1;
	}
	rc = process_open(&process, atoi(argv[1]), &err);
	if (!rc) {
		rc = golive_open(&live, &process, &err);
		if (!rc && argc > 2)
			rc = goplaces_by_code(&p, live->table, live->rt.image, live->rt.bias,
					      &live->vars);
		if (!rc)
			show(live, argc > 2 ? &p : &live->places);
		golive_free(live);
		process_close(&process);
	}
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 1 : 0;
}
