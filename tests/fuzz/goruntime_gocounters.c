// links: runtimes/go/numbers
/*
 * Any bytes as a Go runtime's memory: the first byte chooses the release, the next ones the
 * addresses of the variables. It is read twice, as in two rounds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/vars.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/counters.h"
#include "runtimes/go/numbers/memstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 0x10000, HEAD = 16, PS_MAX = 4096 };

static uint64_t place(const uint8_t *at)
{
	return at[0] | at[1] ? START + ((uint64_t)at[0] << 8 | at[1]) : 0;
}

static void check(const struct gometric_value *v)
{
	for (int i = 0; i < GOMETRIC_COUNT; i++)
		if (v[i].why_not && !*v[i].why_not)
			abort();
	if (!v[GOMETRIC_PROCS].why_not && v[GOMETRIC_PROCS].number - 1 >= PS_MAX)
		abort();
	if (!v[GOMETRIC_GOROUTINES].why_not && v[GOMETRIC_GOROUTINES].number - 1 >= INT32_MAX)
		abort();
	if (!v[GOMETRIC_HEAP].why_not &&
	    (v[GOMETRIC_HEAP].number > v[GOMETRIC_ALLOC_BYTES].number ||
	     v[GOMETRIC_FREE_OBJECTS].number > v[GOMETRIC_ALLOC_OBJECTS].number))
		abort();
}

static void check_memstats(const struct golive *live)
{
	struct gomemstats s;

	gomemstats_read(live, &s);
	if (s.has_memory && s.heap_sys != s.heap_idle + s.heap_inuse)
		abort();
	if (s.has_pauses && !(s.gc_cpu_fraction >= 0 && s.gc_cpu_fraction <= 1))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gocounters counters = { 0 };
	struct memory_bytes memory;
	struct golive live = { 0 };
	struct govars v;
	char version[16];

	if (size < HEAD)
		return 0;
	snprintf(version, sizeof(version), "go1.%u", 18u + data[0] % 9);
	memset(&v, 0, sizeof(v));
	v.layout = golayout_of(version);
	v.memstats = place(data + 2);
	v.pacer = place(data + 4);
	v.sched = place(data + 6);
	v.allp = place(data + 8);
	v.allgs = place(data + 10);
	v.p_mcache = data[12] * 4u;
	v.p_free = data[13] * 4u;
	memory_bytes_init(&memory, data + HEAD, START, size - HEAD);
	for (int i = 0; i < 2; i++) {
		struct gometric_value values[GOMETRIC_COUNT];

		gocounters_read(&counters, &v, &memory.memory, values);
		check(values);
	}
	gocounters_release(&counters);
	live.vars = v;
	live.memory = &memory.memory;
	live.places.cache_alloc = place(data + 14);
	check_memstats(&live);
	return 0;
}
