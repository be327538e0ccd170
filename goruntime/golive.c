#include "goruntime/golive.h"

#include <stdlib.h>

#include "base/error.h"
#include "goruntime/gotypes.h"
#include "target/gopclntab.h"
#include "target/modmap.h"
#include "target/process.h"

static int find_fields(struct golive *g, struct error *err)
{
	struct gotypes types;
	int rc = gotypes_load(&types, gopclntab_module(g->table), g->rt.bias, g->memory);

	if (rc)
		return error_set(err, rc == ERR_NOMEM ? rc : ERR_FORMAT,
				 rc == ERR_NOMEM ? "out of memory" : "the program's types cannot be read");
	rc = gofields_find(&g->fields, &types, err);
	gotypes_release(&types);
	return rc;
}

static int find_runtime(struct golive *g, struct error *err)
{
	struct goruntime_search search = { 0 };
	int rc = goruntime_find(&g->rt, &search, g->maps, g->memory);

	goruntime_search_release(&search);
	if (!rc)
		return 0;
	return error_set(err, rc, rc == ERR_NOMEM ? "out of memory" : rc == ERR_NOTFOUND ?
			 "it is no program of Go's" : "its Go runtime is not understood");
}

static int find_all(struct golive *g, struct error *err)
{
	int rc = find_runtime(g, err);

	if (!rc)
		rc = govars_of_image(&g->vars, g->rt.image, g->rt.bias, g->memory, err);
	if (rc)
		return rc;
	rc = gopclntab_open(g->rt.image, &g->table);
	if (rc)
		return error_set(err, rc, "the program's functions cannot be read");
	rc = find_fields(g, err);
	if (!rc && goplaces_find(&g->places, g->table, g->rt.image, g->rt.bias, &g->vars))
		rc = error_set(err, ERR_NOMEM, "out of memory");
	return rc;
}

int golive_open(struct golive **out, const struct process *process, struct error *err)
{
	struct golive *g = calloc(1, sizeof(*g));
	int rc;

	*out = NULL;
	if (!g)
		return error_set(err, ERR_NOMEM, "out of memory");
	g->process = process;
	memory_live_init(&g->live, process->pid);
	g->memory = &g->live.memory;
	rc = modmap_new(&g->maps, process);
	rc = rc ? error_set(err, rc, "out of memory") : modmap_refresh(g->maps, err);
	if (!rc)
		rc = find_all(g, err);
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
