/* The parts of the runtime are found one after the other, each with an error of its own. A program
 * that is just being loaded is tried again after some milliseconds. */
#include "runtimes/go/live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/gopclntab.h"
#include "base/process/machine.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/go/find/types.h"

enum { PATIENCE = 4 };

static int go_live_find_fields(struct golive *g, struct error *err)
{
	struct gotypes types;
	int rc = gotypes_load(&types, gopclntab_module(g->table), g->rt.bias, g->memory);

	if (rc == ERR_NOMEM)
		return error_nomem(err);
	if (rc)
		return error_set(err, ERR_FORMAT, "the program's types cannot be read");
	rc = gofields_find(&g->fields, &types, err);
	gotypes_release(&types);
	return rc;
}

/* Is there a module with a moduledata that has not been relocated yet? */
static bool is_too_early(const struct golive *g)
{
	size_t count;
	struct image *const *images = modmap_images(g->maps, &count);
	bool early = false;

	for (size_t i = 0; i < count && !early; i++) {
		const struct mapping *range = modmap_range_of(g->maps, images[i]);
		struct gopclntab *t;
		uint64_t first;

		if (!range || gopclntab_open(images[i], &t))
			continue;
		first = gopclntab_module(t)->moduledata + range->bias;
		early = memory_read_u64(g->memory, first, &first) ||
			first != gopclntab_module(t)->pclntab + range->bias;
		gopclntab_close(t);
	}
	return early;
}

static int find_runtime(struct golive *g, struct error *err)
{
	int rc = goruntime_find(&g->rt, g->maps, g->memory);

	if (!rc)
		return 0;
	if (rc == ERR_NOTFOUND)
		return error_set(err, rc, "it is no program of Go's");
	if (rc == ERR_NOMEM)
		return error_nomem(err);
	return error_set(err, rc,
			 is_too_early(g) ?
				 "Go's runtime has not begun yet: the program is being loaded" :
				 "its Go runtime is not understood");
}

static int go_live_find_all(struct golive *g, struct error *err)
{
	int rc = find_runtime(g, err);

	if (!rc)
		rc = govars_of_image(&g->vars, g->rt.image, g->rt.bias, g->memory, err);
	if (rc)
		return rc;
	rc = gopclntab_open(g->rt.image, &g->table);
	if (rc)
		return error_set(err, rc, "the program's functions cannot be read");
	rc = go_live_find_fields(g, err);
	if (!rc && goplaces_find(&g->places, g->table, g->rt.image, g->rt.bias, &g->vars))
		rc = error_nomem(err);
	return rc ? rc : gocheck(g, err);
}

/* While a program is being loaded, only some of its pointers are set. So what is not understood is
 * checked again after 1, 2, 4, ... ms. */
static int find_patiently(struct golive *g, struct error *err)
{
	struct timespec wait = { 0, 1000000 };
	int rc;

	for (int try = 0;; try++) {
		rc = go_live_find_all(g, err);
		if (rc != ERR_FORMAT || try == PATIENCE || (*g->vars.version && !g->vars.layout))
			return rc;
		gopclntab_close(g->table);
		g->table = NULL;
		memset(&g->vars, 0, sizeof(g->vars));
		nanosleep(&wait, NULL);
		wait.tv_nsec *= 2;
	}
}

int golive_open(struct golive **out, const struct process *process, struct error *err)
{
	struct golive *g;
	int rc;

	*out = NULL;
	if (MACHINE_ELF != EM_X86_64)
		return error_set(err, ERR_FORMAT, "Go's runtime is known on x86-64 only");
	g = calloc(1, sizeof(*g));
	if (!g)
		return error_nomem(err);
	g->process = process;
	memory_live_init(&g->live, process->pid);
	g->memory = &g->live.memory;
	rc = modmap_new(&g->maps, process);
	rc = rc ? error_nomem(err) : modmap_refresh(g->maps, err);
	if (!rc)
		rc = find_patiently(g, err);
	if (rc)
		golive_free(g);
	else
		*out = g;
	return rc;
}

void golive_free(struct golive *g)
{
	if (!g)
		return;
	gopclntab_close(g->table);
	modmap_free(g->maps);
	free(g);
}
