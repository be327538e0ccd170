/* The parser of CFI calls the sink at the start of each entry, and the sink ends it there: no row
 * is decoded. The extents are sorted and searched by halves. */
#include "unwind/table/starts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf/elfsection.h"
#include "base/error.h"
#include "base/room.h"
#include "base/sorted.h"
#include "unwind/table/cfi.h"
#include "unwind/table/form.h"
#include "unwind/table/sections.h"

enum { LINKAGE_MAX = 8 }; /* x86-64 has three: .plt, .plt.got, .plt.sec */

struct extent {
	uint64_t start;
	uint64_t end : 63, lands : 1;
};

struct cfi_starts {
	struct cfi_sink sink;
	struct extent *all; /* sorted by start */
	size_t count, room;
	struct extent linkage[LINKAGE_MAX]; /* of procedure linkage tables */
	size_t linkage_count;
	bool out_of_memory;
};

/* False if the file has no section headers. */
static bool find_linkage(struct cfi_starts *s, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	bool any = false;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elfsection_name(elf, &shdr) : NULL;

		any |= name && *name;
		if (name && (!strncmp(name, ".plt", 4) || !strcmp(name, ".iplt")) &&
		    s->linkage_count < LINKAGE_MAX)
			s->linkage[s->linkage_count++] = (struct extent){
				.start = shdr.sh_addr, .end = shdr.sh_addr + shdr.sh_size
			};
	}
	return any;
}

static bool is_linkage(const struct cfi_starts *s, uint64_t addr)
{
	for (size_t i = 0; i < s->linkage_count; i++)
		if (addr >= s->linkage[i].start && addr < s->linkage[i].end)
			return true;
	return false;
}

/* Returns a negative value always: the entry's rows are not needed. */
static int starts_take(struct cfi_sink *sink, uint64_t start, uint64_t end)
{
	struct cfi_starts *s = (struct cfi_starts *)sink;

	if (s->count >= ROWS_MAX || is_linkage(s, start))
		return ERR_LIMIT;
	if (room_for((void **)&s->all, &s->room, s->count + 1, sizeof(*s->all))) {
		s->out_of_memory = true;
		return ERR_NOMEM;
	}
	s->all[s->count++] = (struct extent){ .start = start, .end = end, .lands = sink->lands };
	return ERR_LIMIT;
}

/* Of two that begin together the longer one is found: .eh_frame and .debug_frame may differ. */
static int starts_by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int starts_read_entries(struct cfi_starts **out, const struct image *image, bool functions)
{
	struct cfi_starts *s = calloc(1, sizeof(*s));
	struct cfi_source source;

	if (!s)
		return ERR_NOMEM;
	s->sink.begin = starts_take;
	cfi_source_open(&source, image);
	if (!functions || (source.elf && find_linkage(s, source.elf)))
		for (size_t i = 0; i < source.count; i++)
			cfi_read(&source.sections[i], &s->sink);
	cfi_source_close(&source);
	if (s->out_of_memory) {
		cfi_starts_free(s);
		return ERR_NOMEM;
	}
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), starts_by_start);
	*out = s;
	return 0;
}

int cfi_starts_read(struct cfi_starts **starts, const struct image *image)
{
	return starts_read_entries(starts, image, true);
}

int cfi_starts_read_all(struct cfi_starts **starts, const struct image *image)
{
	return starts_read_entries(starts, image, false);
}

void cfi_starts_free(struct cfi_starts *s)
{
	if (s)
		free(s->all);
	free(s);
}

bool cfi_starts_extent(const struct cfi_starts *s, uint64_t addr, struct cfi_extent *extent)
{
	size_t count = SORTED_UPTO(s->all, s->count, start, addr);
	const struct extent *e = count ? &s->all[count - 1] : NULL;

	if (!e || addr >= e->end)
		return false;
	*extent = (struct cfi_extent){ e->start, e->end, e->lands };
	return true;
}

uint64_t cfi_starts_find(const struct cfi_starts *s, uint64_t addr)
{
	struct cfi_extent extent;

	return cfi_starts_extent(s, addr, &extent) ? extent.start : 0;
}

size_t cfi_starts_bytes(const struct cfi_starts *s)
{
	return sizeof(*s) + s->room * sizeof(*s->all);
}

bool cfi_starts_any(const struct cfi_starts *s)
{
	return s->count;
}
