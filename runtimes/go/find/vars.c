/*
 * Symbols of variables are not used even where they exist. So each program is handled like a
 * stripped one, and the fields to which its code refers prove that the layout is right.
 */
#include "runtimes/go/find/vars.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/gopclntab.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "runtimes/go/find/buildinfo.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/find/types.h"
#include "runtimes/go/find/uses.h"

/* Functions that use the variables, in every release and every program. */
#define EACH_FUNCTION(F) \
	F(MARK_TERMINATION, "runtime.gcMarkTermination") \
	F(REFILL, "runtime.(*mcache).refill") \
	F(RELEASE_ALL, "runtime.(*mcache).releaseAll") \
	F(FLUSH_CREDIT, "runtime.gcFlushBgCredit") \
	F(GFGET, "runtime.gfget") \
	F(NEWPROC1, "runtime.newproc1") \
	F(PROCRESIZE, "runtime.procresize") \
	F(PREEMPTALL, "runtime.preemptall") \
	F(ALLGADD, "runtime.allgadd")

#define NUMBER(number, name) number,
#define NAME(number, name) name,

enum { EACH_FUNCTION(NUMBER) FUNCTIONS };

static const char *const functions[FUNCTIONS] = { EACH_FUNCTION(NAME) };

static uint64_t vars_place(const struct goclue *clues, size_t count, uint64_t bias)
{
	uint64_t address;

	return gouses_find(clues, count, &address) ? 0 : address + bias;
}

/* The fields that each function uses are taken from the sources that layout.h names.
 * tests/rounds/gometrics.test checks that compiled code uses them, too. */
static void vars_find_places(struct govars *v, const struct gouses *r, uint64_t bias)
{
	const struct golayout *l = v->layout;
	const struct golayout_pacer *pacer = &l->pacer;
	uint32_t gc = golayout_numgc(l);
	bool counts = l->minor > 18;
	const struct goclue memstats[] = {
		{ &r[MARK_TERMINATION],
		  6,
		  { l->last_gc, l->last_gc + 8, l->last_gc + 16, l->last_gc + 16 + 256 * 8, gc,
		    gc + 4 } },
		{ &r[REFILL], 1, { l->heap_stats } },
		{ &r[RELEASE_ALL], 1, { l->heap_stats } },
	};
	const struct goclue controller[] = {
		{ &r[FLUSH_CREDIT],
		  3,
		  { pacer->credit, pacer->work_per_byte, pacer->bytes_per_work } },
		{ &r[REFILL], counts ? 2 : 1, { 0, pacer->heap_free + 8 } },
		{ &r[RELEASE_ALL], counts ? 2 : 1, { 0, pacer->heap_free + 8 } },
	};
	const struct goclue sched[] = {
		{ &r[GFGET],
		  l->minor < 25 ? 4 : 5,
		  { l->free_gs, l->free_gs + 8, l->free_gs + 16, l->free_gs + 24,
		    l->free_gs + 32 } },
		{ &r[NEWPROC1], 1, { l->ngsys } },
	};
	const struct goclue allp[] = {
		{ &r[PROCRESIZE], 3, { 0, 8, 16 } },
		{ &r[PREEMPTALL], 2, { 0, 8 } },
	};
	const struct goclue allgs[] = { { &r[ALLGADD], 3, { 0, 8, 16 } } };

	v->memstats = vars_place(memstats, 3, bias);
	v->pacer = vars_place(controller, 3, bias);
	v->sched = vars_place(sched, 2, bias);
	v->allp = vars_place(allp, 2, bias);
	v->allgs = vars_place(allgs, 1, bias);
}

/* runtime.p is on the heap, so it has a type descriptor. */
static void vars_find_fields(struct govars *v, struct gotypes *t)
{
	uint64_t g = gotypes_struct(t, "runtime.g"), p = gotypes_struct(t, "runtime.p"), list;
	uint32_t free_list, count;

	if (!g || !p || !gotypes_learn_shift(t, g))
		return;
	if (!gotypes_field(t, p, "mcache", &v->p_mcache, NULL))
		v->p_mcache = GO_NO_FIELD;
	if (gotypes_field(t, p, "gFree", &free_list, &list) &&
	    gotypes_field(t, list, v->layout->minor < 25 ? "n" : "size", &count, NULL))
		v->p_free = free_list + count;
}

static int vars_find_all(struct govars *v, struct gopclntab *t, const struct image *image,
			 uint64_t bias, const struct memory *memory)
{
	struct gouses uses[FUNCTIONS];
	struct gotypes types;
	int rc = gouses_load(uses, t, image, functions, FUNCTIONS);

	if (!rc)
		vars_find_places(v, uses, bias);
	gouses_release(uses, FUNCTIONS);
	if (!rc)
		rc = gotypes_load(&types, gopclntab_module(t), bias, memory);
	if (!rc) {
		vars_find_fields(v, &types);
		gotypes_release(&types);
	}
	return rc == ERR_NOMEM ? rc : 0;
}

int govars_of_image(struct govars *v, const struct image *image, uint64_t bias,
		    const struct memory *memory, struct error *err)
{
	struct gopclntab *t;
	int rc;

	memset(v, 0, sizeof(*v));
	v->p_mcache = v->p_free = GO_NO_FIELD;
	if (!gobuildinfo_version(image, v->version, sizeof(v->version)))
		return error_set(err, ERR_FORMAT, "the program does not say of which Go it is");
	v->layout = golayout_of(v->version);
	if (!v->layout)
		return error_set(err, ERR_FORMAT, "'%s' is not known to this sampler", v->version);
	rc = gopclntab_open(image, &t);
	if (rc)
		return error_set(err, rc, "the program's functions cannot be read");
	rc = vars_find_all(v, t, image, bias, memory);
	gopclntab_close(t);
	return rc ? error_nomem(err) : 0;
}

int govars_find(struct govars *v, const struct process *process, const struct memory *memory,
		struct error *err)
{
	struct goruntime rt;
	struct modmap *maps;
	int rc = modmap_new(&maps, process);

	if (rc)
		return error_nomem(err);
	rc = modmap_refresh(maps, err);
	if (!rc) {
		rc = goruntime_find(&rt, maps, memory);
		if (rc)
			error_set(err, rc,
				  rc == ERR_NOMEM    ? "out of memory" :
				  rc == ERR_NOTFOUND ? "it is no program of Go's" :
						       "its Go runtime is not understood");
	}
	if (!rc)
		rc = govars_of_image(v, rt.image, rt.bias, memory, err);
	modmap_free(maps);
	return rc;
}

bool govars_gc_count(const struct govars *v, const struct memory *memory, uint32_t *count)
{
	return v->memstats && !memory->read(memory, v->memstats + golayout_numgc(v->layout), count,
					    sizeof(*count));
}
