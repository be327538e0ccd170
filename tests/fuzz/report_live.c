// links: pprof/report pprof/graph pprof/wire
/* A live view of any profile that decodes: compared with itself, in every order. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/strset.h"
#include "pprof/profile.h"
#include "pprof/report/live.h"
#include "pprof/report/livefilter.h"
#include "pprof/graph/fitname.h"
#include "pprof/wire/decode.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct profile *p, const char *type)
{
	struct livefilter filter = { .text = "" };
	struct live l, callers;
	char *path[2], text[FITNAME_MAX];

	if (live_fill(&l, p, p, type, NULL, 0, NULL))
		return;
	for (int order = 0; order < LIVE_ORDERS; order++)
		live_sort(&l, (enum live_order)order);
	livefilter_set(&filter, "a+b|[m-z]$");
	for (size_t i = 0; i < l.count; i++)
		livefilter_matches(&filter, l.rows[i].name);
	livefilter_release(&filter);
	for (size_t i = 0; i < l.count; i++)
		must(strlen(fitname(l.rows[i].name, i, text)) < FITNAME_MAX);
	for (size_t i = 0; i + 1 < l.count && i < 20; i++) {
		path[0] = (char *)(uintptr_t)l.rows[i].name;
		path[1] = (char *)(uintptr_t)l.rows[i + 1].name;
		if (!live_fill(&callers, p, p, type, path, 1 + i % 2, NULL))
			live_release(&callers);
	}
	live_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p;

	if (profile_init(&p))
		return 0;
	if (profile_decode(&p, data, size, NULL) == 0 && p.type_count)
		look(&p, strset_get(&p.strings, p.types[p.type_count - 1].type));
	profile_release(&p);
	return 0;
}
