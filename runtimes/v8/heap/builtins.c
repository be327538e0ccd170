/* All builtins are read once and sorted by address. Those of V8's own machinery are hidden by the
 * beginnings of their names, which are the same in all releases that are read. */
#include "runtimes/v8/heap/builtins.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/room.h"
#include "base/sorted.h"
#include "runtimes/v8/heap/tables.h"

enum { SYMBOLS_MAX = 10000000, BUILTINS_MAX = 1 << 16 };

static const char prefix[] = "Builtins_";

/* Ways into and out of JavaScript, calls, and the interpreter: V8's and Chrome's profiles have none
 * of them. Those that end in "Handler" are the interpreter's bytecodes. */
static const char *const hidden[] = {
	"AdaptorWith",
	"ArgumentsAdaptor",
	"Baseline",
	"CEntry_",
	"CallApi",
	"CallBoundFunction",
	"CallFunction_",
	"CallFunctionTemplate_",
	"CallWith",
	"Call_",
	"CompileLazy",
	"Construct",
	"ContinueTo",
	"Deoptimization",
	"DirectCEntry",
	"FastConstruct",
	"FastNewObject",
	"InstantiateAsmJs",
	"Interpreter",
	"JSBuiltinsConstructStub",
	"JSConstruct",
	"JSEntry",
	"JSRunMicrotasksEntry",
	"NotifyDeoptimized",
	"ResumeGenerator",
	"RunMicrotasks",
	"StackCheck",
	"CallVarargs",
	"HandleApiCall",
};

enum { CONTINUING = 4 };

static const char *const continuing[CONTINUING] = { "BaselineLeaveFrame", "InterpreterEnterAt",
						    "BaselineOrInterpreterEnterAt", "ContinueTo" };

static bool begins_as_one(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

static bool is_hidden(const char *name)
{
	size_t len = strlen(name);

	return (len > 7 && !strcmp(name + len - 7, "Handler")) ||
	       begins_as_one(name, hidden, sizeof(hidden) / sizeof(*hidden));
}

static int builtins_keep_name(struct v8_builtins *b, const char *name, uint32_t *at)
{
	size_t len = strlen(prefix) + strlen(name) + 1;

	if (!b->names_len)
		b->names_len = 1; /* 0 is none */
	if (room_for((void **)&b->names, &b->names_room, b->names_len + len, 1))
		return ERR_NOMEM;
	*at = (uint32_t)b->names_len;
	snprintf(b->names + b->names_len, len, "%s%s", prefix, name);
	b->names_len += len;
	return 0;
}

int v8_builtins_add(struct v8_builtins *b, uint64_t start, uint64_t size, const char *name,
		    bool keep)
{
	struct v8_builtin to = { .start = start,
				 .size = (uint32_t)size,
				 .continues = begins_as_one(name, continuing, CONTINUING),
				 .hidden = is_hidden(name) };

	if (size > UINT32_MAX || b->count == BUILTINS_MAX)
		return 0;
	if (room_for((void **)&b->all, &b->room, b->count + 1, sizeof(*b->all)) ||
	    (keep && builtins_keep_name(b, name, &to.name)))
		return ERR_NOMEM;
	b->all[b->count++] = to;
	return 0;
}

static int read_symbols(struct v8_builtins *b, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	int rc = 0;
	GElf_Sym sym;

	for (int i = 0; data && !rc && i < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++) {
		const char *name = GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size ?
					   elf_strptr(elf, shdr->sh_link, sym.st_name) :
					   NULL;

		if (name && !strncmp(name, prefix, sizeof(prefix) - 1))
			rc = v8_builtins_add(b, sym.st_value, sym.st_size,
					     name + sizeof(prefix) - 1, false);
	}
	return rc;
}

int v8_builtins_read(struct v8_builtins *b, const struct v8_place *at, int release)
{
	Elf *elf = image_elf(at->image);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int rc = 0;

	while (elf && !rc && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			rc = read_symbols(b, elf, scn, &shdr);
	if (!rc && !b->count)
		rc = v8_builtins_read_tables(b, at, release);
	if (rc)
		v8_builtins_release(b);
	else
		qsort(b->all, b->count, sizeof(*b->all), sorted_order);
	return rc;
}

void v8_builtins_release(struct v8_builtins *b)
{
	free(b->all);
	free(b->names);
	memset(b, 0, sizeof(*b));
}

const struct v8_builtin *v8_builtins_find(const struct v8_builtins *b, uint64_t addr)
{
	size_t i = sorted_last(b->all, b->count, sizeof(*b->all), addr);

	return i < b->count && addr - b->all[i].start < b->all[i].size ? &b->all[i] : NULL;
}
