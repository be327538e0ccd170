/*
 * Combines the sources of names and lines.
 *
 * The function itself gets its raw name from the ELF symbol that covers the address (this
 * distinguishes .cold and .constprop parts, and names statics as the linker does). Inlined calls
 * and lines come from DWARF. Without DWARF there is only the ELF symbol; without either there is no
 * result. For Go's code without DWARF, all of it comes from pclntab.
 *
 * An image is opened when it is first used (module), and all strings are kept here (names).
 */
#include "symbolize/symbolizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/process.h"
#include "base/room.h"
#include "symbolize/dwarf/dwarf.h"
#include "symbolize/files/elfsyms.h"
#include "symbolize/gosyms.h"
#include "symbolize/jit/jit.h"
#include "symbolize/module.h"
#include "symbolize/names.h"

enum { PATH_ROOM = 8192 };

struct symbolizer {
	const struct process *process;
	unsigned flags;
	struct module *modules; /* by image id */
	size_t module_count;
	struct names names;
	struct jit jit;
	struct symbolizer_trace *trace, no_trace;
	struct symbol_frame frames[DWARF_DEPTH_MAX];
};

int symbolizer_new(struct symbolizer **out, const struct process *process, unsigned flags)
{
	struct symbolizer *s = calloc(1, sizeof(*s));

	if (!s)
		return ERR_NOMEM;
	s->process = process;
	s->flags = flags;
	s->trace = &s->no_trace;
	if (names_init(&s->names)) {
		symbolizer_free(s);
		return ERR_NOMEM;
	}
	*out = s;
	return 0;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->module_count; i++)
		module_close(&s->modules[i]);
	free(s->modules);
	jit_release(&s->jit);
	names_release(&s->names);
	free(s);
}

static int make_module(struct symbolizer *s, const struct image *image, struct module **m)
{
	size_t id = image_id(image);

	if (room_for_zeros((void **)&s->modules, &s->module_count, id + 1, sizeof(**m)))
		return ERR_NOMEM;
	*m = &s->modules[id];
	return 0;
}

static int symbolizer_module_of(struct symbolizer *s, const struct image *image, struct module **m)
{
	if (make_module(s, image, m))
		return ERR_NOMEM;
	return (*m)->opened ? 0 : module_open(*m, image, s->process);
}

void symbolizer_trace_to(struct symbolizer *s, struct symbolizer_trace *trace)
{
	s->trace = trace;
}

/* Code that no file backs. */

/* A JIT compiler may have written names, and lines. */
static int find_jit(struct symbolizer *s, const struct image *image, uint64_t addr,
		    struct symbol *out)
{
	struct symbol_frame *f = &s->frames[0];
	struct jit_symbol found;
	int rc = jit_find(&s->jit, s->process, addr, &found);

	if (rc <= 0)
		return rc;
	*f = (struct symbol_frame){ .line = found.line, .column = found.column };
	if (names_function(&s->names, found.name, &f->system_name, &f->name) ||
	    (found.file && !(f->file = names_text(&s->names, found.file))))
		return ERR_NOMEM;
	s->modules[image_id(image)].has_lines |= found.line != 0;
	out->count = 1;
	return 0;
}

int symbolizer_use_jitdump(struct symbolizer *s, const char *path)
{
	return jit_use_dump(&s->jit, path);
}

/* Code of a file. */

static bool is_absolute(const char *path)
{
	return path && *path == '/';
}

/* "a.c" in "src" of a unit compiled in /build is /build/src/a.c. */
static int symbolizer_name_file(struct symbolizer *s, const struct dwarf_frame *from,
				const char **file)
{
	const char *dir = is_absolute(from->folder) || !is_absolute(from->dir) ? NULL : from->dir;
	char path[PATH_ROOM];
	int len = 0;

	*file = NULL;
	if (!from->file)
		return 0;
	if (!is_absolute(from->file) && (from->folder || dir))
		len = snprintf(path, sizeof(path), "%s%s%s%s%s", dir ? dir : "", dir ? "/" : "",
			       from->folder ? from->folder : "", from->folder ? "/" : "",
			       from->file);
	*file = names_text(&s->names, len > 0 && len < PATH_ROOM ? path : from->file);
	return *file ? 0 : ERR_NOMEM;
}

/* The name of a C++ function without a linkage name, with its scope. It must differ from
 * system_name: google/pprof takes the two being equal as a sign that the name is still mangled, and
 * then removes template arguments and parentheses. */
static int name_scoped(struct symbolizer *s, const struct dwarf_frame *from,
		       struct symbol_frame *to)
{
	struct buffer text = { 0 };
	int rc = buffer_addf(&text, "%s%s%s%c", from->scope ? from->scope : "",
			     from->scope ? "::" : "", from->name, 0);

	to->name = rc ? NULL : names_text(&s->names, (char *)text.data);
	to->system_name = from->scope ? names_text(&s->names, from->name) : "";
	buffer_release(&text);
	return to->name && to->system_name ? 0 : ERR_NOMEM;
}

static bool symbolizer_is_scoped(const struct dwarf_frame *f)
{
	return f->name && !f->linkage_name &&
	       (f->scope || (f->is_cplusplus && strchr(f->name, '<')));
}

static int symbolizer_name_function(struct symbolizer *s, const struct dwarf_frame *from,
				    const struct elfsym *symbol, struct symbol_frame *to)
{
	const char *raw = symbol	     ? symbol->name :
			  from->linkage_name ? from->linkage_name :
			  from->name	     ? from->name :
					       "[nameless]";

	if (!symbol && symbolizer_is_scoped(from))
		return name_scoped(s, from, to);
	return names_function(&s->names, raw, &to->system_name, &to->name);
}

static int symbolizer_name_frame(struct symbolizer *s, const struct dwarf_frame *from,
				 const struct elfsym *symbol, struct symbol_frame *to)
{
	if (symbolizer_name_function(s, from, symbol, to) ||
	    symbolizer_name_file(s, from, &to->file))
		return ERR_NOMEM;
	to->line = from->line;
	to->column = from->column;
	to->start_line = from->start_line;
	return 0;
}

/* Uses pclntab. An address that it does not cover gets its ELF symbol. */
static int symbolizer_find_go(struct symbolizer *s, struct module *m, uint64_t addr,
			      const struct elfsym *symbol, struct symbol *out)
{
	int count = gosyms_find(m->go, &s->names, addr, s->frames, DWARF_DEPTH_MAX, &out->start);

	if (count < 0)
		return ERR_NOMEM;
	if (!count && symbol) {
		memset(&s->frames[0], 0, sizeof(s->frames[0]));
		count = 1;
		out->start = symbol->start;
		if (names_function(&s->names, symbol->name, &s->frames[0].system_name,
				   &s->frames[0].name))
			return ERR_NOMEM;
	}
	m->has_lines |= count && s->frames[0].line;
	m->has_inlines |= count > 1;
	out->count = (size_t)count;
	if (count && s->flags & SYMBOLIZE_NO_INLINE) {
		out->frames = &s->frames[count - 1];
		out->count = 1;
	}
	return 0;
}

/* DWARF's frames; the last one gets the name of the symbol that covers the address. A symbol
 * without a DWARF function (assembly) gets the line only. */
static int symbolizer_find_code(struct symbolizer *s, struct module *m, uint64_t addr,
				struct symbol *out)
{
	const struct elfsym *symbol = elfsyms_find(&m->symbols, addr);
	struct dwarf_frame frames[DWARF_DEPTH_MAX];
	int count = 0, first = 0;

	memset(&frames[0], 0, sizeof(frames[0]));
	if (m->index)
		count = dwarf_index_find(m->index, addr, frames);
	if (count < 0)
		return ERR_NOMEM;
	if (m->go && !frames[0].line)
		return symbolizer_find_go(s, m, addr, symbol, out);
	if (!count && !symbol)
		return 0;
	m->has_lines |= frames[0].line != 0;
	m->has_inlines |= count > 1;
	count = count ? count : 1;
	if (s->flags & SYMBOLIZE_NO_INLINE)
		first = count - 1;
	for (int i = first; i < count; i++)
		if (symbolizer_name_frame(s, &frames[i], i == count - 1 ? symbol : NULL,
					  &s->frames[i - first]))
			return ERR_NOMEM;
	out->count = (size_t)(count - first);
	out->start = symbol ? symbol->start : 0;
	return m->go ? gosyms_name(m->go, &s->names, addr, &s->frames[count - 1 - first].name) : 0;
}

int symbolizer_leave_out(struct symbolizer *s, const struct image *image, const char *why)
{
	struct module *m;

	if (make_module(s, image, &m))
		return ERR_NOMEM;
	m->opened = m->left_out = true;
	elfsyms_init(&m->symbols);
	snprintf(m->note, sizeof(m->note), "%s", why);
	if (image_is_memory(image))
		jit_leave_out(&s->jit, why);
	return 0;
}

int symbolizer_offer(struct symbolizer *s, const struct image *image, int fd)
{
	struct module *m;

	if (make_module(s, image, &m))
		return ERR_NOMEM;
	m->offered = fd + 1;
	return 0;
}

static int symbolizer_look_up(struct symbolizer *s, const struct image *image, uint64_t addr,
			      struct symbol *out)
{
	struct module *m;

	out->frames = s->frames;
	out->count = 0;
	out->start = 0;
	if (symbolizer_module_of(s, image, &m))
		return ERR_NOMEM;
	if (image_is_memory(image))
		return find_jit(s, image, addr, out);
	if (answers_find(&m->answers, addr, out))
		return 0;
	return image_elf(image) ? symbolizer_find_code(s, m, addr, out) : 0;
}

/* Tells an observing process which image's file is in use. The image stays set after an error,
 * because the observer needs it above all if memory runs out. */
static void symbolizer_watch(struct symbolizer *s, const struct image *image)
{
	s->trace->lookups++;
	s->trace->image = image_id(image) + 1;
}

static int watched(struct symbolizer *s, int rc)
{
	if (!rc)
		s->trace->image = 0;
	return rc;
}

int symbolizer_lookup(struct symbolizer *s, const struct image *image, uint64_t addr,
		      struct symbol *out)
{
	symbolizer_watch(s, image);
	return watched(s, symbolizer_look_up(s, image, addr, out));
}

static int symbolizer_find_variable(struct symbolizer *s, const struct image *image, uint64_t addr,
				    const char **name, uint64_t *offset)
{
	const struct elfsyms *variables;
	const struct elfsym *symbol;
	const char *system_name;
	struct module *m;

	*name = NULL;
	if (symbolizer_module_of(s, image, &m) || !(variables = module_variables(m, image)))
		return ERR_NOMEM;
	symbol = elfsyms_find(variables, addr);
	if (!symbol)
		return 0;
	*offset = addr - symbol->start;
	return names_function(&s->names, symbol->name, &system_name, name);
}

int symbolizer_variable(struct symbolizer *s, const struct image *image, uint64_t addr,
			const char **name, uint64_t *offset)
{
	symbolizer_watch(s, image);
	return watched(s, symbolizer_find_variable(s, image, addr, name, offset));
}

static int answer(struct symbolizer *s, const struct image *image, struct module *m,
		  const uint64_t *addrs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct symbol symbol = { .frames = s->frames };

		symbolizer_watch(s, image);
		if (i && addrs[i] == addrs[i - 1])
			continue;
		if (symbolizer_find_code(s, m, addrs[i], &symbol) ||
		    answers_add(&m->answers, addrs[i], &symbol))
			return ERR_NOMEM;
	}
	answers_settle(&m->answers);
	return 0;
}

static int symbolizer_prepare_image(struct symbolizer *s, const struct image *image,
				    const uint64_t *addrs, size_t count)
{
	struct module *m;
	uint64_t *ordered;
	int rc;

	if (symbolizer_module_of(s, image, &m))
		return ERR_NOMEM;
	if (!m->index || m->answers.count || !count)
		return 0;
	ordered = malloc(count * sizeof(*ordered));
	if (!ordered)
		return ERR_NOMEM;
	memcpy(ordered, addrs, count * sizeof(*ordered));
	dwarf_index_order(m->index, ordered, count);
	rc = answer(s, image, m, ordered, count);
	free(ordered);
	return rc;
}

int symbolizer_prepare(struct symbolizer *s, const struct image *image, const uint64_t *addrs,
		       size_t count)
{
	symbolizer_watch(s, image);
	return watched(s, symbolizer_prepare_image(s, image, addrs, count));
}

static const struct module *asked(const struct symbolizer *s, const struct image *image)
{
	size_t id = image_id(image);

	return id < s->module_count && s->modules[id].opened ? &s->modules[id] : NULL;
}

bool symbolizer_leaves_out(const struct symbolizer *s, const struct image *image)
{
	const struct module *m = asked(s, image);

	return m && m->left_out;
}

bool symbolizer_has_lines(const struct symbolizer *s, const struct image *image)
{
	const struct module *m = asked(s, image);

	return m && m->has_lines;
}

bool symbolizer_has_inlines(const struct symbolizer *s, const struct image *image)
{
	const struct module *m = asked(s, image);

	return m && m->has_inlines && !(s->flags & SYMBOLIZE_NO_INLINE);
}

const char *symbolizer_note(const struct symbolizer *s, const struct image *image)
{
	const struct module *m = asked(s, image);

	if (!m)
		return NULL;
	return image_is_memory(image) ? s->jit.note : m->note;
}
