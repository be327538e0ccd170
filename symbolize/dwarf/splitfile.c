/*
 * Only the parts of needed units are read from a package, each separately. The strings lie
 * scattered and are read once as a whole. Compressed sections are uncompressed as a whole at their
 * first use.
 */
#include "symbolize/dwarf/splitfile.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/descriptor.h"
#include "base/elf/elfsection.h"
#include "base/error.h"
#include "base/process/image.h"
#include "symbolize/dwarf/dwpindex.h"
#include "symbolize/dwarf/skeleton.h"

/* After a unit's parts: what belongs to all units. */
enum { STR = DWP_SECTIONS, INDEX, SECTIONS };

static const char *const names[SECTIONS] = {
	[DWP_INFO] = ".debug_info.dwo",
	[DWP_ABBREV] = ".debug_abbrev.dwo",
	[DWP_STR_OFFSETS] = ".debug_str_offsets.dwo",
	[DWP_RNGLISTS] = ".debug_rnglists.dwo",
	[STR] = ".debug_str.dwo",
	[INDEX] = ".debug_cu_index",
};

static const uint64_t PLAIN_MAX = 4ull << 30;

struct splitfile_section {
	Elf_Scn *scn;	 /* NULL: there is none */
	uint64_t offset; /* in the file, if not compressed */
	uint64_t len;	 /* uncompressed */
	bool packed;
	struct elfbytes bytes; /* once it was read as a whole */
};

struct splitfile {
	struct image *image;
	bool package;
	struct splitfile_section sections[SECTIONS];
};

/* Replaces the section by the next one of the same name. */
static bool next_section(struct splitfile *f, int which)
{
	struct splitfile_section *s = &f->sections[which];
	Elf *elf = image_elf(f->image);
	Elf_Scn *scn = s->scn;
	GElf_Shdr shdr;

	free(s->bytes.owned);
	*s = (struct splitfile_section){ .scn = NULL };
	while ((scn = elfsection_next(elf, scn, names[which], &shdr))) {
		*s = (struct splitfile_section){ scn,
						 shdr.sh_offset,
						 shdr.sh_size,
						 shdr.sh_flags & SHF_COMPRESSED,
						 { NULL, 0, NULL } };
		if (shdr.sh_type != SHT_NOBITS &&
		    (!s->packed || elfsection_plain_size(elf, scn, &s->len)))
			return true;
	}
	s->scn = NULL;
	return false;
}

int splitfile_open(struct splitfile **out, struct image *image, bool package)
{
	struct splitfile *f = calloc(1, sizeof(*f));

	if (!f) {
		image_free(image);
		return ERR_NOMEM;
	}
	f->image = image;
	f->package = package;
	for (int i = 0; i < SECTIONS; i++)
		next_section(f, i);
	if (package && !f->sections[INDEX].scn) {
		splitfile_close(f);
		return ERR_NOTFOUND;
	}
	*out = f;
	return 0;
}

void splitfile_close(struct splitfile *f)
{
	if (!f)
		return;
	for (int i = 0; i < SECTIONS; i++)
		free(f->sections[i].bytes.owned);
	image_free(f->image);
	free(f);
}

/* Reads a section as a whole and keeps it. */
static int splitfile_read_all(struct splitfile *f, int which, struct bytes *b)
{
	struct splitfile_section *s = &f->sections[which];
	int rc = 0;

	if (s->scn && !s->bytes.data)
		rc = elfsection_bytes(image_elf(f->image), s->scn, PLAIN_MAX, &s->bytes);
	*b = (struct bytes){ s->bytes.data, s->bytes.len };
	return rc;
}

/* Reads a piece of a section. The caller frees *owned. */
static int splitfile_read_part(struct splitfile *f, int which, struct dwp_part part,
			       struct bytes *b, void **owned)
{
	struct splitfile_section *s = &f->sections[which];
	int fd = image_fd(f->image), rc;

	*b = (struct bytes){ NULL, 0 };
	if (!s->scn || !part.len)
		return 0;
	if (part.len > s->len || part.offset > s->len - part.len)
		return ERR_FORMAT;
	if (s->packed || fd < 0) {
		rc = splitfile_read_all(f, which, b);
		if (rc || part.offset + part.len > b->len)
			return rc ? rc : ERR_FORMAT;
		*b = (struct bytes){ b->data + part.offset, part.len };
		return 0;
	}
	*owned = malloc(part.len);
	if (!*owned)
		return ERR_NOMEM;
	*b = (struct bytes){ *owned, part.len };
	return descriptor_read(fd, *owned, part.len, s->offset + part.offset) ? 0 : ERR_IO;
}

static int splitfile_find_parts(struct splitfile *f, uint64_t id,
				struct dwp_part parts[DWP_SECTIONS])
{
	struct bytes index;
	int rc;

	for (int i = 0; i < DWP_SECTIONS; i++)
		parts[i] = (struct dwp_part){ 0, f->sections[i].len };
	if (!f->package)
		return 0;
	rc = splitfile_read_all(f, INDEX, &index);
	if (rc)
		return rc;
	return dwpindex_find(index.data, index.len, id, parts) ? 0 : ERR_NOTFOUND;
}

static int make_unit(struct splitfile *f, const struct skeleton *s, struct bytes addr,
		     struct bytes ranges, struct elfview *v)
{
	struct unit_parts p = { .addr = addr, .ranges = ranges };
	struct bytes *const to[DWP_SECTIONS] = { &p.info, &p.abbrev, &p.str_offsets, &p.rnglists };
	struct dwp_part parts[DWP_SECTIONS];
	void *owned[DWP_SECTIONS] = { NULL };
	int rc = splitfile_find_parts(f, s->id, parts);

	for (int i = 0; !rc && i < DWP_SECTIONS; i++)
		rc = splitfile_read_part(f, i, parts[i], to[i], &owned[i]);
	if (!rc)
		rc = splitfile_read_all(f, STR, &p.str);
	if (!rc)
		rc = wholeunit_make(v, &p, s);
	for (int i = 0; i < DWP_SECTIONS; i++)
		free(owned[i]);
	return rc;
}

/* gcc gives each type unit of a .dwo file a .debug_info.dwo of its own, so all are tried. */
int splitfile_unit(struct splitfile *f, const struct skeleton *s, struct bytes addr,
		   struct bytes ranges, struct elfview *v)
{
	int rc;

	do {
		rc = make_unit(f, s, addr, ranges, v);
	} while (rc == ERR_NOTFOUND && !f->package && next_section(f, DWP_INFO));
	return rc;
}
