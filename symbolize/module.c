/*
 * DWARF is read through a handle of its own: libdw keeps what it reads as long
 * as the handle lives, and the image outlives us. All files are read by
 * ELF_C_READ, as target/image.c says why.
 */
#include "symbolize/module.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "symbolize/debugfile.h"
#include "symbolize/minidebug.h"
#include "target/gomodule.h"
#include "target/gopclntab.h"
#include "target/image.h"

struct report { /* what becomes the note */
	const char *symbols_from;
	const char *mini;  /* what was wrong with .gnu_debugdata */
	char refused[256]; /* a debug file that was not used */
	char missing[256]; /* the supplementary file that DWARF wants */
};

void module_close(struct module *m)
{
	gopclntab_close(m->go);
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

/* The image's own .symtab, else that of its debug file, else what was left. */
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

static Dwarf *open_dwarf(struct module *m, const struct image *file)
{
	Elf *elf = image_elf(file);

	if (file != m->debug && image_fd(file) >= 0)
		elf = m->own_elf = elf_begin(image_fd(file), ELF_C_READ, NULL);
	return elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
}

/* Without the supplementary file half of the names are missing, and libdw would
 * open whatever path stands in the file to find it, in our view of the file
 * system: then rather no DWARF. */
static bool complete_dwarf(struct module *m, const struct image *file,
			   const struct process *process, struct report *r)
{
	const char *name;
	const void *id;

	m->alt = debugfile_find_alt(file, process, r->missing, sizeof(r->missing));
	if (m->alt)
		m->alt_dwarf = dwarf_begin_elf(image_elf(m->alt), DWARF_C_READ, NULL);
	if (m->alt_dwarf) {
		dwarf_setalt(m->dwarf, m->alt_dwarf);
		return true;
	}
	if (!*r->missing && (m->alt || dwelf_dwarf_gnu_debugaltlink(m->dwarf, &name, &id) > 0))
		snprintf(r->missing, sizeof(r->missing), "its supplementary file cannot be used");
	return !*r->missing;
}

static int load_dwarf(struct module *m, const struct image *image, const struct process *process,
		      struct report *r)
{
	const struct image *file = m->debug ? m->debug : image;

	m->dwarf = open_dwarf(m, file);
	if (!m->dwarf || !complete_dwarf(m, file, process, r))
		return 0;
	return dwarf_index_new(&m->index, m->dwarf, image_fd(file));
}

static void write_note(struct module *m, const struct report *r, bool has_dwarf)
{
	const char *dwarf = "no DWARF";

	if (m->index)
		dwarf = m->debug ? image_path(m->debug) : "the file itself";
	else if (has_dwarf)
		dwarf = *r->missing ? "DWARF not used" : "broken DWARF";
	snprintf(m->note, sizeof(m->note), "%zu functions from %s, %s%s%s%s%s%s%s%s", m->symbols.count,
		 r->symbols_from, m->index ? "DWARF of " : "", dwarf, *r->missing ? ", " : "",
		 r->missing, *r->refused ? "; " : "", r->refused,
		 r->mini ? "; .gnu_debugdata is " : "", r->mini ? r->mini : "");
}

/* A table that is not understood is as good as none. */
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
	own = has_debug_info(image);
	if (!own)
		m->debug = debugfile_find(image, process, r.refused, sizeof(r.refused));
	if (load_symbols(m, image, &r) ||
	    ((own || m->debug) && load_dwarf(m, image, process, &r)))
		return ERR_NOMEM;
	write_note(m, &r, own || m->debug);
	return load_go(m, image);
}
