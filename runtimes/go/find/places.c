/*
 * A variable is recognized by the functions that use it and by how they use it: runtime.mcommoninit
 * loads allm and takes its address, mexit takes its address; no other variable is used like that by
 * both functions. Where that is not enough, the order of uses counts. If two variables fit, neither
 * is taken. tests/goruntime/places.test compares with the symbols of each release and way of
 * linking.
 */
#include "runtimes/go/find/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/elf/elfsection.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/uses.h"
#include "runtimes/go/find/vars.h"

enum { SYMBOLS_MAX = 1 << 22, NEWEST = 99, USES_MAX = 4, ANY = -1, NOT = 0x80 };

/* The functions whose code is looked at; sync.event is mutexevent by its linkname, up to 1.26. */
#define EACH_FUNCTION(F) \
	F(ALLOCMCACHE, "runtime.allocmcache") \
	F(ALLOCMCACHEFUNC, "runtime.allocmcache.func1") \
	F(BLOCKEVENT, "runtime.blockevent") \
	F(CHANRECV, "runtime.chanrecv") \
	F(CHANSEND, "runtime.chansend") \
	F(CREATEFING, "runtime.createfing") \
	F(FINISHSWEEP, "runtime.finishsweep_m") \
	F(FLUSH, "runtime.mProf_Flush") \
	F(FREE, "runtime.mProf_Free") \
	F(FLUSHLOCKED, "runtime.mProf_FlushLocked") \
	F(GCINIT, "runtime.gcinit") \
	F(GCSTART, "runtime.gcStart") \
	F(GCSWEEP, "runtime.gcSweep") \
	F(GCTEST, "runtime.gcTrigger.test") \
	F(HEADER, "runtime.goroutineheader") \
	F(INIT, "runtime.init") \
	F(ISSYSTEM, "runtime.isSystemGoroutine") \
	F(LOCKPROFILES, "runtime/pprof.lockProfiles") \
	F(MALLOC, "runtime.mProf_Malloc") \
	F(MALLOCINIT, "runtime.mallocinit") \
	F(MCOMMONINIT, "runtime.mcommoninit") \
	F(MEXIT, "runtime.mexit") \
	F(MUTEXEVENT, "runtime.mutexevent") \
	F(NEXTCYCLE, "runtime.mProf_NextCycle") \
	F(PROFILEALLOC, "runtime.profilealloc") \
	F(REASON, "runtime.waitReason.String") \
	F(RUNFINQ, "runtime.runfinq") \
	F(SCHEDINIT, "runtime.schedinit") \
	F(SEMACQUIRE, "runtime.semacquire1") \
	F(STKBUCKET, "runtime.stkbucket") \
	F(SYNCEVENT, "sync.event") \
	F(TICKSINIT, "runtime.(*ticksType).init") \
	F(TICKSPERSECOND, "runtime.ticksPerSecond") \
	F(OLDTICKSPERSECOND, "runtime.tickspersecond")

#define NUMBER(number, name) number,
#define NAME(number, name) name,

enum { EACH_FUNCTION(NUMBER) FUNCTIONS };

static const char *const functions[FUNCTIONS] = { EACH_FUNCTION(NAME) };

/* A function's use of a variable, or of the one that is `distance` bytes behind it. */
struct clue_use {
	uint8_t function, kind; /* kind: an enum gouse_kind; with NOT: there is no such use */
	uint16_t distance;
	int number; /* number compared with; ANY: any number */
};

struct clue {
	size_t to;	      /* offset in struct goplaces */
	uint8_t since, until; /* releases 1.since to 1.until */
	struct clue_use uses[USES_MAX];
};

#define OF(member) offsetof(struct goplaces, member)
#define TAKES(f) { f, GOUSE_ADDRESS, 0, ANY }
#define NEVER_TAKES(f) { f, GOUSE_ADDRESS | NOT, 0, ANY }
#define NEVER_LOADS(f) { f, GOUSE_LOAD | NOT, 0, ANY }
#define LOADS(f) { f, GOUSE_LOAD, 0, ANY }
#define STORES(f) { f, GOUSE_STORE, 0, ANY }
#define COMPARES(f, n) { f, GOUSE_COMPARE, 0, n }
#define ALSO(f, kind, distance) { f, GOUSE_##kind, distance, ANY }

/* Taken from the sources: runtime/{proc,mprof,mgc,mgcsweep,mfinal,chan,sema,runtime,traceback}.go
 * and runtime/pprof/pprof.go. The clues of a place are tried in turn. */
static const struct clue clues[] = {
	{ OF(all_ms), 18, NEWEST, { LOADS(MCOMMONINIT), TAKES(MCOMMONINIT), TAKES(MEXIT) } },
	{ OF(heap_cycle),
	  18,
	  18,
	  { LOADS(NEXTCYCLE), STORES(NEXTCYCLE), LOADS(MALLOC), LOADS(FREE) } },
	{ OF(heap_cycle), 19, NEWEST, { TAKES(FLUSH), LOADS(FLUSH), LOADS(MALLOC), LOADS(FREE) } },
	{ OF(heap_lock), 18, 18, { TAKES(FLUSH), TAKES(FREE), TAKES(NEXTCYCLE) } },
	{ OF(heap_lock), 19, NEWEST, { TAKES(FLUSH), NEVER_TAKES(FREE), NEVER_LOADS(MALLOC) } },
	{ OF(heap_rate), 18, NEWEST, { LOADS(PROFILEALLOC), LOADS(ALLOCMCACHE) } },
	{ OF(block_rate),
	  18,
	  NEWEST,
	  { LOADS(BLOCKEVENT), COMPARES(CHANSEND, 0), COMPARES(CHANRECV, 0),
	    COMPARES(SEMACQUIRE, 0) } },
	{ OF(mutex_rate), 18, 26, { LOADS(SYNCEVENT), COMPARES(SEMACQUIRE, 0) } },
	{ OF(mutex_rate), 18, NEWEST, { LOADS(MUTEXEVENT), COMPARES(SEMACQUIRE, 0) } },
	{ OF(ticks), 18, 19, { TAKES(OLDTICKSPERSECOND), ALSO(OLDTICKSPERSECOND, LOAD, 16) } },
	{ OF(ticks), 20, 21, { TAKES(OLDTICKSPERSECOND), ALSO(OLDTICKSPERSECOND, LOAD, 8) } },
	{ OF(ticks), 22, NEWEST, { TAKES(TICKSINIT), TAKES(SCHEDINIT) } },
	{ OF(ticks), 22, NEWEST, { TAKES(TICKSPERSECOND), ALSO(TICKSPERSECOND, LOAD, 24) } },
	{ OF(profiles), 18, NEWEST, { COMPARES(LOCKPROFILES, 0), STORES(LOCKPROFILES) } },
	{ OF(wait_reasons), 18, NEWEST, { TAKES(REASON), TAKES(HEADER) } },
	{ OF(fing_status), 18, 19, { LOADS(ISSYSTEM), STORES(RUNFINQ) } },
	{ OF(fing_status), 20, NEWEST, { LOADS(ISSYSTEM), LOADS(CREATEFING), TAKES(CREATEFING) } },
	{ OF(cache_alloc), 18, NEWEST, { TAKES(ALLOCMCACHEFUNC), NEVER_TAKES(MALLOCINIT) } },
	{ OF(gc_cycles),
	  18,
	  18,
	  { LOADS(GCSTART), ALSO(GCSTART, OTHER, 0), ALSO(GCSTART, STORE, 4),
	    ALSO(GCSTART, STORE, 8) } },
	{ OF(gc_cycles),
	  19,
	  19,
	  { ALSO(GCTEST, OTHER, 0), ALSO(GCSTART, STORE, 4), ALSO(GCSTART, STORE, 8) } },
	{ OF(gc_cycles),
	  20,
	  NEWEST,
	  { TAKES(GCSTART), LOADS(GCTEST), ALSO(GCSTART, STORE, 4), ALSO(GCSTART, STORE, 8) } },
	{ OF(sweep_active), 18, NEWEST, { TAKES(GCINIT), LOADS(FINISHSWEEP), TAKES(GCSWEEP) } },
};

static bool places_is_used(const struct gouses *all, const struct clue_use *use, uint64_t address)
{
	const struct gouses *u = &all[use->function];

	for (size_t i = 0; i < u->count; i++)
		if (u->all[i].kind == (use->kind & ~NOT) &&
		    u->all[i].address == address + use->distance &&
		    (use->number == ANY || u->all[i].number == use->number))
			return true;
	return false;
}

static bool places_fits(const struct gouses *all, const struct clue *clue, uint64_t address)
{
	for (unsigned i = 0; i < USES_MAX && clue->uses[i].kind; i++)
		if (places_is_used(all, &clue->uses[i], address) == !!(clue->uses[i].kind & NOT))
			return false;
	return true;
}

/* The image address of the only variable that fits; 0: there is none, or more than one. The first
 * use of each clue has distance 0. */
static uint64_t the_one(const struct gouses *all, const struct clue *clue)
{
	const struct gouses *first = &all[clue->uses[0].function];
	uint64_t found = 0;

	for (size_t i = 0; i < first->count; i++) {
		uint64_t address = first->all[i].address;

		if (!address || address == found || !places_fits(all, clue, address))
			continue;
		if (found)
			return 0;
		found = address;
	}
	return found;
}

/* Returns the variable of use *at and moves *at behind all consecutive uses of it. 0: that use is
 * not of a variable. */
static uint64_t next_variable(const struct gouses *u, size_t *at)
{
	uint64_t address = *at < u->count ? u->all[*at].address : 0;

	while (address && *at < u->count && u->all[*at].address == address)
		++*at;
	return address;
}

static bool next_number(const struct gouses *u, size_t *at, int64_t number)
{
	return *at < u->count && u->all[*at].kind == GOUSE_NUMBER &&
	       u->all[(*at)++].number == number;
}

/* stkbucket ends with: if the type is 1, mbuckets; else if it is 3, xbuckets; else bbuckets. */
static void find_buckets(struct goplaces *p, const struct gouses *all)
{
	const struct gouses *u = &all[STKBUCKET];
	const struct clue_use flush = LOADS(FLUSHLOCKED);

	for (size_t i = 0; i < u->count; i++) {
		size_t at = i;
		uint64_t heap = next_number(u, &at, 1) ? next_variable(u, &at) : 0;
		uint64_t mutex = heap && next_number(u, &at, 3) ? next_variable(u, &at) : 0;
		uint64_t block = mutex ? next_variable(u, &at) : 0;

		if (!block || block == heap || block == mutex || !places_is_used(all, &flush, heap))
			continue;
		p->heap = heap;
		p->mutex = mutex;
		p->block = block;
		return;
	}
}

/* runtime.init (up to 1.19) or schedinit sets MemProfileRate depending on disableMemoryProfiling,
 * which it reads right before. */
static void find_profile_off(struct goplaces *p, const struct gouses *all, unsigned minor)
{
	const struct gouses *u = &all[minor < 20 ? INIT : SCHEDINIT];

	for (size_t i = 1; i < u->count; i++) {
		const struct gouse *before = &u->all[i - 1];

		if (p->heap_rate && u->all[i].address == p->heap_rate &&
		    u->all[i].kind == GOUSE_STORE && before->address &&
		    (before->kind == GOUSE_COMPARE || before->kind == GOUSE_LOAD))
			p->mem_profile_off = before->address;
	}
}

static uint64_t *place_at(struct goplaces *p, size_t to)
{
	return (uint64_t *)(void *)((char *)p + to);
}

static void by_uses(struct goplaces *p, const struct gouses *all, unsigned minor)
{
	for (size_t i = 0; i < sizeof(clues) / sizeof(*clues); i++) {
		uint64_t *to = place_at(p, clues[i].to);

		if (!*to && minor >= clues[i].since && minor <= clues[i].until)
			*to = the_one(all, &clues[i]);
	}
	find_buckets(p, all);
	find_profile_off(p, all, minor);
}

int goplaces_by_code(struct goplaces *p, struct gopclntab *t, const struct image *image,
		     uint64_t bias, const struct govars *vars)
{
	struct gouses uses[FUNCTIONS];
	int rc = gouses_load(uses, t, image, functions, FUNCTIONS);

	memset(p, 0, sizeof(*p));
	if (!rc) {
		by_uses(p, uses, vars->layout->minor);
		for (size_t to = 0; to < sizeof(*p); to += sizeof(uint64_t))
			if (*place_at(p, to))
				*place_at(p, to) += bias;
		p->all_gs = vars->allgs;
	}
	gouses_release(uses, FUNCTIONS);
	return rc;
}

struct places_place {
	size_t to; /* in struct goplaces */
	const char *symbol;
	uint32_t offset; /* offset of the place in the variable */
};

static const struct places_place places[] = {
	{ OF(all_gs), "runtime.allgs", 0 },
	{ OF(all_ms), "runtime.allm", 0 },
	{ OF(heap), "runtime.mbuckets", 0 },
	{ OF(block), "runtime.bbuckets", 0 },
	{ OF(mutex), "runtime.xbuckets", 0 },
	{ OF(heap_cycle), "runtime.mProfCycle", 0 },
	{ OF(heap_cycle), "runtime.mProf", 0 },
	{ OF(heap_lock), "runtime.profMemActiveLock", 0 },
	{ OF(heap_lock), "runtime.proflock", 0 },
	{ OF(heap_rate), "runtime.MemProfileRate", 0 },
	{ OF(block_rate), "runtime.blockprofilerate", 0 },
	{ OF(mutex_rate), "runtime.mutexprofilerate", 0 },
	{ OF(ticks), "runtime.ticks", 0 },
	{ OF(profiles), "runtime/pprof.profiles", 8 },
	{ OF(wait_reasons), "runtime.waitReasonStrings", 0 },
	{ OF(fing_status), "runtime.fingStatus", 0 },
	{ OF(fing_status), "runtime.fingRunning", 0 },
	{ OF(gc_cycles), "runtime.work", 0 },
	{ OF(sweep_active), "runtime.sweep", 0 },
	{ OF(mem_profile_off), "runtime.disableMemoryProfiling", 0 },
};

static void places_take_symbol(struct goplaces *p, const char *name, uint64_t address)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t *to = place_at(p, places[i].to);

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
					   elf_strptr(elf, shdr.sh_link, sym.st_name) :
					   NULL;

		if (name && !strncmp(name, "runtime", 7))
			places_take_symbol(p, name, sym.st_value + bias);
	}
}

static bool lacks(const struct goplaces *p)
{
	const uint64_t *all = &p->all_gs;

	for (size_t i = 0; i < sizeof(*p) / sizeof(*all); i++)
		if (!all[i])
			return true;
	return false;
}

/* Two of the places are fields of the symbol's variable, and their offsets depend on the
 * release. */
static void places_take(struct goplaces *p, const struct goplaces *symbols,
			const struct golayout *l)
{
	for (size_t to = 0; to < sizeof(*p); to += sizeof(uint64_t)) {
		uint64_t *place = place_at(p, to), symbol;

		memcpy(&symbol, (const char *)symbols + to, sizeof(symbol));
		if (*place || !symbol)
			continue;
		*place = symbol + (to == OF(gc_cycles)	  ? l->work_cycles :
				   to == OF(sweep_active) ? l->sweep_active :
							    0);
	}
}

int goplaces_find(struct goplaces *p, struct gopclntab *t, const struct image *image, uint64_t bias,
		  const struct govars *vars)
{
	int rc = goplaces_by_code(p, t, image, bias, vars);

	if (!rc && lacks(p)) {
		struct goplaces symbols = { 0 };

		by_symbols(&symbols, image, bias);
		places_take(p, &symbols, vars->layout);
	}
	return rc;
}
