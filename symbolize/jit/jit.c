/* The jitdump file is asked first, since it has lines, too. Why a source is missing is noted only
 * if both are. */
#include "symbolize/jit/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void jit_release(struct jit *j)
{
	free(j->dump_path);
	jitdump_release(&j->dump);
	perfmap_release(&j->map);
	memset(j, 0, sizeof(*j));
}

int jit_use_dump(struct jit *j, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return ERR_NOMEM;
	free(j->dump_path);
	j->dump_path = copy;
	return 0;
}

void jit_leave_out(struct jit *j, const char *why)
{
	j->loaded = true;
	snprintf(j->note, sizeof(j->note), "%s", why);
}

static void jit_note(struct jit *j, size_t count, const char *source, size_t bad, const char *what)
{
	size_t len = strlen(j->note);

	len += (size_t)snprintf(j->note + len, sizeof(j->note) - len, "%s%zu functions from the %s",
				len ? "; " : "", count, source);
	if (bad && len < sizeof(j->note))
		snprintf(j->note + len, sizeof(j->note) - len, ", %zu broken %s left out", bad,
			 what);
}

static int jit_load(struct jit *j, const struct process *p)
{
	struct error no_dump = { .text = "" }, no_map = { .text = "no process to ask" };
	int dump = p && j->dump_path ? jitdump_load(&j->dump, p, j->dump_path, &no_dump) :
				       ERR_NOTFOUND;
	int map = p && dump != ERR_NOMEM ? perfmap_load(&j->map, p, &no_map) : ERR_NOTFOUND;

	j->loaded = true;
	if (!dump)
		jit_note(j, j->dump.count, "jitdump file", j->dump.bad_records, "records");
	if (dump == ERR_NOMEM || map == ERR_NOMEM)
		return ERR_NOMEM;
	if (!map)
		jit_note(j, j->map.count, "perf map", j->map.bad_lines, "lines");
	/* Why a source is missing is noted only if there is no other source. */
	if (map && dump)
		snprintf(j->note, sizeof(j->note), "none, %.200s%s%.200s", no_dump.text,
			 *no_dump.text ? ", " : "", no_map.text);
	return 0;
}

int jit_find(struct jit *j, const struct process *p, uint64_t addr, struct jit_symbol *out)
{
	const struct jitdump_function *f;
	const struct jitdump_line *line;

	memset(out, 0, sizeof(*out));
	if (!j->loaded && jit_load(j, p))
		return ERR_NOMEM;
	f = jitdump_find(&j->dump, addr, &line);
	if (!f) {
		out->name = perfmap_find(&j->map, addr);
		return out->name != NULL;
	}
	out->name = f->name;
	if (line) {
		out->file = line->file;
		out->line = line->line;
		out->column = line->column;
	}
	return 1;
}
