/*
 * Expands a pc as runtime.CallersFrames does (runtime/symtabinl.go): the innermost call has the
 * line of the pc, each outer one the line of the call in it. Wrappers made by the compiler are
 * ordinary frames here, though Go's tracebacks leave them out. Names are not mangled and stay as
 * they are.
 */
#include "symbolize/gosyms.h"

#include <string.h>

#include "base/error.h"
#include "base/process/gopclntab.h"
#include "symbolize/names.h"
#include "symbolize/symbolizer.h"

enum { FILE_ROOM = 4096 };

static int gosyms_fill(struct gopclntab *t, struct names *names, const struct go_function *f,
		       uint32_t name, uint32_t start_line, uint64_t addr,
		       struct symbol_frame *frame)
{
	char text[GO_NAME_MAX], file[FILE_ROOM];

	memset(frame, 0, sizeof(*frame));
	if (!gopclntab_name(t, name, text, sizeof(text)))
		strcpy(text, "[nameless]");
	frame->name = frame->system_name = names_text(names, text);
	if (gopclntab_line(t, f, addr, file, sizeof(file), &frame->line))
		frame->file = names_text(names, file);
	frame->start_line = start_line;
	return frame->name && (frame->file || !frame->line) ? 0 : ERR_NOMEM;
}

int gosyms_find(struct gopclntab *t, struct names *names, uint64_t addr,
		struct symbol_frame *frames, size_t room, uint64_t *start)
{
	struct go_inlined inlined;
	struct go_function f;
	size_t count = 0;

	if (!gopclntab_find(t, addr, &f) || !f.pcsp)
		return 0;
	*start = f.entry;
	while (count + 1 < room && gopclntab_inlined(t, &f, addr, &inlined)) {
		if (gosyms_fill(t, names, &f, inlined.name, inlined.start_line, addr,
				&frames[count++]))
			return ERR_NOMEM;
		addr = inlined.call;
	}
	if (gosyms_fill(t, names, &f, f.name, f.start_line, addr, &frames[count++]))
		return ERR_NOMEM;
	return (int)count;
}

int gosyms_name(struct gopclntab *t, struct names *names, uint64_t addr, const char **name)
{
	char text[GO_NAME_MAX];
	struct go_function f;

	if (!gopclntab_find(t, addr, &f) || !f.pcsp ||
	    !gopclntab_name(t, f.name, text, sizeof(text)))
		return 0;
	*name = names_text(names, text);
	return *name ? 0 : ERR_NOMEM;
}
