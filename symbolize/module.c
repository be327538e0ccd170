/*
 * DWARF is read through a handle of its own (debugelf): libdw keeps what it reads as long as the
 * handle lives, and the image lives longer than the module.
 *
 * Answers are appended, sorted by address once (answers_settle), and then searched by halves; their
 * frames lie in one array.
 */
#include "symbolize/module.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/gomodule.h"
#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "base/room.h"
#include "base/sorted.h"
#include "symbolize/dwarf/split.h"
#include "symbolize/files/debugfile.h"
#include "symbolize/files/minidebug.h"
#include "symbolize/files/decompress.h"
#include "symbolize/symbolizer.h"

struct answer {
	uint64_t addr, start; /* start: symbol.start */
	size_t first, count;  /* its frames: index of the first, and number */
};

/* The parts of the note. */
struct report {
	const char *symbols_from;
	const char *mini;   /* what was wrong with .gnu_debugdata */
	const char *packed; /* what was wrong with compressed DWARF */
	char refused[256];  /* a debug file that was not used */
	char missing[256];  /* the supplementary file that DWARF needs */
};

static void close_dwarf(struct module_dwarf *d)
{
	dwarf_end(d->dwarf);
	elf_end(d->elf);
	elfview_release(&d->view);
	debugelf_close(&d->file);
}

void module_close(struct module *m)
{
	gopclntab_close(m->go);
	dwarf_index_free(m->index);
	split_free(m->split);
	close_dwarf(&m->dwarf);
	close_dwarf(&m->alt_dwarf);
	image_free(m->debug);
	image_free(m->alt);
	elfsyms_release(&m->symbols);
	elfsyms_release(&m->variables);
	free(m->answers.all);
	free(m->answers.frames);
}

static int add_mini_symbols(struct module *m, const struct image *image, struct report *r)
{
	struct minidebug mini;
	int rc = minidebug_open(&mini, image_elf(image), &r->mini);

	if (!rc && mini.elf) {
		r->symbols_from = ".dynsym and .gnu_debugdata";
		if (elfsyms_add(&m->symbols, mini.elf, SHT_SYMTAB, false) < 0)
			rc = ERR_NOMEM;
	}
	minidebug_close(&mini);
	return rc;
}

/* The image's own .symtab, else that of its debug file, else .dynsym and .gnu_debugdata. */
static int load_symbols(struct module *m, const struct image *image, struct report *r)
{
	long n = elfsyms_add(&m->symbols, image_elf(image), SHT_SYMTAB, true);

	r->symbols_from = ".symtab";
	if (n == 0 && m->debug) {
		n = elfsyms_add(&m->symbols, image_elf(m->debug), SHT_SYMTAB, true);
		r->symbols_from = ".symtab of the debug file";
	}
	if (n == 0) {
		n = elfsyms_add(&m->symbols, image_elf(image), SHT_DYNSYM, false);
		r->symbols_from = ".dynsym";
		if (n >= 0 && add_mini_symbols(m, image, r))
			n = ERR_NOMEM;
	}
	return n < 0 ? ERR_NOMEM : elfsyms_settle(&m->symbols);
}

/* Opens the DWARF of a file, if it has any. ERR_NOMEM. */
static int open_dwarf(struct module_dwarf *d, const struct image *file, struct report *r)
{
	Elf *elf = image_elf(file);
	int rc;

	if (image_fd(file) >= 0) {
		debugelf_open(&d->file, image_fd(file));
		elf = d->file.elf;
	}
	if (!elf)
		return 0;
	rc = decompress_dwarf(&d->view, elf, &d->file, &r->packed);
	if (rc || r->packed)
		return rc;
	if (d->view.bytes) {
		debugelf_close(&d->file);
		elf = d->elf = elfview_open(&d->view);
	}
	d->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	return 0;
}

/* Without the supplementary file half of the names are missing. libdw would look for it by opening
 * whatever path is in the file, in our view of the file system. So DWARF is not used without it. */
static int complete_dwarf(struct module *m, const struct image *file, const struct process *process,
			  struct report *r)
{
	const char *name;
	const void *id;

	m->alt = debugfile_find_alt(file, process, r->missing, sizeof(r->missing));
	if (m->alt && open_dwarf(&m->alt_dwarf, m->alt, r))
		return ERR_NOMEM;
	if (m->alt_dwarf.dwarf)
		dwarf_setalt(m->dwarf.dwarf, m->alt_dwarf.dwarf);
	else if (!*r->missing &&
		 (m->alt || dwelf_dwarf_gnu_debugaltlink(m->dwarf.dwarf, &name, &id) > 0))
		snprintf(r->missing, sizeof(r->missing), "its supplementary file cannot be used");
	return 0;
}

static int load_dwarf(struct module *m, const struct image *image, const struct process *process,
		      struct report *r)
{
	const struct image *file = m->debug ? m->debug : image;

	if (open_dwarf(&m->dwarf, file, r))
		return ERR_NOMEM;
	if (!m->dwarf.dwarf)
		return 0;
	if (complete_dwarf(m, file, process, r))
		return ERR_NOMEM;
	if (*r->missing)
		return 0;
	if (split_new(&m->split, image, file, process, m->note, sizeof(m->note)))
		return ERR_NOMEM;
	return dwarf_index_new(&m->index, m->dwarf.dwarf, m->split, &m->dwarf.file);
}

static void write_note(struct module *m, const struct report *r, bool has_dwarf)
{
	const char *dwarf = "no DWARF", *missing = r->packed ? r->packed : r->missing;

	if (m->index)
		dwarf = m->debug ? image_path(m->debug) : "the file itself";
	else if (has_dwarf)
		dwarf = *missing ? "DWARF not used" : "broken DWARF";
	snprintf(m->note, sizeof(m->note), "%zu functions from %s, %s%s%s%s%s%s%s%s",
		 m->symbols.count, r->symbols_from, m->index ? "DWARF of " : "", dwarf,
		 *missing ? ", " : "", missing, *r->refused ? "; " : "", r->refused,
		 r->mini ? "; .gnu_debugdata is " : "", r->mini ? r->mini : "");
}

/* A file that was offered must be of the same build. */
static struct image *take_offered(struct module *m, const struct image *image, struct report *r)
{
	struct image *found = NULL;

	image_open(fcntl(m->offered - 1, F_DUPFD_CLOEXEC, 0), "[debuginfod]", &found, NULL);
	if (found && !strcmp(image_build_id(found), image_build_id(image)))
		return found;
	snprintf(r->refused, sizeof(r->refused), "what debuginfod sent %s and was not used",
		 found ? "belongs to another build" : "is no ELF file");
	image_free(found);
	return NULL;
}

/* A table that cannot be read counts as none. */
static int load_go(struct module *m, const struct image *image)
{
	size_t len = strlen(m->note);
	int rc = gopclntab_open(image, &m->go);

	if (!rc)
		snprintf(m->note + len, sizeof(m->note) - len, "; %lu functions from Go's pclntab",
			 gopclntab_module(m->go)->functions);
	return rc == ERR_NOMEM ? rc : 0;
}

int module_open(struct module *m, const struct image *image, const struct process *process)
{
	struct report r = { .symbols_from = "" };
	bool own;

	m->opened = true;
	elfsyms_init(&m->symbols);
	if (!image_elf(image)) {
		snprintf(m->note, sizeof(m->note), "none, there is no ELF file to read");
		return 0;
	}
	own = debugfile_has_dwarf(image);
	if (!own)
		m->debug = debugfile_find(image, process, r.refused, sizeof(r.refused));
	if (!own && !m->debug && m->offered)
		m->debug = take_offered(m, image, &r);
	/* DWARF first, because unpacking it takes the most memory. */
	if (((own || m->debug) && load_dwarf(m, image, process, &r)) || load_symbols(m, image, &r))
		return ERR_NOMEM;
	write_note(m, &r, own || m->debug);
	return load_go(m, image);
}

const struct elfsyms *module_variables(struct module *m, const struct image *image)
{
	struct elfsyms *v = &m->variables;
	long n;

	if (v->variables || !image_elf(image))
		return v;
	v->variables = true;
	n = elfsyms_add(v, image_elf(image), SHT_SYMTAB, true);
	if (n == 0 && m->debug)
		n = elfsyms_add(v, image_elf(m->debug), SHT_SYMTAB, true);
	if (n == 0)
		n = elfsyms_add(v, image_elf(image), SHT_DYNSYM, false);
	return n < 0 || elfsyms_settle(v) ? NULL : v;
}

int answers_add(struct answers *a, uint64_t addr, const struct symbol *symbol)
{
	if (room_for((void **)&a->all, &a->room, a->count + 1, sizeof(*a->all)) ||
	    room_for((void **)&a->frames, &a->frame_room, a->frame_count + symbol->count,
		     sizeof(*a->frames)))
		return ERR_NOMEM;
	a->all[a->count++] = (struct answer){ addr, symbol->start, a->frame_count, symbol->count };
	if (symbol->count)
		memcpy(a->frames + a->frame_count, symbol->frames,
		       symbol->count * sizeof(*a->frames));
	a->frame_count += symbol->count;
	return 0;
}

void answers_settle(struct answers *a)
{
	if (a->count)
		qsort(a->all, a->count, sizeof(*a->all), sorted_order);
}

bool answers_find(const struct answers *a, uint64_t addr, struct symbol *symbol)
{
	const struct answer *found = sorted_find(a->all, a->count, sizeof(*a->all), addr);

	if (!found)
		return false;
	symbol->frames = a->frames + found->first;
	symbol->count = found->count;
	symbol->start = found->start;
	return true;
}
