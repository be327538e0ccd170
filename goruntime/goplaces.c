#include "goruntime/goplaces.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "goruntime/govars.h"
#include "target/elfsection.h"
#include "target/gopclntab.h"
#include "target/image.h"

enum { SYMBOLS_MAX = 1 << 22 };

struct place {
	size_t to; /* in struct goplaces */
	const char *symbol;
	uint32_t offset; /* of what is meant in the variable */
};

#define OF(member) offsetof(struct goplaces, member)

static const struct place places[] = {
	{ OF(all_gs), "runtime.allgs", 0 },
	{ OF(all_ms), "runtime.allm", 0 },
	{ OF(heap), "runtime.mbuckets", 0 },
	{ OF(block), "runtime.bbuckets", 0 },
	{ OF(mutex), "runtime.xbuckets", 0 },
	{ OF(heap_cycle), "runtime.mProfCycle", 0 },
	{ OF(heap_cycle), "runtime.mProf", 0 },
	{ OF(heap_rate), "runtime.MemProfileRate", 0 },
	{ OF(block_rate), "runtime.blockprofilerate", 0 },
	{ OF(mutex_rate), "runtime.mutexprofilerate", 0 },
	{ OF(ticks), "runtime.ticks", 0 },
	{ OF(profiles), "runtime/pprof.profiles", 8 },
	{ OF(wait_reasons), "runtime.waitReasonStrings", 0 },
	{ OF(fing_status), "runtime.fingStatus", 0 },
	{ OF(fing_status), "runtime.fingRunning", 0 },
	{ OF(gc_phase), "runtime.gcphase", 0 },
	{ OF(mem_profile_off), "runtime.disableMemoryProfiling", 0 },
};

static void take_symbol(struct goplaces *p, const char *name, uint64_t address)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t *to = (uint64_t *)(void *)((char *)p + places[i].to);

		if (!*to && !strcmp(name, places[i].symbol))
			*to = address + places[i].offset;
	}
}

static void by_symbols(struct goplaces *p, const struct image *image, uint64_t bias)
{
	Elf *elf = image_elf(image);
	GElf_Shdr shdr;
	Elf_Scn *scn = elf ? elfsection_next(elf, NULL, ".symtab", &shdr) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 0; data && i < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++) {
		const char *name = GELF_ST_TYPE(sym.st_info) == STT_OBJECT ?
					   elf_strptr(elf, shdr.sh_link, sym.st_name) : NULL;

		if (name && !strncmp(name, "runtime", 7))
			take_symbol(p, name, sym.st_value + bias);
	}
}

int goplaces_find(struct goplaces *p, struct gopclntab *t, const struct image *image,
		  uint64_t bias, const struct govars *vars)
{
	(void)t;
	(void)vars;
	memset(p, 0, sizeof(*p));
	by_symbols(p, image, bias);
	return 0;
}
