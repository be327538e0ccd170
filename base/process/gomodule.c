/*
 * pclntab is found by its section, else by its header. The header is searched for only in files
 * with a mark of Go or without sections: reading all data of each library that a process has mapped
 * would cost too much. moduledata is the place whose first words point to the parts of pclntab in
 * the order that the header gives; no other data does.
 */
#include "base/process/gomodule.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/cursor.h"
#include "base/elf/elfsection.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/lazyfile.h"
#include "base/process/relocs.h"

enum {
	HEADER_BYTES = 72,
	CHUNK = 64 << 10,
	MODULEDATA_WORDS = 46,
	PLACES_MAX = 16, /* pointers to pclntab: moduledata and a symbol or two */
	/* Indices of words in moduledata. */
	WORD_NAMES = 1,
	WORD_UNITS = 4,
	WORD_TABLE = 13,
	WORD_TEXT = 22,
};

static const uint64_t SCANNED_MAX = 1u << 30;

/* The header: magic number, two zeros, sizes of the smallest instruction (1 byte) and of a pointer
 * (8). */
static enum go_format gomodule_format_of(const uint8_t h[8])
{
	static const uint8_t rest[4] = { 0, 0, 1, 8 };

	if (h[1] != 0xff || h[2] != 0xff || h[3] != 0xff || memcmp(h + 4, rest, sizeof(rest)))
		return 0;
	return h[0] == 0xfa ? GO_1_16 : h[0] == 0xf0 ? GO_1_18 : h[0] == 0xf1 ? GO_1_20 : 0;
}

static bool plausible(const struct gomodule *m)
{
	uint64_t entry = m->format == GO_1_16 ? 16 : 8;

	return m->functions && m->functions < m->size / entry && m->names >= 64 &&
	       m->names <= m->units && m->units <= m->files && m->files <= m->values &&
	       m->values <= m->table && m->table <= m->size &&
	       m->functions * entry + 8 <= m->size - m->table;
}

/* Reads the header at an image address. If the header has textStart, that goes to m->text. */
static bool gomodule_read_header(const struct image *image, struct lazyfile *file, uint64_t addr,
				 struct gomodule *m)
{
	uint8_t bytes[HEADER_BYTES];
	struct cursor c;
	uint64_t offset;

	memset(m, 0, sizeof(*m));
	if (!lazyfile_read_at(file, addr, bytes, sizeof(bytes)) ||
	    !(m->format = gomodule_format_of(bytes)) ||
	    !image_offset(image, addr, &offset, &m->size))
		return false;
	m->pclntab = addr;
	cursor_init(&c, bytes + 8, sizeof(bytes) - 8, "pclntab's header");
	m->functions = cursor_uint(&c, 8);
	cursor_uint(&c, 8); /* files */
	m->text = m->format == GO_1_16 ? 0 : cursor_uint(&c, 8);
	m->names = cursor_uint(&c, 8);
	m->units = cursor_uint(&c, 8);
	m->files = cursor_uint(&c, 8);
	m->values = cursor_uint(&c, 8);
	m->table = cursor_uint(&c, 8);
	return !c.failed && plausible(m);
}

/* The address of pclntab's section, or 0. *sections: the file has sections; *go: one of them is a
 * mark of Go. */
static uint64_t by_section(const struct image *image, bool *go, bool *sections)
{
	Elf *elf = image_elf(image);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elfsection_name(elf, &shdr) : NULL;

		*sections = true;
		if (!name)
			continue;
		if (!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab"))
			return shdr.sh_addr;
		*go |= !strncmp(name, ".go.", 4) || !strcmp(name, ".note.go.buildid");
	}
	return 0;
}

/* Is there a note of the linker with Go's own build ID (cmd/internal/buildid/note.go)? */
static bool has_go_note(const struct image *image, struct lazyfile *file)
{
	static const char name[4] = "Go\0";
	char note[16];
	size_t count;
	GElf_Phdr ph;

	if (elf_getphdrnum(image_elf(image), &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(image_elf(image), (int)i, &ph) && ph.p_type == PT_NOTE &&
		    lazyfile_read_at(file, ph.p_vaddr, note, sizeof(note)) &&
		    !memcmp(note + 12, name, sizeof(name)))
			return true;
	return false;
}

/* gomodule_scan() calls this for each aligned word of the segments without code (only the writable
 * ones with `writable`); true ends the scan. */
typedef bool found_word(void *context, uint64_t addr, uint64_t word);

static bool gomodule_scan(const struct image *image, struct lazyfile *file, bool writable,
			  found_word *found, void *context)
{
	uint64_t words[CHUNK / 8], scanned = 0;
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	for (size_t i = 0; i < count; i++) {
		if (s[i].flags & PF_X || (writable && !(s[i].flags & PF_W)))
			continue;
		for (uint64_t at = 0; at + 8 <= s[i].filesz && scanned < SCANNED_MAX;) {
			uint64_t left = s[i].filesz - at;
			size_t len = left < CHUNK ? (size_t)left & ~7u : CHUNK;

			if (!lazyfile_read_at(file, s[i].vaddr + at, words, len))
				break;
			for (size_t w = 0; w < len / 8; w++)
				if (found(context, s[i].vaddr + at + w * 8, words[w]))
					return true;
			at += len;
			scanned += len;
		}
	}
	return false;
}

struct gomodule_search {
	const struct image *image;
	struct lazyfile *file;
	struct gomodule *m;
};

static bool gomodule_is_header(void *context, uint64_t addr, uint64_t word)
{
	struct gomodule_search *s = context;

	return gomodule_format_of((const uint8_t *)&word) &&
	       gomodule_read_header(s->image, s->file, addr, s->m);
}

static bool find_pclntab(struct gomodule_search *s)
{
	bool go = false, sections = false;
	uint64_t addr = by_section(s->image, &go, &sections);

	if (addr)
		return gomodule_read_header(s->image, s->file, addr, s->m);
	if (sections && !go && !has_go_note(s->image, s->file))
		return false;
	return gomodule_scan(s->image, s->file, false, gomodule_is_header, s);
}

/* Is this moduledata? Its words, after relocation, go to `words`. */
static bool is_moduledata(const struct gomodule_search *s, uint64_t addr,
			  uint64_t words[MODULEDATA_WORDS])
{
	const struct gomodule *m = s->m;
	struct relocs r;
	bool good = true;

	if (relocs_load(&r, s->image, s->file, addr, addr + MODULEDATA_WORDS * 8))
		return false;
	for (size_t i = 0; good && i < MODULEDATA_WORDS; i++)
		good = relocs_word(&r, s->file, addr + i * 8, &words[i]);
	relocs_release(&r);
	return good && words[0] == m->pclntab && words[WORD_NAMES] == m->pclntab + m->names &&
	       words[WORD_UNITS] == m->pclntab + m->units &&
	       words[WORD_TABLE] == m->pclntab + m->table;
}

/* Takes the start of the text and the words behind it (runtime/symtab.go, moduledata). Go 1.20
 * inserted two words before `types`, Go 1.27 more behind `types`. */
static void take_moduledata(struct gomodule *m, uint64_t addr, const uint64_t *w)
{
	uint64_t end = m->pclntab + m->size;
	unsigned types = m->format == GO_1_20 ? 37 : 35;
	bool newest = m->format == GO_1_20 && w[44] > m->pclntab + m->table && w[44] <= end &&
		      !(w[41] > m->pclntab + m->table && w[41] <= end);

	m->moduledata = addr;
	m->text = w[WORD_TEXT];
	m->types = w[types];
	m->etypes = w[newest ? 39 : types + 1];
	if (m->etypes < m->types)
		m->types = m->etypes = 0;
	if (m->format != GO_1_16)
		m->gofunc = w[newest ? 43 : types + 3];
}

struct place_search {
	struct gomodule_search *s;
	uint64_t place, words[MODULEDATA_WORDS];
};

static bool points_to_pclntab(void *context, uint64_t addr, uint64_t word)
{
	struct place_search *p = context;

	p->place = addr;
	return word == p->s->m->pclntab && is_moduledata(p->s, addr, p->words);
}

static void find_moduledata(struct gomodule_search *s)
{
	struct place_search p = { .s = s };
	uint64_t places[PLACES_MAX];
	size_t count = relocs_to(s->image, s->file, s->m->pclntab, places, PLACES_MAX);

	for (size_t i = 0; i < count; i++)
		if (is_moduledata(s, places[i], p.words)) {
			take_moduledata(s->m, places[i], p.words);
			return;
		}
	if (gomodule_scan(s->image, s->file, true, points_to_pclntab, &p))
		take_moduledata(s->m, p.place, p.words);
}

int gomodule_find(const struct image *image, struct lazyfile *file, struct gomodule *m)
{
	struct gomodule_search s = { image, file, m };

	if (!find_pclntab(&s))
		return ERR_NOTFOUND;
	find_moduledata(&s);
	/* From Go 1.26 on, the header does not hold the start of the text. */
	return m->format != GO_1_16 && !m->text ? ERR_FORMAT : 0;
}
