/*
 * Which source speaks for what.
 *
 * The function itself takes its raw name from the ELF symbol that covers the
 * address (it tells .cold and .constprop parts apart, and names statics as the
 * linker does), inlined calls and lines come from DWARF. Without DWARF the ELF
 * symbol is all there is; without either, nothing is said.
 *
 * Files of the target are read through handles of our own, opened when an image
 * is first asked about.
 */
#include "symbolize/symbolizer.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "symbolize/debugfile.h"
#include "symbolize/demangle.h"
#include "symbolize/dwarf.h"
#include "symbolize/elfsyms.h"
#include "symbolize/perfmap.h"
#include "target/image.h"
#include "target/process.h"

enum { MINI_DEBUG_MAX = 64 << 20 };

struct module {
	bool opened, has_lines, has_inlines;
	struct elfsyms symbols;
	Elf *own_elf;		   /* when the DWARF is in the image's own file */
	struct image *debug, *alt; /* separate files */
	Dwarf *dwarf, *alt_dwarf;
	struct dwarf_index *index;
	char note[512];
};

struct symbolizer {
	const struct process *process;
	unsigned flags;
	struct module *modules; /* by image id */
	size_t module_count;
	struct arena arena;
	struct perfmap perfmap;
	bool perfmap_loaded;
	struct symbol_frame frames[DWARF_DEPTH_MAX];
};

int symbolizer_new(struct symbolizer **out, const struct process *process, unsigned flags)
{
	struct symbolizer *s = calloc(1, sizeof(*s));

	if (!s)
		return ERR_NOMEM;
	s->process = process;
	s->flags = flags;
	*out = s;
	return 0;
}

static void close_module(struct module *m)
{
	dwarf_index_free(m->index);
	if (m->dwarf)
		dwarf_end(m->dwarf);
	if (m->alt_dwarf)
		dwarf_end(m->alt_dwarf);
	if (m->own_elf)
		elf_end(m->own_elf);
	image_free(m->debug);
	image_free(m->alt);
	elfsyms_release(&m->symbols);
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->module_count; i++)
		close_module(&s->modules[i]);
	free(s->modules);
	perfmap_release(&s->perfmap);
	arena_release(&s->arena);
	free(s);
}

/* .gnu_debugdata: an ELF file with more symbols, compressed by xz (MiniDebugInfo
 * in gdb's manual). libdwelf uncompresses a file, so it is given one. */
static int add_mini_symbols(struct module *m, const struct image *image)
{
	Elf *elf = image_elf(image), *mini;
	Elf_Scn *scn = NULL;
	size_t strings;
	int rc = 0;

	if (elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ?
					   elf_strptr(elf, strings, shdr.sh_name) : NULL;
		Elf_Data *data;
		int fd;

		if (!name || strcmp(name, ".gnu_debugdata") || shdr.sh_size > MINI_DEBUG_MAX ||
		    !(data = elf_rawdata(scn, NULL)))
			continue;
		fd = memfd_create("gnu_debugdata", MFD_CLOEXEC);
		if (fd >= 0 && write(fd, data->d_buf, data->d_size) == (ssize_t)data->d_size &&
		    (mini = dwelf_elf_begin(fd))) {
			rc = elfsyms_add(&m->symbols, mini, SHT_SYMTAB) < 0 ? ERR_NOMEM : 0;
			elf_end(mini);
		}
		if (fd >= 0)
			close(fd);
	}
	return rc;
}

/* The image's own .symtab, else that of its debug file, else what was left. */
static int load_symbols(struct module *m, const struct image *image, const char **from)
{
	long n = elfsyms_add(&m->symbols, image_elf(image), SHT_SYMTAB);

	*from = ".symtab";
	if (n == 0 && m->debug) {
		n = elfsyms_add(&m->symbols, image_elf(m->debug), SHT_SYMTAB);
		*from = ".symtab of the debug file";
	}
	if (n == 0) {
		n = elfsyms_add(&m->symbols, image_elf(image), SHT_DYNSYM);
		if (n >= 0 && add_mini_symbols(m, image))
			n = ERR_NOMEM;
		*from = ".dynsym and .gnu_debugdata";
	}
	return n < 0 ? ERR_NOMEM : elfsyms_sort(&m->symbols);
}

/* DWARF is read through a handle of its own: libdw keeps what it reads as long
 * as the handle lives, and the image outlives us. */
static Dwarf *open_dwarf(struct module *m, const struct image *image)
{
	Elf *elf = image_elf(image);

	if (m->debug)
		return dwarf_begin_elf(image_elf(m->debug), DWARF_C_READ, NULL);
	if (image_fd(image) >= 0)
		elf = m->own_elf = elf_begin(image_fd(image), ELF_C_READ, NULL);
	return elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
}

static bool has_debug_info(const struct image *image)
{
	Elf *elf = image_elf(image);
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ?
					   elf_strptr(elf, strings, shdr.sh_name) : NULL;

		if (name && shdr.sh_type != SHT_NOBITS &&
		    (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return true;
	}
	return false;
}

static int load_dwarf(struct symbolizer *s, struct module *m, const struct image *image)
{
	m->dwarf = open_dwarf(m, image);
	if (!m->dwarf)
		return 0;
	m->alt = debugfile_find_alt(m->dwarf, s->process);
	if (m->alt && (m->alt_dwarf = dwarf_begin_elf(image_elf(m->alt), DWARF_C_READ, NULL)))
		dwarf_setalt(m->dwarf, m->alt_dwarf);
	return dwarf_index_new(&m->index, m->dwarf, &s->arena);
}

static int open_module(struct symbolizer *s, struct module *m, const struct image *image)
{
	char refused[256] = "";
	const char *from = "";
	bool own = false;

	m->opened = true;
	elfsyms_init(&m->symbols);
	if (!image_elf(image)) {
		snprintf(m->note, sizeof(m->note), "none, there is no ELF file to read");
		return 0;
	}
	own = has_debug_info(image);
	if (!own)
		m->debug = debugfile_find(image, s->process, refused, sizeof(refused));
	if (load_symbols(m, image, &from) || ((own || m->debug) && load_dwarf(s, m, image)))
		return ERR_NOMEM;
	snprintf(m->note, sizeof(m->note), "%zu functions from %s, %s%s%s%s", m->symbols.count, from,
		 m->index ? "DWARF of " : "no DWARF",
		 !m->index ? "" : m->debug ? image_path(m->debug) : "the file itself",
		 *refused ? "; " : "", refused);
	return 0;
}

static int module_of(struct symbolizer *s, const struct image *image, struct module **m)
{
	size_t id = image_id(image);

	if (id >= s->module_count) {
		size_t count = id + 32;
		struct module *modules = realloc(s->modules, count * sizeof(*modules));

		if (!modules)
			return ERR_NOMEM;
		memset(modules + s->module_count, 0,
		       (count - s->module_count) * sizeof(*modules));
		s->modules = modules;
		s->module_count = count;
	}
	*m = &s->modules[id];
	return (*m)->opened ? 0 : open_module(s, *m, image);
}

/* Code that no file backs: a JIT compiler may have left names. */
static int find_jit(struct symbolizer *s, uint64_t addr, struct symbol *out)
{
	const struct perfmap_entry *e;

	if (!s->perfmap_loaded && s->process &&
	    perfmap_load(&s->perfmap, s->process, NULL) == ERR_NOMEM)
		return ERR_NOMEM;
	s->perfmap_loaded = true;
	e = perfmap_find(&s->perfmap, addr);
	if (!e)
		return 0;
	s->frames[0] = (struct symbol_frame){ .name = e->name, .system_name = e->name };
	out->count = 1;
	return 0;
}

static int name_frame(struct symbolizer *s, const struct dwarf_frame *from,
		      const struct elfsym *symbol, struct symbol_frame *to)
{
	const char *raw = symbol ? symbol->name :
			  from->linkage_name ? from->linkage_name : from->name;

	to->name = raw ? demangle(&s->arena, raw) : "[nameless]";
	to->system_name = raw ? arena_copy(&s->arena, raw, strlen(raw)) : "[nameless]";
	to->file = from->file;
	to->line = from->line;
	to->column = from->column;
	to->start_line = from->start_line;
	return to->name && to->system_name ? 0 : ERR_NOMEM;
}

/* A DWARF name without a linkage name is a C function's, and if a symbol covers
 * the same address it is the same function; the symbol's spelling is used. */
static int name_frames(struct symbolizer *s, struct module *m, uint64_t addr, struct symbol *out)
{
	const struct elfsym *symbol = elfsyms_find(&m->symbols, addr);
	struct dwarf_frame frames[DWARF_DEPTH_MAX];
	int count = 0, first = 0;

	memset(&frames[0], 0, sizeof(frames[0]));
	if (m->index)
		count = dwarf_index_find(m->index, addr, frames);
	if (count < 0)
		return ERR_NOMEM;
	m->has_lines |= frames[0].line != 0;
	m->has_inlines |= count > 1;
	if (!count && !symbol)
		return 0;
	count = count ? count : 1;
	if (s->flags & SYMBOLIZE_NO_INLINE)
		first = count - 1;
	for (int i = first; i < count; i++)
		if (name_frame(s, &frames[i], i == count - 1 ? symbol : NULL,
			       &s->frames[i - first]))
			return ERR_NOMEM;
	out->count = (size_t)(count - first);
	return 0;
}

int symbolizer_lookup(struct symbolizer *s, const struct image *image, uint64_t addr,
		      struct symbol *out)
{
	struct module *m;

	out->frames = s->frames;
	out->count = 0;
	if (module_of(s, image, &m))
		return ERR_NOMEM;
	if (!image_elf(image))
		return strncmp(image_path(image), "[anon", 5) ? 0 : find_jit(s, addr, out);
	return name_frames(s, m, addr, out);
}

static const struct module *asked(const struct symbolizer *s, const struct image *image)
{
	size_t id = image_id(image);

	return id < s->module_count && s->modules[id].opened ? &s->modules[id] : NULL;
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

	return m ? m->note : NULL;
}
